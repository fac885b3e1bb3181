// SPDX-License-Identifier: Apache-2.0
// Reset controller of the management complex: makes the power-on reset and the system reset, and remembers why.
//
// The power-on reset follows the pin: asserted at once, released with the clock. The system reset (processor
// and devices) is asserted with it, and on request (soc_domain: the ring is drained before).
// `striking_o` is high in the last cycle before a request's reset takes effect, so that sticky registers can
// keep what the reset is about to destroy. The watchdog wins over the host, the host over software when they ask in
// one cycle.
module soc_reset #(
  parameter int unsigned HoldClocks  = 16,
  parameter int unsigned DrainClocks = 4096
) (
  input  logic       clk_i,
  input  logic       rst_pin_ni,
  input  logic       software_i,
  input  logic       watchdog_i,
  input  logic       host_i,
  input  logic       drained_i,
  output logic       fence_o,
  output logic [1:0] domain_o,
  output logic       rst_por_no,
  output logic       rst_sys_no,
  output logic       striking_o,
  output system_regs_pkg::reset_cause_cause_e cause_o,
  output logic [7:0] count_o
);

  logic       accepted;
  logic [7:0] count_q;
  system_regs_pkg::reset_cause_cause_e cause_q;

  reset_sync u_power_on (
    .clk_i,
    .rst_ni (rst_pin_ni),
    .rst_no (rst_por_no)
  );

  soc_domain #(
    .HoldClocks  (HoldClocks),
    .DrainClocks (DrainClocks)
  ) u_system (
    .clk_i,
    .rst_ni     (rst_por_no),
    .request_i  (software_i || watchdog_i || host_i),
    .drained_i,
    .accepted_o (accepted),
    .fence_o,
    .striking_o,
    .rst_no     (rst_sys_no),
    .status_o   (domain_o)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_por_no) begin
      cause_q <= system_regs_pkg::ResetCauseCausePowerOn;
      count_q <= '0;
    end else if (accepted) begin
      cause_q <= watchdog_i ? system_regs_pkg::ResetCauseCauseWatchdog :
                 host_i     ? system_regs_pkg::ResetCauseCauseHost :
                              system_regs_pkg::ResetCauseCauseSoftware;
      if (count_q != '1) count_q <= count_q + 8'd1;
    end
  end

  assign cause_o = cause_q;
  assign count_o = count_q;

endmodule
