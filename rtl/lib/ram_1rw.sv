// SPDX-License-Identifier: Apache-2.0
// The memory that every larger array of the design is: one port that reads or writes in a cycle. A chip or an FPGA that
// needs its own macro replaces this file.
//
// rdata_o follows a read by one cycle and keeps its value until the next read; writes do not touch it. Lane i of
// LaneWidth bits is written when strb_i[i] is high. The content after power-up is undefined.
// Illegal: an address of Depth or more; a Width that is no multiple of LaneWidth.
module ram_1rw #(
  parameter  int unsigned Depth     = 64,
  parameter  int unsigned Width     = 64,
  parameter  int unsigned LaneWidth = 8,
  localparam int unsigned AddrWidth = Depth > 1 ? $clog2(Depth) : 1,
  localparam int unsigned Lanes     = Width / LaneWidth
) (
  input  logic                 clk_i,
  input  logic                 en_i,
  input  logic                 we_i,
  input  logic [AddrWidth-1:0] addr_i,
  input  logic [Lanes-1:0]     strb_i,
  input  logic [Width-1:0]     wdata_i,
  output logic [Width-1:0]     rdata_o
);

  logic [Width-1:0] mem_q [Depth];
  logic [Width-1:0] rdata_q;

  assign rdata_o = rdata_q;

`ifdef SYNTHESIS

  always_ff @(posedge clk_i) begin
    if (en_i && we_i) begin
      for (int unsigned i = 0; i < Lanes; i++) begin
        if (strb_i[i]) mem_q[addr_i][i*LaneWidth +: LaneWidth] <= wdata_i[i*LaneWidth +: LaneWidth];
      end
    end
    if (en_i && !we_i) rdata_q <= mem_q[addr_i];
  end

`else

  // The same function. This process alone touches the array, so that assignments may take effect at once; the simulator
  // would otherwise keep a delayed copy of every lane. Full rows are the common case.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (en_i && we_i) begin
      if (&strb_i) begin
        mem_q[addr_i] = wdata_i;
      end else begin
        for (int unsigned i = 0; i < Lanes; i++) begin
          if (strb_i[i]) mem_q[addr_i][i*LaneWidth +: LaneWidth] = wdata_i[i*LaneWidth +: LaneWidth];
        end
      end
    end
    if (en_i && !we_i) rdata_q <= mem_q[addr_i];
  end
  /* verilator lint_on BLKSEQ */

  // At the very first edge the logic around may not have seen its reset yet.
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    assert (!started_q || !en_i || {1'b0, addr_i} < (AddrWidth + 1)'(Depth)) else $error("address %0d of %0d rows", addr_i, Depth);
  end

`endif

endmodule
