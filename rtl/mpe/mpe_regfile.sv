// Integer registers: two read ports, one write port. x0 is not stored; the readers know.
module mpe_regfile (
    input  logic         clk_i,
    input  logic         write_i,
    input  logic [4:0]   waddr_i,
    input  logic [63:0]  wdata_i,
    input  logic [4:0]   raddr1_i,
    output logic [63:0]  rdata1_o,
    input  logic [4:0]   raddr2_i,
    output logic [63:0]  rdata2_o
);

  logic [63:0] regs_q [32];

  always_ff @(posedge clk_i) if (write_i) regs_q[waddr_i] <= wdata_i;

  assign rdata1_o = raddr1_i == '0 ? '0 : regs_q[raddr1_i];
  assign rdata2_o = raddr2_i == '0 ? '0 : regs_q[raddr2_i];

endmodule
