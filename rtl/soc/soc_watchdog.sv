// SPDX-License-Identifier: Apache-2.0
// Watchdog: counts down while enabled and awake. The first period without a kick raises `nmi_o` until the
// next kick; a second period without one raises `reset_o`.
//
// Switching it on kicks. A new timeout is taken over by the next kick.
module soc_watchdog (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        enable_i,
  input  logic        awake_i,
  input  logic        kick_i,
  input  logic [31:0] timeout_i,
  output logic [31:0] remaining_o,
  output logic        nmi_o,
  output logic        reset_o
);

  logic        enable_q, expired_q, reset_q;
  logic [31:0] remaining_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      enable_q    <= 1'b0;
      expired_q   <= 1'b0;
      reset_q     <= 1'b0;
      remaining_q <= '1;
    end else begin
      enable_q <= enable_i;
      if (kick_i || (enable_i && !enable_q)) begin
        expired_q   <= 1'b0;
        remaining_q <= timeout_i;
      end else if (enable_i && awake_i) begin
        if (remaining_q != '0) begin
          remaining_q <= remaining_q - 32'd1;
        end else begin
          remaining_q <= timeout_i;
          expired_q   <= 1'b1;
          reset_q     <= expired_q;
        end
      end
    end
  end

  assign remaining_o = remaining_q;
  assign nmi_o       = expired_q;
  assign reset_o     = reset_q;

endmodule
