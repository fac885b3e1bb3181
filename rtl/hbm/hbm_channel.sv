// SPDX-License-Identifier: Apache-2.0
// One pseudo-channel: its queue, its banks, its refreshes. In phase 0 of a slot it opens a row or refreshes a bank, in phase 1
// it plans, in phase 2 it moves a line and closes a row, in phase 3 the slot ends. Requests come in any phase.
module hbm_channel #(
  parameter  int unsigned Depth     = 64,
  localparam int unsigned SlotWidth = $clog2(Depth)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic [1:0]           phase_i,
  input  logic                 refresh_due_i,
  input  logic                 drain_i,      // choose no more banks for refresh
  input  logic                 sleep_i,      // close all; the memory refreshes itself from now on
  output logic                 quiet_o,      // nothing is under way that the memory would have to end

  output logic                 full_o,
  input  logic                 ask_slot_i,
  output logic [SlotWidth-1:0] slot_o,
  input  logic                 push_i,
  input  hbm_pkg::item_t       item_i,
  input  logic                 free_i,
  input  logic [SlotWidth-1:0] free_slot_i,
  input  logic                 amo_done_i,
  input  logic                 amo_write_i,
  input  logic [SlotWidth-1:0] amo_slot_i,
  input  logic                 read_room_i,  // there is room for the data of a read
  output logic                 busy_o,

  // In phase 0
  output logic                 act_o,
  output logic                 refresh_o,
  output logic [3:0]           row_bank_o,
  output logic [17:0]          row_o,
  // In phase 2
  output logic                 pre_o,
  output logic                 conflict_o,   // for another row, and not for a refresh
  output logic [3:0]           pre_bank_o,
  output logic                 col_o,
  output logic                 col_write_o,
  output logic                 col_hit_o,
  output logic [SlotWidth-1:0] col_slot_o,
  output hbm_pkg::item_t       col_item_o
);

  logic        waiting, active, lock, ask_used, read_ok, write_ok, refreshing;
  logic [3:0]  lock_bank, act_bank;
  logic [15:0] used, open, opening, act_ready, pre_ready;

  assign refresh_o  = phase_i == 2'd0 && lock && act_ready[lock_bank];
  assign row_bank_o = refresh_o ? lock_bank : act_bank;
  assign quiet_o    = !lock && !refreshing && !active;
  assign conflict_o = pre_o && !(lock && pre_bank_o == lock_bank);

  hbm_queue #(
    .Depth(Depth)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .full_o,
    .ask_slot_i,
    .slot_o,
    .push_i,
    .item_i,
    .free_i,
    .free_slot_i,
    .amo_done_i,
    .amo_write_i,
    .amo_slot_i,
    .waiting_o  (waiting),
    .busy_o,
    .ask_used_i (ask_used),
    .used_o     (used),
    .open_i     (open),
    .opening_i  (opening),
    .act_ready_i(act_ready),
    .pre_ready_i(pre_ready),
    .read_ok_i  (read_ok && read_room_i),
    .write_ok_i (write_ok),
    .lock_i     (lock),
    .lock_bank_i(lock_bank),
    .plan_i     (phase_i == 2'd1 && waiting),
    .pick_act_i (phase_i == 2'd0 && waiting && !refresh_o),
    .act_o,
    .act_bank_o (act_bank),
    .act_row_o  (row_o),
    .pick_col_i (phase_i == 2'd2 && (waiting || lock)),
    .col_o,
    .col_write_o,
    .col_hit_o,
    .col_slot_o,
    .col_item_o,
    .pre_o,
    .pre_bank_o
  );

  hbm_banks u_banks (
    .clk_i,
    .rst_ni,
    .shift_i       (phase_i == 2'd3 && active),
    .close_i       (sleep_i),
    .act_i         (act_o),
    .act_bank_i    (act_bank),
    .refresh_i     (refresh_o),
    .refresh_bank_i(lock_bank),
    .pre_i         (pre_o),
    .pre_bank_i    (pre_bank_o),
    .read_i        (col_o && !col_write_o),
    .write_i       (col_o && col_write_o),
    .col_bank_i    (col_item_o.bank),
    .open_o        (open),
    .opening_o     (opening),
    .act_ready_o   (act_ready),
    .pre_ready_o   (pre_ready),
    .read_ok_o     (read_ok),
    .write_ok_o    (write_ok),
    .refreshing_o  (refreshing),
    .active_o      (active)
  );

  hbm_refresh u_refresh (
    .clk_i,
    .rst_ni,
    .due_i      (refresh_due_i),
    .plan_i     (phase_i == 2'd1 && !refreshing && !drain_i),
    .restart_i  (sleep_i),
    .ask_o      (ask_used),
    .used_i     (used),
    .lock_o     (lock),
    .bank_o     (lock_bank),
    .refreshed_i(refresh_o)
  );

endmodule
