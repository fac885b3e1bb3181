// The HBM controller of a core group: a target of the ring in front, the memory's commands behind. See docs/hbm.md.
//
// Orders: requests to one line take effect in the order in which they were taken; others in any order. A write is answered
//   when it is taken (everything that comes later sees it), a read when its data is there. Responses come in any order.
// The four pseudo-channels run one cycle apart, so that in each cycle one of them may move a line and one may open a row.
// Without work for TIdle cycles it puts the memory into self-refresh; awake_o is low then, and the clock may stop until
//   req_valid_i. Waking up takes TXs.
// Cuts: everything.
// Illegal: LinesLog2 above 28 or below 10, Depth other than a power of two up to 64, Reads other than a power of two.
module hbm_ctrl #(
  parameter int unsigned LinesLog2 = hbm_pkg::LineWidth,
  parameter int unsigned Depth     = 64,
  parameter int unsigned Reads     = 32
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             req_valid_i,
  output logic             req_ready_o,
  input  noc_pkg::req_t    req_i,
  output logic             rsp_valid_o,
  input  logic             rsp_ready_i,
  output noc_pkg::rsp_t    rsp_o,

  output hbm_pkg::cmd_t    cmd_o,
  output logic [511:0]     wdata_o,
  output logic [63:0]      wstrb_o,
  input  logic             rvalid_i,
  input  logic [511:0]     rdata_i,
  input  logic             rpoison_i,

  output hbm_pkg::events_t events_o,
  output logic [27:0]      poison_line_o,  // with events_o.poison
  output logic             busy_o,
  output logic             awake_o
);

  localparam int unsigned SlotWidth = $clog2(Depth);
  localparam int unsigned PlaceWidth = 2 + SlotWidth;  // channel and slot

  // ----------------------------------------------------------------------------------------------------------- sleep

  typedef enum logic [1:0] {
    Run,
    Drain,   // refreshes under way come to their end
    Sleep,
    Wake     // the memory leaves self-refresh
  } state_e;

  state_e                   state_q;
  logic [$clog2(hbm_pkg::TIdle+1)-1:0] idle_q;   // cycles without work
  logic [7:0]               waking_q; // cycles left
  logic                     run, sleep, in_valid, in_ready;
  noc_pkg::req_t            in;
  logic [3:0]               quiet;

  assign run     = state_q == Run || state_q == Drain;
  assign sleep   = state_q == Drain && !in_valid && !req_valid_i && quiet == '1;
  assign awake_o = state_q != Sleep;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q  <= Run;
      idle_q   <= '0;
      waking_q <= '0;
    end else begin
      unique case (state_q)
        Run: begin
          idle_q <= busy_o ? '0 : idle_q + 1'b1;
          if (!busy_o && idle_q == ($clog2(hbm_pkg::TIdle+1))'(hbm_pkg::TIdle - 1)) state_q <= Drain;
        end
        Drain: begin
          idle_q <= '0;
          if (in_valid) state_q <= Run;
          else if (sleep) state_q <= Sleep;
        end
        Sleep: begin
          waking_q <= 8'(hbm_pkg::TXs - 3);
          if (req_valid_i) state_q <= Wake;
        end
        default: begin
          waking_q <= waking_q - 1'b1;
          if (waking_q == '0) state_q <= Run;
        end
      endcase
    end
  end

  // What stands behind here sees nothing move while the clock stands.
  stream_spill #(
    .Width($bits(noc_pkg::req_t))
  ) u_in (
    .clk_i,
    .rst_ni,
    .in_valid_i (req_valid_i),
    .in_ready_o (req_ready_o),
    .in_data_i  (req_i),
    .out_valid_o(in_valid),
    .out_ready_i(in_ready),
    .out_data_o (in)
  );

  // ------------------------------------------------------------------------------------------------------------ time

  // Channel c is in phase (time - c) % 4.
  logic [1:0] time_q, row_channel, col_channel;
  assign row_channel = time_q;
  assign col_channel = time_q - 2'd2;

  // Refreshes come due sixteen times in a tREFI, one channel after the other: every 61 slots and once 60.
  localparam int unsigned Turn = (hbm_pkg::SlotsRefi + 15) / 16;
  localparam int unsigned Last = hbm_pkg::SlotsRefi - 15 * Turn;
  logic [5:0] refresh_slot_q;
  logic [3:0] refresh_turn_q;
  logic       refresh_wrap;
  logic [3:0] refresh_due;
  assign refresh_wrap = refresh_slot_q == 6'(refresh_turn_q == '1 ? Last - 1 : Turn - 1);
  always_comb begin
    for (int unsigned c = 0; c < 4; c++) refresh_due[c] = state_q == Run && time_q == 2'd3 && refresh_slot_q == 6'(15 * c);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      time_q         <= '0;
      refresh_slot_q <= '0;
      refresh_turn_q <= '0;
    end else if (run) begin
      time_q <= time_q + 1'b1;
      if (time_q == 2'd3) begin
        refresh_slot_q <= refresh_wrap ? '0 : refresh_slot_q + 1'b1;
        if (refresh_wrap) refresh_turn_q <= refresh_turn_q + 1'b1;
      end
    end
  end

  // ------------------------------------------------------------------------------------------------------- requests

  logic [3:0]             full, push, busy;
  logic [4*SlotWidth-1:0] slots;
  logic [1:0]             in_channel;
  logic [SlotWidth-1:0]   in_slot;
  hbm_pkg::item_t         item;
  logic                   in_data;
  logic [63:0]            in_strb;
  logic                   ack_valid, ack_ready, ack_sc, ack_word, ack_fail;
  logic [2:0]             ack_source;
  logic [7:0]             ack_tag;
  logic [1:0]             ack_status;

  logic                   amo_done, amo_write, amo_busy;
  logic [1:0]             amo_channel;
  logic [5:0]             amo_slot;
  logic [63:0]            amo_result, amo_strb;

  hbm_front #(
    .Lines(2 ** LinesLog2),
    .Depth(Depth)
  ) u_front (
    .clk_i,
    .rst_ni,
    .req_valid_i (in_valid),
    .req_ready_o (in_ready),
    .req_i       (in),
    .stall_i     (amo_done || !run),
    .full_i      (full),
    .slots_i     (slots),
    .push_o      (push),
    .channel_o   (in_channel),
    .slot_o      (in_slot),
    .item_o      (item),
    .data_o      (in_data),
    .strb_o      (in_strb),
    .ack_valid_o (ack_valid),
    .ack_ready_i (ack_ready),
    .ack_source_o(ack_source),
    .ack_tag_o   (ack_tag),
    .ack_status_o(ack_status),
    .ack_sc_o    (ack_sc),
    .ack_word_o  (ack_word),
    .ack_fail_o  (ack_fail)
  );

  // ------------------------------------------------------------------------------------------------------- channels

  logic                 free;
  logic [PlaceWidth-1:0] free_place;
  logic                 read_room;

  logic [3:0]           act, refresh, pre, conflict, col, col_write, col_hit;
  logic [3:0]           row_bank [4];
  logic [17:0]          row      [4];
  logic [3:0]           pre_bank [4];
  logic [SlotWidth-1:0] col_slot [4];
  hbm_pkg::item_t       col_item [4];

  for (genvar c = 0; c < 4; c++) begin : g_channel
    hbm_channel #(
      .Depth(Depth)
    ) u_channel (
      .clk_i,
      .rst_ni,
      .phase_i      (time_q - 2'(c)),
      .refresh_due_i(refresh_due[c]),
      .drain_i      (state_q == Drain),
      .sleep_i      (sleep),
      .quiet_o      (quiet[c]),
      .full_o       (full[c]),
      .slot_o       (slots[SlotWidth*c +: SlotWidth]),
      .push_i       (push[c]),
      .item_i       (item),
      .free_i       (free && free_place[SlotWidth +: 2] == 2'(c)),
      .free_slot_i  (free_place[SlotWidth-1:0]),
      .amo_done_i   (amo_done && amo_channel == 2'(c)),
      .amo_write_i  (amo_write),
      .amo_slot_i   (amo_slot[SlotWidth-1:0]),
      .read_room_i  (read_room),
      .busy_o       (busy[c]),
      .act_o        (act[c]),
      .refresh_o    (refresh[c]),
      .row_bank_o   (row_bank[c]),
      .row_o        (row[c]),
      .pre_o        (pre[c]),
      .conflict_o   (conflict[c]),
      .pre_bank_o   (pre_bank[c]),
      .col_o        (col[c]),
      .col_write_o  (col_write[c]),
      .col_hit_o    (col_hit[c]),
      .col_slot_o   (col_slot[c]),
      .col_item_o   (col_item[c])
    );
  end

  // ------------------------------------------------------------------------------------------------------- commands

  hbm_pkg::cmd_t  cmd_q;
  hbm_pkg::item_t moved;
  logic           do_col, do_read, do_write;
  assign moved    = col_item[col_channel];
  assign do_col   = col[col_channel];
  assign do_write = do_col && col_write[col_channel];
  assign do_read  = do_col && !col_write[col_channel];
  assign cmd_o    = cmd_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cmd_q <= '0;
    end else begin
      cmd_q.sleep   <= sleep;
      cmd_q.wake    <= state_q == Sleep && req_valid_i;
      cmd_q.act     <= act[row_channel];
      cmd_q.refresh <= refresh[row_channel];
      cmd_q.pre     <= pre[col_channel];
      cmd_q.col     <= do_col;
      if (act[row_channel] || refresh[row_channel]) begin
        cmd_q.row_channel <= row_channel;
        cmd_q.row_bank    <= row_bank[row_channel];
        cmd_q.row         <= row[row_channel];
      end
      if (pre[col_channel] || do_col) begin
        cmd_q.col_channel <= col_channel;
        cmd_q.pre_bank    <= pre_bank[col_channel];
        cmd_q.write       <= do_write;
        cmd_q.col_bank    <= moved.bank;
        cmd_q.col_col     <= moved.col;
      end
    end
  end

  // ----------------------------------------------------------------------------------------------------- write data

  // What came with a write or an atomic lies at the place of its request. Data goes out TWl after the command, which is one
  // cycle after the choice; it is read one cycle before.
  logic [511:0] out_data;
  logic [63:0]  out_strb;
  assign wdata_o = out_data;
  assign wstrb_o = out_strb;

  hbm_delay #(
    .Width (PlaceWidth),
    .Cycles(hbm_pkg::TWl)
  ) u_write_places (
    .clk_i,
    .rst_ni,
    .valid_i(do_write),
    .data_i ({col_channel, col_slot[col_channel]}),
    .valid_o(free),
    .data_o (free_place)
  );

  logic                  put;
  logic [PlaceWidth-1:0] put_place;
  logic [575:0]          put_data;
  assign put       = in_data || (amo_done && amo_write);
  assign put_place = amo_done ? {amo_channel, amo_slot[SlotWidth-1:0]} : {in_channel, in_slot};
  always_comb begin
    put_data = {in_strb, in.data};
    if (amo_done) put_data = {amo_strb, {8{amo_result}}};
  end

  hbm_ram #(
    .Depth(4 * Depth),
    .Width(576)
  ) u_write_data (
    .clk_i,
    .write_i(put),
    .waddr_i(put_place),
    .wdata_i(put_data),
    .read_i (free),
    .raddr_i(free_place),
    .rdata_o({out_strb, out_data})
  );

  // ------------------------------------------------------------------------------------------------ reads and atomics

  hbm_pkg::read_t read, back;
  logic           back_valid, amo_read;
  logic [63:0]    in_operand, operand;

  always_comb begin
    read.amo     = moved.amo;
    read.op      = moved.op;
    read.is_word = moved.is_word;
    read.offset  = moved.offset;
    read.source  = moved.source;
    read.tag     = moved.tag;
    read.channel = col_channel;
    read.bank    = moved.bank;
    read.row     = moved.row;
    read.col     = moved.col;
    read.slot    = 6'(col_slot[col_channel]);
  end

  hbm_delay #(
    .Width ($bits(hbm_pkg::read_t)),
    .Cycles(1 + hbm_pkg::TCl + hbm_pkg::TBurst)
  ) u_reads (
    .clk_i,
    .rst_ni,
    .valid_i(do_read),
    .data_i (read),
    .valid_o(back_valid),
    .data_o (back)
  );

  assign amo_read = back_valid && back.amo;
  always_comb begin
    in_operand = '0;
    if (in_data && item.amo) in_operand = in.data[64*item.offset[3:1] +: 64];
  end

  hbm_ram #(
    .Depth(4 * Depth),
    .Width(64)
  ) u_operands (
    .clk_i,
    .write_i(in_data && item.amo),
    .waddr_i({in_channel, in_slot}),
    .wdata_i(in_operand),
    .read_i (amo_read),
    .raddr_i({back.channel, back.slot[SlotWidth-1:0]}),
    .rdata_o(operand)
  );

  hbm_amo u_amo (
    .clk_i,
    .rst_ni,
    .valid_i  (amo_read),
    .read_i   (back),
    .data_i   (rdata_i),
    .poison_i (rpoison_i),
    .operand_i(operand),
    .valid_o  (amo_done),
    .write_o  (amo_write),
    .channel_o(amo_channel),
    .slot_o   (amo_slot),
    .data_o   (amo_result),
    .strb_o   (amo_strb),
    .busy_o   (amo_busy)
  );

  logic return_busy;
  hbm_return #(
    .Reads(Reads)
  ) u_return (
    .clk_i,
    .rst_ni,
    .read_room_o  (read_room),
    .read_start_i (do_read),
    .data_valid_i (rvalid_i),
    .data_source_i(back.source),
    .data_tag_i   (back.tag),
    .data_poison_i(rpoison_i),
    .data_i       (rdata_i),
    .ack_valid_i  (ack_valid),
    .ack_ready_o  (ack_ready),
    .ack_source_i (ack_source),
    .ack_tag_i    (ack_tag),
    .ack_status_i (ack_status),
    .ack_sc_i     (ack_sc),
    .ack_word_i   (ack_word),
    .ack_fail_i   (ack_fail),
    .rsp_valid_o,
    .rsp_ready_i,
    .rsp_o,
    .busy_o       (return_busy)
  );

  // A write leaves its channel one cycle before it leaves the controller.
  logic writing_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) writing_q <= 1'b0;
    else writing_q <= free;
  end

  assign busy_o = in_valid || state_q == Wake || busy != '0 || writing_q || return_busy || amo_busy;

  // --------------------------------------------------------------------------------------------------------- events

  always_comb begin
    events_o.read     = do_read;
    events_o.write    = do_write;
    events_o.hit      = col_hit[col_channel];
    events_o.act      = act[row_channel];
    events_o.conflict = conflict[col_channel];
    events_o.refresh  = refresh[row_channel];
    events_o.atomic   = in_data && item.amo;
    events_o.poison   = rvalid_i && rpoison_i;
    poison_line_o     = '0;
    if (events_o.poison) poison_line_o = hbm_pkg::line_of(back.channel, back.bank, back.row, back.col);
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (rvalid_i == back_valid) else $error("data of a read came at another time than expected");
      assert (act == '0 || act == 4'b1 << row_channel) else $error("a row was opened out of phase");
      assert (col == '0 || col == 4'b1 << col_channel) else $error("a line was moved out of phase");
    end
  end
`endif

endmodule
