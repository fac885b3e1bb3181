// SPDX-License-Identifier: Apache-2.0
// Holds every item of a stream back for a random number of cycles, 0 to MaxDelay. For tests only.
//
// Cuts: nothing; an item that is not held back passes in the same cycle. Orders: first in, first out.
// The delays follow from the simulator's seed.
module stream_delayer #(
  parameter int unsigned Width    = 8,
  parameter int unsigned MaxDelay = 7
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

  logic [31:0] left_q;   // cycles that the item at the input still waits

  assign out_valid_o = in_valid_i && left_q == '0;
  assign in_ready_o  = out_ready_i && out_valid_o;
  assign out_data_o  = in_data_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) left_q <= '0;
    else if (in_valid_i && in_ready_o) left_q <= $urandom_range(MaxDelay);
    else if (in_valid_i && left_q != '0) left_q <= left_q - 1'b1;
  end

endmodule
