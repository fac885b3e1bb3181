// SPDX-License-Identifier: Apache-2.0
// Time for the channels: the slot's phases, when refreshes come due, and when the memory sleeps.
//
// After TIdle cycles without work no more refreshes come due (drain_o); when those under way have ended (quiet_i) the memory goes
// into self-refresh: sleep_o for one cycle, then awake_o is low and the clock may stop. A request wakes it, and
// after TXs time goes on.
module hbm_time (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       request_i,      // comes in this cycle
  input  logic       busy_i,
  input  logic       quiet_i,

  output logic [1:0] time_o,         // channel c is in phase (time - c) % 4
  output logic [3:0] refresh_due_o,  // by channel
  output logic       run_o,          // time goes on, requests may be taken
  output logic       drain_o,
  output logic       sleep_o,
  output logic       wake_o,         // the memory is told to wake up
  output logic       waking_o,
  output logic       awake_o
);

  typedef enum logic [1:0] {
    Run,
    Drain,
    Sleep,
    Wake
  } state_e;

  // Refreshes come due sixteen times in a tREFI, one channel after the other: every 61 slots and once 60.
  localparam int unsigned Turn = (hbm_pkg::SlotsRefi + 15) / 16;
  localparam int unsigned Last = hbm_pkg::SlotsRefi - 15 * Turn;
  // From the command to wake up to the first one that a request can lead to: three cycles more than spent in Wake.
  localparam int unsigned Waking = hbm_pkg::TXs - 3;

  localparam int unsigned IdleWidth = $clog2(hbm_pkg::TIdle);

  state_e               state_q;
  logic [IdleWidth-1:0] idle_q;    // cycles without work
  logic [7:0]           waking_q;  // cycles left
  logic [1:0]           time_q;
  logic [5:0]           slot_q;
  logic [3:0]           turn_q;
  logic                 wrap;

  assign time_o   = time_q;
  assign run_o    = state_q == Run || state_q == Drain;
  assign drain_o  = state_q == Drain;
  assign sleep_o  = state_q == Drain && !busy_i && !request_i && quiet_i;
  assign wake_o   = state_q == Sleep && request_i;
  assign waking_o = state_q == Wake;
  assign awake_o  = state_q != Sleep;
  assign wrap     = slot_q == 6'(turn_q == '1 ? Last - 1 : Turn - 1);

  always_comb begin
    for (int unsigned c = 0; c < 4; c++) begin
      refresh_due_o[c] = state_q == Run && time_q == 2'd3 && slot_q == 6'(15 * c);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q  <= Run;
      idle_q   <= '0;
      waking_q <= '0;
    end else begin
      unique case (state_q)
        Run: begin
          idle_q <= busy_i ? '0 : idle_q + 1'b1;
          if (!busy_i && idle_q == IdleWidth'(hbm_pkg::TIdle - 1)) state_q <= Drain;
        end
        Drain: begin
          idle_q <= '0;
          if (busy_i) state_q <= Run;
          else if (sleep_o) state_q <= Sleep;
        end
        Sleep: begin
          waking_q <= 8'(Waking);
          if (request_i) state_q <= Wake;
        end
        default: begin
          waking_q <= waking_q - 1'b1;
          if (waking_q == '0) state_q <= Run;
        end
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      time_q <= '0;
      slot_q <= '0;
      turn_q <= '0;
    end else if (run_o) begin
      time_q <= time_q + 1'b1;
      if (time_q == 2'd3) begin
        slot_q <= wrap ? '0 : slot_q + 1'b1;
        if (wrap) turn_q <= turn_q + 1'b1;
      end
    end
  end

endmodule
