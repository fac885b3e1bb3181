// SPDX-License-Identifier: Apache-2.0
// Brings signals of another clock, or of none, into this one: two flip-flops for each bit.
//
// Latency: two cycles. Bits arrive independently of each other: never use it for a number of several bits, except in
// Gray code. Illegal: an input pulse shorter than a clock period (it may be lost).
module sync_2ff #(
  parameter int unsigned      Width      = 1,
  parameter logic [Width-1:0] ResetValue = '0
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Width-1:0] async_i,
  output logic [Width-1:0] sync_o
);

  logic [Width-1:0] first_q, second_q;

  assign sync_o = second_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      first_q  <= ResetValue;
      second_q <= ResetValue;
    end else begin
      first_q  <= async_i;
      second_q <= first_q;
    end
  end

endmodule
