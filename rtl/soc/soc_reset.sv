// Reset controller: makes the power-on reset and the system reset, and remembers why.
//
// The power-on reset follows the pin: asserted at once, released with the clock. The system reset (processor
// and devices) is asserted with it, and on request. A request first closes the door to the ring (`fence_o`), so that
// nothing is left under way between the processor and the rest of the card when the reset strikes; where `drained_i`
// does not come within DrainClocks it strikes all the same. The reset then stays for HoldClocks cycles.
// `striking_o` is high in the last cycle before a request's reset takes effect, so that sticky registers can
// keep what the reset is about to destroy. The watchdog wins over the host, the host over software when they ask in
// one cycle; requests during a reset and its preparation are echoes of it.
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
  output logic       rst_por_no,
  output logic       rst_sys_no,
  output logic       striking_o,
  output system_regs_pkg::reset_cause_cause_e cause_o,
  output logic [7:0] count_o
);

  localparam int unsigned CountWidth = $clog2((DrainClocks > HoldClocks ? DrainClocks : HoldClocks) + 1);

  typedef enum logic [1:0] {
    Hold,
    Run,
    Drain
  } state_e;

  state_e                state_q;
  logic                  rst_por_q_n;
  logic [CountWidth-1:0] left_q;
  logic [7:0]            count_q;
  system_regs_pkg::reset_cause_cause_e cause_q;

  reset_sync u_power_on (
    .clk_i,
    .rst_ni (rst_pin_ni),
    .rst_no (rst_por_q_n)
  );

  assign striking_o = state_q == Drain && (drained_i || left_q == '0);
  assign fence_o    = state_q != Run;

  always_ff @(posedge clk_i or negedge rst_por_no) begin
    if (!rst_por_no) begin
      state_q <= Hold;
      left_q  <= CountWidth'(HoldClocks);
      cause_q <= system_regs_pkg::ResetCauseCausePowerOn;
      count_q <= '0;
    end else begin
      unique case (state_q)
        Run: begin
          if (watchdog_i || host_i || software_i) begin
            state_q <= Drain;
            left_q  <= CountWidth'(DrainClocks);
            cause_q <= watchdog_i ? system_regs_pkg::ResetCauseCauseWatchdog :
                       host_i     ? system_regs_pkg::ResetCauseCauseHost :
                                    system_regs_pkg::ResetCauseCauseSoftware;
            if (count_q != '1) count_q <= count_q + 8'd1;
          end
        end
        Drain: begin
          left_q <= left_q - CountWidth'(1);
          if (striking_o) begin
            state_q <= Hold;
            left_q  <= CountWidth'(HoldClocks);
          end
        end
        default: begin  // Hold
          left_q <= left_q - CountWidth'(1);
          if (left_q == CountWidth'(1)) state_q <= Run;
        end
      endcase
    end
  end

  logic rst_sys_q;
  always_ff @(posedge clk_i or negedge rst_por_no) begin
    if (!rst_por_no) rst_sys_q <= 1'b0;
    else if (striking_o) rst_sys_q <= 1'b0;
    else if (state_q == Hold && left_q == CountWidth'(1)) rst_sys_q <= 1'b1;
  end

  // While the pin is low both flip-flops are, too; but a simulator, for which asynchronous resets act by their
  // edge, would start with whatever they hold.
  assign rst_por_no = rst_por_q_n && rst_pin_ni;
  assign rst_sys_no = rst_sys_q && rst_pin_ni;
  assign cause_o    = cause_q;
  assign count_o    = count_q;

endmodule
