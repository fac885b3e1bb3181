// SPDX-License-Identifier: Apache-2.0
// A memory with a port that reads and another that writes, both in the same cycle if need be. A chip or an FPGA that needs its own
// macro replaces this file.
//
// rdata_o follows a read by one cycle and keeps its value until the next read. A read of the row that is written in the same cycle
// gives what the row held before. Rows are written as a whole. The content after power-up is undefined.
// Illegal: an address of Depth or more.
module ram_1r1w #(
  parameter  int unsigned Depth     = 64,
  parameter  int unsigned Width     = 64,
  localparam int unsigned AddrWidth = Depth > 1 ? $clog2(Depth) : 1
) (
  input  logic                 clk_i,
  input  logic                 re_i,
  input  logic [AddrWidth-1:0] raddr_i,
  output logic [Width-1:0]     rdata_o,
  input  logic                 we_i,
  input  logic [AddrWidth-1:0] waddr_i,
  input  logic [Width-1:0]     wdata_i
);

  logic [Width-1:0] mem_q [Depth];
  logic [Width-1:0] rdata_q;

  assign rdata_o = rdata_q;

`ifdef SYNTHESIS

  always_ff @(posedge clk_i) begin
    if (re_i) rdata_q <= mem_q[raddr_i];
    if (we_i) mem_q[waddr_i] <= wdata_i;
  end

`else

  // The same function. This process alone touches the array, and reads before it writes, so that the write may take effect at once;
  // the simulator would otherwise keep a delayed copy of the row.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (re_i) rdata_q <= mem_q[raddr_i];
    if (we_i) mem_q[waddr_i] = wdata_i;
  end
  /* verilator lint_on BLKSEQ */

  // At the very first edge the logic around may not have seen its reset yet.
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    assert (!started_q || !re_i || {1'b0, raddr_i} < (AddrWidth + 1)'(Depth)) else $error("address %0d of %0d rows", raddr_i, Depth);
    assert (!started_q || !we_i || {1'b0, waddr_i} < (AddrWidth + 1)'(Depth)) else $error("address %0d of %0d rows", waddr_i, Depth);
  end

`endif

endmodule
