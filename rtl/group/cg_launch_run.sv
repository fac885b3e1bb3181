// SPDX-License-Identifier: Apache-2.0
// Runs the launches of a group, one after the other.
//
//   Idle --head of the queue--> [Invalidate] --> Run --all through--> Idle
//     |                                            | a CPE failed
//     +--empty, refused, flushed--> Report <-- Recover
//
// A launch is offered to each CPE of its mask until that takes it (launch_valid_o), whatever the CPE does meanwhile. It ends
// when each of them has taken it and finished, or failed; rows are put together first, then all of them, a cycle each. When
// one failed, all of its CPEs are stopped and restarted before the next launch.
// end_o: the launch that runs has ended in this cycle; *_o beside it tell how.
module cg_launch_run #(
  parameter  int unsigned Rows    = 2,
  parameter  int unsigned Columns = 2,
  localparam int unsigned N       = Rows * Columns
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  // What waits
  input  logic             head_valid_i,
  output logic             pop_o,
  input  cpe_pkg::launch_t head_i,
  input  logic [7:0]       owner_i,
  input  logic             notify_i,
  input  logic [31:0]      waited_i,
  input  logic             flush_i,
  input  logic [3:0]       count_i,

  // Settings and actions
  input  logic             hold_i,
  input  logic             resume_i,
  input  logic             kill_i,
  input  logic [31:0]      watchdog_i,

  // CPEs
  output logic [N-1:0]     launch_valid_o,
  input  logic [N-1:0]     launch_ready_i,
  output cpe_pkg::launch_t launch_o,
  output logic [7:0]       owner_o,
  input  logic [N-1:0]     finished_i,
  input  logic [N-1:0]     alive_i,         // out of reset and not being stopped
  input  logic [N-1:0]     enable_i,
  input  logic [N-1:0]     usable_i,
  input  logic [N-1:0]     restarting_i,
  input  logic [N-1:0]     fault_i,         // pulses
  output logic [N-1:0]     in_launch_o,     // has taken the launch and works on it
  output logic [N-1:0]     taken_o,
  output logic [N-1:0]     active_o,        // the mask of the launch that runs
  output logic [N-1:0]     stop_o,          // to be stopped and restarted
  output logic [N-1:0]     record_o,        // of these with a record
  output logic             record_watchdog_o,
  output logic             code_invalidate_o,

  output logic             running_o,
  output logic             held_o,
  output logic [N-1:0]     unfinished_o,
  output logic [31:0]      ended_o,         // number of the launch that ended last
  output logic             end_o,
  output logic [31:0]      sequence_o,
  output logic [31:0]      cycles_o,
  output logic [31:0]      waited_o,
  output logic             failed_o,
  output logic             watchdog_o,
  output logic             notify_o,
  output logic             busy_o
);

  typedef enum logic [2:0] {
    Idle,
    Invalidate,
    Run,
    Recover,
    Report
  } state_e;

  state_e           state_q;
  cpe_pkg::launch_t launch_q;
  logic [7:0]       owner_q;
  logic [31:0]      started_q, ended_q, cycles_q, waited_q;
  logic             notify_q, failed_q, flushed_q, watchdog_q, kill_q, held_q;
  logic [3:0]       doomed_q;
  logic [N-1:0]     pending_q, lost_q;
  logic [Rows-1:0]  rows_q;
  logic             all_q;

  // ---------------------------------------------------------------------------------------------------------- start

  logic        doomed, go, bad, empty, other;
  logic [31:0] usable;
  assign usable = 32'(usable_i);
  assign doomed = doomed_q != '0;
  assign go     = state_q == Idle && head_valid_i && (doomed || !held_q);
  assign bad    = doomed || (head_i.mask & ~usable) != '0;
  assign empty  = head_i.mask == '0;
  assign other  = head_i.code_segment != launch_q.code_segment || owner_i != owner_q;
  assign pop_o  = go;

  // ------------------------------------------------------------------------------------------------------------ run

  logic         running, too_long, whole_launch;
  logic [N-1:0] taken, through, gone, lost, unfinished;
  assign running    = state_q == Run;
  assign taken      = launch_valid_o & launch_ready_i;
  assign through    = lost_q | (~pending_q & finished_i);
  assign unfinished = running ? active_o & ~through : '0;

  assign too_long     = watchdog_i != '0 && cycles_q >= watchdog_i;
  assign whole_launch = running && (too_long || kill_q);
  assign gone         = unfinished & ~enable_i;
  assign record_o     = whole_launch ? unfinished & ~fault_i : gone & ~fault_i;
  assign lost         = record_o | (unfinished & ((fault_i & in_launch_o) | (pending_q & ~usable_i)));

  assign in_launch_o       = unfinished & ~pending_q;
  assign taken_o           = taken;
  assign record_watchdog_o = whole_launch && too_long;
  assign stop_o            = running && all_q && lost_q != '0 ? active_o : record_o;

  // ---------------------------------------------------------------------------------------------------------- state

  logic good_end, recovered;
  assign good_end  = running && all_q && lost_q == '0;
  assign recovered = (active_o & restarting_i) == '0;
  assign end_o     = good_end || state_q == Report;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q    <= Idle;
      launch_q   <= '0;
      owner_q    <= '0;
      started_q  <= '0;
      ended_q    <= '0;
      cycles_q   <= '0;
      waited_q   <= '0;
      notify_q   <= 1'b0;
      failed_q   <= 1'b0;
      flushed_q  <= 1'b0;
      watchdog_q <= 1'b0;
      kill_q     <= 1'b0;
      held_q     <= 1'b0;
      doomed_q   <= '0;
      pending_q  <= '0;
      lost_q     <= '0;
      rows_q     <= '0;
      all_q      <= 1'b0;
    end else begin
      unique case (state_q)
        Idle: begin
          if (go) begin
            started_q  <= started_q + 1'b1;
            waited_q   <= waited_i;
            notify_q   <= notify_i;
            cycles_q   <= '0;
            failed_q   <= bad;
            flushed_q  <= doomed;
            watchdog_q <= 1'b0;
            kill_q     <= 1'b0;
            lost_q     <= '0;
            rows_q     <= '0;
            all_q      <= 1'b0;
            state_q    <= Report;
            if (!bad && !empty) begin
              state_q   <= other ? Invalidate : Run;
              launch_q  <= head_i;
              owner_q   <= owner_i;
              pending_q <= N'(head_i.mask);
            end
          end
        end
        Invalidate: state_q <= Run;
        Run: begin
          if (!all_q && cycles_q != '1) cycles_q <= cycles_q + 1'b1;
          for (int unsigned r = 0; r < Rows; r++) begin
            rows_q[r] <= (unfinished[r*Columns +: Columns]) == '0;
          end
          all_q     <= &rows_q;
          pending_q <= pending_q & ~taken & ~lost;
          lost_q    <= lost_q | lost;
          if (whole_launch && unfinished != '0) watchdog_q <= watchdog_q || too_long;
          if (all_q) begin
            failed_q <= lost_q != '0;
            state_q  <= lost_q != '0 ? Recover : Idle;
          end
        end
        Recover: if (recovered) state_q <= Report;
        default: state_q <= Idle;
      endcase

      if (kill_i && (state_q == Invalidate || state_q == Run)) kill_q <= 1'b1;
      if (end_o) begin
        ended_q <= started_q;
        if (failed_q && !flushed_q && hold_i) held_q <= 1'b1;
      end
      if (resume_i) held_q <= 1'b0;
      if (flush_i) doomed_q <= count_i - 4'(go);
      else if (go && doomed) doomed_q <= doomed_q - 1'b1;
    end
  end

  assign launch_valid_o    = running ? pending_q & alive_i : '0;
  assign launch_o          = launch_q;
  assign owner_o           = owner_q;
  assign active_o          = state_q == Run || state_q == Recover ? N'(launch_q.mask) : '0;
  assign code_invalidate_o = state_q == Invalidate;
  assign running_o         = state_q != Idle;
  assign held_o            = held_q;
  assign unfinished_o      = unfinished;
  assign ended_o           = ended_q;
  assign sequence_o        = started_q;
  assign cycles_o          = cycles_q;
  assign waited_o          = waited_q;
  assign failed_o          = !good_end && failed_q;
  assign watchdog_o        = watchdog_q;
  assign notify_o          = notify_q;
  assign busy_o            = state_q != Idle || (head_valid_i && (doomed || !held_q));

endmodule
