// SPDX-License-Identifier: Apache-2.0
// Tells when the card's clock may stop: the core sleeps, no device has anything under way, and nothing that
// could wake the core has moved for SettleClocks cycles (a wake-up takes a few cycles to arrive).
module soc_sleep #(
  parameter int unsigned Wakes        = 1,
  parameter int unsigned SettleClocks = 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             core_sleep_i,
  input  logic             busy_i,
  input  logic [Wakes-1:0] wakes_i,
  output logic             sleep_o
);

  localparam int unsigned CountWidth = $clog2(SettleClocks + 1);

  logic [Wakes-1:0]      wakes_q;
  logic [CountWidth-1:0] count_q;

  assign sleep_o = count_q == CountWidth'(SettleClocks);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      wakes_q <= '0;
      count_q <= '0;
    end else begin
      wakes_q <= wakes_i;
      if (!core_sleep_i || busy_i || wakes_i != wakes_q) count_q <= '0;
      else if (!sleep_o) count_q <= count_q + CountWidth'(1);
    end
  end

endmodule
