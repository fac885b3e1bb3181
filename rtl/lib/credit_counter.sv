// SPDX-License-Identifier: Apache-2.0
// Counts the free places of a consumer at a distance: take one for each item sent, give one back for each place freed.
//
// Cuts: both directions; count_o and avail_o come from registers, a credit given can be taken in the next cycle.
// Starts full. Taking and giving in one cycle leave the count as it is.
// Illegal: taking while avail_o is low, giving back more than was taken.
module credit_counter #(
  parameter  int unsigned Credits    = 4,
  localparam int unsigned CountWidth = $clog2(Credits + 1)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic                  take_i,
  input  logic                  give_i,
  output logic                  avail_o,
  output logic [CountWidth-1:0] count_o
);

  logic [CountWidth-1:0] count_q;

  assign avail_o = count_q != '0;
  assign count_o = count_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) count_q <= CountWidth'(Credits);
    else if (take_i && !give_i) count_q <= count_q - 1'b1;
    else if (give_i && !take_i) count_q <= count_q + 1'b1;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!take_i || avail_o) else $error("a credit was taken that is not there");
      assert (!give_i || count_q != CountWidth'(Credits)) else $error("more credits came back than were taken");
    end
  end
`endif

endmodule
