// SPDX-License-Identifier: Apache-2.0
// A reset that starts at once and ends with the clock.
//
// rst_no falls with rst_ni, without a clock, and rises at the second rising edge of clk_i after rst_ni rose, so that all
// flip-flops of the domain leave reset in the same cycle.
//
// The only asynchronous reset: the pin may move while there is no clock. All others are taken with the clock, and this one
// gives it to them: however short rst_ni was low, rst_no is low at an edge.
module reset_sync (
  input  logic clk_i,
  input  logic rst_ni,
  output logic rst_no
);

  logic first_q, second_q;

  assign rst_no = second_q;

`ifndef SYNTHESIS
  // A simulator sees an asynchronous reset by its edge, and a pin that is low from the beginning has none.
  initial second_q = 1'b0;
`endif

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      first_q  <= 1'b0;
      second_q <= 1'b0;
    end else begin
      first_q  <= 1'b1;
      second_q <= first_q;
    end
  end

endmodule
