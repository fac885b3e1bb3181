// SPDX-License-Identifier: Apache-2.0
// Credits and items on their way together are always as many as there were at the start, and a taker that obeys
// avail_o never has more on its way than there are places.
module fv_credits #(
  parameter int unsigned Credits = 5
) (
  input logic clk_i,
  input logic want_i,
  input logic give_i
);

  logic rst_ni;
  fv_reset u_reset (
    .clk_i,
    .rst_no(rst_ni)
  );

  logic                         avail, take;
  logic [$clog2(Credits+1)-1:0] count;
  logic [3:0]                   away_q;

  assign take = want_i && avail;

  credit_counter #(
    .Credits(Credits)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .take_i (take),
    .give_i,
    .avail_o(avail),
    .count_o(count)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) away_q <= '0;
    else away_q <= away_q + 4'(take) - 4'(give_i);
  end

  always_comb begin
    if (rst_ni) begin
      if (away_q == '0) assume (!give_i);
      assert (4'(count) + away_q == 4'(Credits));
      assert (avail == (away_q != 4'(Credits)));
    end
  end

endmodule
