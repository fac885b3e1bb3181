// SPDX-License-Identifier: Apache-2.0
// Brings the CPEs of a group in and out of reset, one bit each: all of them are in the same machine.
//
//   parked --enabled--> on --stopped--> halted, until quiet and recorded --> four cycles of reset --> on, or parked
//
// A CPE is stopped when stop_i says so, when it is disabled, and when it faults while no launch runs on it (daemon): then it
// starts again, three times in a row. At the fourth such fault it is given up: it stays parked until it has been disabled.
// A launch that it takes ends the row. A fault during a launch stops nothing here: the CPE stands still by itself.
// Also after the reset of the group: a CPE's clock runs during its reset, for parts that need an edge.
// quiet_i counts from the fourth cycle of halt on: until then a request may still be on its way out.
module cg_launch_tiles #(
  parameter int unsigned N = 4
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic [N-1:0] enable_i,
  input  logic [N-1:0] stop_i,          // pulses
  input  logic [N-1:0] in_launch_i,     // runs a launch
  input  logic [N-1:0] taken_i,         // takes a launch in this cycle
  input  logic [N-1:0] fault_valid_i,
  input  logic [N-1:0] quiet_i,
  input  logic [N-1:0] unrecorded_i,    // a record is to be taken before the reset
  output logic [N-1:0] fault_o,         // pulses: a fault that was not there before
  output logic [N-1:0] halt_o,
  output logic [N-1:0] still_o,         // halted for four cycles
  output logic [N-1:0] tile_rst_no,
  output logic [N-1:0] parked_o,
  output logic [N-1:0] restarting_o,
  output logic [N-1:0] usable_o,        // by launches, now or after the restart
  output logic         busy_o
);

  logic [N-1:0] on_q, halt_q, noted_q, given_up_q;
  logic [N-1:0] halt1_q, halt2_q, halt3_q;
  logic [N-1:0] reset1_q, reset2_q, reset3_q, reset4_q;
  logic [N-1:0] strike0_q, strike1_q;   // faults in a row

  logic [N-1:0] fresh, daemon, stop, down, resetting, up;

  assign fresh     = fault_valid_i & on_q & ~halt_q & ~noted_q;
  assign daemon    = fresh & ~in_launch_i;
  assign stop      = (stop_i | daemon | ~enable_i) & on_q & ~halt_q;
  assign still_o   = halt_q & halt3_q;
  assign down      = still_o & quiet_i & ~unrecorded_i;
  assign resetting = reset1_q | reset2_q | reset3_q | reset4_q;
  assign up        = ~on_q & ~resetting & usable_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      on_q       <= '0;
      halt_q     <= '0;
      halt1_q    <= '0;
      halt2_q    <= '0;
      halt3_q    <= '0;
      reset1_q   <= '1;
      reset2_q   <= '0;
      reset3_q   <= '0;
      reset4_q   <= '0;
      noted_q    <= '0;
      given_up_q <= '0;
      strike0_q  <= '0;
      strike1_q  <= '0;
    end else begin
      on_q       <= (on_q & ~down) | up;
      halt_q     <= (halt_q & ~down) | stop;
      halt1_q    <= halt_q;
      halt2_q    <= halt1_q & halt_q;
      halt3_q    <= halt2_q & halt_q;
      reset1_q   <= down;
      reset2_q   <= reset1_q;
      reset3_q   <= reset2_q;
      reset4_q   <= reset3_q;
      noted_q    <= (noted_q | fresh) & ~down;
      given_up_q <= (given_up_q | (daemon & strike1_q & strike0_q)) & enable_i;
      strike0_q  <= (strike0_q ^ daemon) & ~taken_i & enable_i;
      strike1_q  <= (strike1_q ^ (daemon & strike0_q)) & ~taken_i & enable_i;
    end
  end

  assign fault_o      = fresh;
  assign halt_o       = halt_q;
  assign tile_rst_no  = on_q & {N{rst_ni}};  // with the group, not an edge later
  assign parked_o     = ~on_q & ~resetting;
  assign restarting_o = halt_q | resetting | up;
  assign usable_o     = enable_i & ~given_up_q;
  assign busy_o       = (restarting_o | fresh | stop) != '0;

endmodule
