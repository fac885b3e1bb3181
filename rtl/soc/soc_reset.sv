// Reset controller: makes the power-on reset and the system reset, and remembers why.
//
// The power-on reset follows the pin: asserted at once, released with the clock. The system reset (processor
// and devices) is asserted with it, and by the two requests; each time it stays so for HoldClocks cycles.
// `striking_o` is high in the last cycle before a request's reset takes effect, so that sticky registers can
// keep what the reset is about to destroy. The watchdog wins over software when both ask in one cycle.
module soc_reset #(
  parameter int unsigned HoldClocks = 16
) (
  input  logic       clk_i,
  input  logic       rst_pin_ni,
  input  logic       software_i,
  input  logic       watchdog_i,
  output logic       rst_por_no,
  output logic       rst_sys_no,
  output logic       striking_o,
  output system_regs_pkg::reset_cause_cause_e cause_o,
  output logic [7:0] count_o
);

  localparam int unsigned CountWidth = $clog2(HoldClocks + 1);

  logic                  rst_por_q_n, rst_sys_q;
  logic [CountWidth-1:0] hold_q;
  logic [7:0]            count_q;
  system_regs_pkg::reset_cause_cause_e cause_q;

  reset_sync u_power_on (
    .clk_i,
    .rst_ni (rst_pin_ni),
    .rst_no (rst_por_q_n)
  );

  // Requests during the reset that they caused are echoes of it.
  assign striking_o = (software_i || watchdog_i) && hold_q == '0;

  always_ff @(posedge clk_i or negedge rst_por_no) begin
    if (!rst_por_no) begin
      rst_sys_q <= 1'b0;
      hold_q    <= CountWidth'(HoldClocks);
      cause_q   <= system_regs_pkg::ResetCauseCausePowerOn;
      count_q   <= '0;
    end else if (striking_o) begin
      rst_sys_q <= 1'b0;
      hold_q    <= CountWidth'(HoldClocks);
      cause_q   <= watchdog_i ? system_regs_pkg::ResetCauseCauseWatchdog
                              : system_regs_pkg::ResetCauseCauseSoftware;
      if (count_q != '1) count_q <= count_q + 8'd1;
    end else if (hold_q != '0) begin
      hold_q    <= hold_q - CountWidth'(1);
      rst_sys_q <= hold_q == CountWidth'(1);
    end
  end

  // While the pin is low both flip-flops are, too; but a simulator, for which asynchronous resets act by their
  // edge, would start with whatever they hold.
  assign rst_por_no = rst_por_q_n && rst_pin_ni;
  assign rst_sys_no = rst_sys_q && rst_pin_ni;
  assign cause_o    = cause_q;
  assign count_o    = count_q;

endmodule
