// SPDX-License-Identifier: Apache-2.0
// One stream to several consumers: each gets every item exactly once, each in its own time.
//
// Cuts: nothing. in_ready_o follows the ready of all outputs in the same cycle.
// Orders: an item leaves only when all consumers have taken it, so no consumer is more than one item ahead.
// The payload goes around this module: it is still until in_ready_o, by the law of streams.
module stream_fork #(
  parameter int unsigned N = 2
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         in_valid_i,
  output logic         in_ready_o,

  output logic [N-1:0] out_valid_o,
  input  logic [N-1:0] out_ready_i
);

  logic [N-1:0] taken_q;   // outputs that already have the item that waits at the input

  assign out_valid_o = in_valid_i ? ~taken_q : '0;
  assign in_ready_o  = &(taken_q | out_ready_i);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) taken_q <= '0;
    else if (in_valid_i) taken_q <= in_ready_o ? '0 : taken_q | out_ready_i;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (in_valid_i || taken_q == '0) else $error("the item was withdrawn after %b had taken it", taken_q);
      assert (taken_q != '1) else $error("all have taken an item that did not leave");
    end
  end
`endif

endmodule
