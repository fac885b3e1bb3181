// SPDX-License-Identifier: Apache-2.0
// The four channels, one cycle apart: in each cycle one of them may open a row, and one may move a line and close a row. Their
// commands leave through one register.
module hbm_channels #(
  parameter  int unsigned Depth      = 64,
  localparam int unsigned SlotWidth  = $clog2(Depth),
  localparam int unsigned PlaceWidth = 2 + SlotWidth  // channel and slot: where a request's data lies
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  // Time
  input  logic [1:0]             time_i,
  input  logic [3:0]             refresh_due_i,
  input  logic                   drain_i,
  input  logic                   sleep_i,
  input  logic                   wake_i,
  output logic                   quiet_o,
  output logic                   busy_o,

  // Requests
  output logic [3:0]             full_o,
  input  logic [3:0]             ask_slot_i,
  output logic [4*SlotWidth-1:0] slots_o,
  input  logic [3:0]             push_i,
  input  hbm_pkg::item_t         item_i,
  input  logic                   free_i,
  input  logic [PlaceWidth-1:0]  free_place_i,
  input  logic                   amo_done_i,
  input  logic                   amo_write_i,
  input  logic [PlaceWidth-1:0]  amo_place_i,
  input  logic                   read_room_i,

  // What moves: chosen now, its command is at the pins in the next cycle
  output logic                   read_o,
  output logic                   write_o,
  output logic [PlaceWidth-1:0]  place_o,
  output hbm_pkg::item_t         item_o,

  output hbm_pkg::cmd_t          cmd_o,
  output logic                   hit_o,       // for counters
  output logic                   act_o,
  output logic                   conflict_o,
  output logic                   refresh_o
);

  localparam int unsigned ItemWidth = hbm_pkg::ItemWidth;

  logic [1:0] row_channel, col_channel;
  assign row_channel = time_i;
  assign col_channel = time_i - 2'd2;

  logic [3:0]             quiet, busy, act, refresh, pre, conflict, col, col_write, col_hit;
  logic [4*4-1:0]         row_banks, pre_banks;
  logic [4*18-1:0]        rows;
  logic [4*SlotWidth-1:0] col_slots;
  logic [4*ItemWidth-1:0] col_items;

  for (genvar c = 0; c < 4; c++) begin : g_channel
    hbm_channel #(
      .Depth(Depth)
    ) u_channel (
      .clk_i,
      .rst_ni,
      .phase_i      (time_i - 2'(c)),
      .refresh_due_i(refresh_due_i[c]),
      .drain_i,
      .sleep_i,
      .quiet_o      (quiet[c]),
      .full_o       (full_o[c]),
      .ask_slot_i   (ask_slot_i[c]),
      .slot_o       (slots_o[SlotWidth*c +: SlotWidth]),
      .push_i       (push_i[c]),
      .item_i,
      .free_i       (free_i && free_place_i[SlotWidth +: 2] == 2'(c)),
      .free_slot_i  (free_place_i[SlotWidth-1:0]),
      .amo_done_i   (amo_done_i && amo_place_i[SlotWidth +: 2] == 2'(c)),
      .amo_write_i,
      .amo_slot_i   (amo_place_i[SlotWidth-1:0]),
      .read_room_i,
      .busy_o       (busy[c]),
      .act_o        (act[c]),
      .refresh_o    (refresh[c]),
      .row_bank_o   (row_banks[4*c +: 4]),
      .row_o        (rows[18*c +: 18]),
      .pre_o        (pre[c]),
      .conflict_o   (conflict[c]),
      .pre_bank_o   (pre_banks[4*c +: 4]),
      .col_o        (col[c]),
      .col_write_o  (col_write[c]),
      .col_hit_o    (col_hit[c]),
      .col_slot_o   (col_slots[SlotWidth*c +: SlotWidth]),
      .col_item_o   (col_items[ItemWidth*c +: ItemWidth])
    );
  end

  assign quiet_o    = quiet == '1;
  assign busy_o     = busy != '0;
  assign item_o     = col_items[ItemWidth*col_channel +: ItemWidth];
  assign place_o    = {col_channel, col_slots[SlotWidth*col_channel +: SlotWidth]};
  assign read_o     = col != '0 && !col_write[col_channel];
  assign write_o    = col != '0 && col_write[col_channel];
  assign hit_o      = col_hit != '0;
  assign act_o      = act != '0;
  assign conflict_o = conflict != '0;
  assign refresh_o  = refresh != '0;

  hbm_pkg::cmd_t cmd_q;
  assign cmd_o = cmd_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      cmd_q <= '0;
    end else begin
      cmd_q.sleep   <= sleep_i;
      cmd_q.wake    <= wake_i;
      cmd_q.act     <= act_o;
      cmd_q.refresh <= refresh_o;
      cmd_q.pre     <= pre != '0;
      cmd_q.col     <= col != '0;
      if (act_o || refresh_o) begin
        cmd_q.row_channel <= row_channel;
        cmd_q.row_bank    <= row_banks[4*row_channel +: 4];
        cmd_q.row         <= rows[18*row_channel +: 18];
      end
      if (pre != '0 || col != '0) begin
        cmd_q.col_channel <= col_channel;
        cmd_q.pre_bank    <= pre_banks[4*col_channel +: 4];
        cmd_q.write       <= write_o;
        cmd_q.col_bank    <= item_o.bank;
        cmd_q.col_col     <= item_o.col;
      end
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert ((act | refresh) == '0 || (act | refresh) == 4'b1 << row_channel) else $error("a row command out of phase");
      assert ((col | pre) == '0 || (col | pre) == 4'b1 << col_channel) else $error("a line was moved out of phase");
    end
  end
`endif

endmodule
