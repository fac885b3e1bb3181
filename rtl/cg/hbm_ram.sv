// A memory with one port that writes and one that reads, for buffers of the HBM controller. A chip or an FPGA that needs its
// own macro replaces this file.
//
// rdata_o follows a read by one cycle and keeps its value until the next one. A read of the row that is written in the same
// cycle gives the old content. The content after power-up is undefined.
module hbm_ram #(
  parameter  int unsigned Depth     = 64,
  parameter  int unsigned Width     = 64,
  localparam int unsigned AddrWidth = $clog2(Depth)
) (
  input  logic                 clk_i,
  input  logic                 write_i,
  input  logic [AddrWidth-1:0] waddr_i,
  input  logic [Width-1:0]     wdata_i,
  input  logic                 read_i,
  input  logic [AddrWidth-1:0] raddr_i,
  output logic [Width-1:0]     rdata_o
);

  logic [Width-1:0] mem_q [Depth];
  logic [Width-1:0] rdata_q;

  assign rdata_o = rdata_q;

  // This process alone touches the array, so that the assignment may take effect at once, after the read: see ram_1rw.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (read_i) rdata_q <= mem_q[raddr_i];
`ifdef SYNTHESIS
    if (write_i) mem_q[waddr_i] <= wdata_i;
`else
    if (write_i) mem_q[waddr_i] = wdata_i;
`endif
  end
  /* verilator lint_on BLKSEQ */

endmodule
