// SPDX-License-Identifier: Apache-2.0
// A queue between two streams.
//
// Cuts: valid and payload forwards unless FallThrough is set; ready backwards always (in_ready_o comes from a register).
// Orders: first in, first out.
// Latency: one cycle; with FallThrough none while the queue is empty. One transfer per cycle, except that Depth 1 takes
// nothing while it is full, so it moves one item every two cycles (with FallThrough: whenever the consumer stalls).
// Illegal: Depth 0.
module stream_fifo #(
  parameter int unsigned Width       = 8,
  parameter int unsigned Depth       = 2,
  parameter bit          FallThrough = 1'b0
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             in_valid_i,
  output logic             in_ready_o,
  input  logic [Width-1:0] in_data_i,

  output logic             out_valid_o,
  input  logic             out_ready_i,
  output logic [Width-1:0] out_data_o
);

  localparam int unsigned PtrWidth   = Depth > 1 ? $clog2(Depth) : 1;
  localparam int unsigned CountWidth = $clog2(Depth + 1);

  logic [Width-1:0]      mem_q [Depth];
  logic [PtrWidth-1:0]   read_ptr_q, write_ptr_q;
  logic [CountWidth-1:0] count_q;
  logic                  empty, bypass, push, pop;

  assign empty       = count_q == '0;
  assign bypass      = FallThrough && empty && in_valid_i && out_ready_i;
  assign in_ready_o  = count_q != CountWidth'(Depth);
  assign out_valid_o = !empty || (FallThrough && in_valid_i);
  assign out_data_o  = (FallThrough && empty) ? in_data_i : mem_q[read_ptr_q];
  assign push        = in_valid_i && in_ready_o && !bypass;
  assign pop         = !empty && out_ready_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      read_ptr_q  <= '0;
      write_ptr_q <= '0;
      count_q     <= '0;
    end else begin
      if (push) write_ptr_q <= write_ptr_q == PtrWidth'(Depth - 1) ? '0 : write_ptr_q + 1'b1;
      if (pop) read_ptr_q <= read_ptr_q == PtrWidth'(Depth - 1) ? '0 : read_ptr_q + 1'b1;
      if (push && !pop) count_q <= count_q + 1'b1;
      if (pop && !push) count_q <= count_q - 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (push) mem_q[write_ptr_q] <= in_data_i;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert ((read_ptr_q == write_ptr_q) == (empty || !in_ready_o)) else $error("pointers and count disagree");
    end
  end
`endif

endmodule
