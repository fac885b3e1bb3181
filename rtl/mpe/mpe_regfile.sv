// SPDX-License-Identifier: Apache-2.0
// Integer registers: three read ports, one write port. x0 is not stored; the readers know.
// After reset it writes zeros, one register a cycle, until ready_o: so the memory needs no reset and programs start alike.
module mpe_regfile (
    input  logic         clk_i,
    input  logic         rst_ni,
    output logic         ready_o,
    input  logic         write_i,
    input  logic [4:0]   waddr_i,
    input  logic [63:0]  wdata_i,
    input  logic [4:0]   raddr1_i,
    output logic [63:0]  rdata1_o,
    input  logic [4:0]   raddr2_i,
    output logic [63:0]  rdata2_o,
    input  logic [4:0]   raddr3_i,
    output logic [63:0]  rdata3_o
);

  logic [63:0] regs_q [32];

  logic [4:0] clear_q;
  assign ready_o = clear_q == '1;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) clear_q <= '0;
    else if (!ready_o) clear_q <= clear_q + 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (!ready_o) regs_q[clear_q + 1'b1] <= '0;
    else if (write_i) regs_q[waddr_i] <= wdata_i;
  end

  assign rdata1_o = raddr1_i == '0 ? '0 : regs_q[raddr1_i];
  assign rdata2_o = raddr2_i == '0 ? '0 : regs_q[raddr2_i];
  assign rdata3_o = raddr3_i == '0 ? '0 : regs_q[raddr3_i];

endmodule
