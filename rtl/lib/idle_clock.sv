// SPDX-License-Identifier: Apache-2.0
// The clock of a block that mostly has nothing to do: it runs while busy_i, and Tail cycles longer, so that what the
// block tells others comes to rest: pulses end, and who looks at its registers sees the last change.
//
// It also runs in reset, which what hangs on it takes with an edge.
//
// busy_i is high whenever an input that the block has to see may move (see clock_gate for when it must be settled).
module idle_clock #(
  parameter int unsigned Tail = 2
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic busy_i,
  output logic clk_o
);

  logic [Tail-1:0] busy_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) busy_q <= '1;
    else busy_q <= Tail'({busy_q, busy_i});
  end

  clock_gate u_gate (
    .clk_i,
    .en_i  (!rst_ni || busy_i || busy_q != '0),
    .clk_o
  );

endmodule
