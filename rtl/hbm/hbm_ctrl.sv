// SPDX-License-Identifier: Apache-2.0
// The HBM controller of a core group: a target of the ring in front, the memory's commands behind. See docs/hardware/hbm.md.
//
// Orders: requests to one line take effect in the order in which they were taken; others in any order. A write is answered
//   when it is taken (everything that comes later sees it), a read when its data is there. Responses come in any order.
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

  // ------------------------------------------------------------------------------------------------------------ time

  logic          in_valid, in_ready, run, drain, sleep, wake, waking, quiet;
  logic [1:0]    now;
  logic [3:0]    refresh_due;
  noc_pkg::req_t in;

  hbm_time u_time (
    .clk_i,
    .rst_ni,
    .request_i    (req_valid_i),
    .busy_i       (busy_o),
    .quiet_i      (quiet),
    .time_o       (now),
    .refresh_due_o(refresh_due),
    .run_o        (run),
    .drain_o      (drain),
    .sleep_o      (sleep),
    .wake_o       (wake),
    .waking_o     (waking),
    .awake_o
  );

  // ------------------------------------------------------------------------------------------------------- requests

  // What stands behind here sees nothing move while the clock stands.
  stream_spill #(
    .Width(noc_pkg::ReqWidth)
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

  logic [3:0]             full, push;
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
  logic [PlaceWidth-1:0]  amo_place;
  assign amo_place = {amo_channel, amo_slot[SlotWidth-1:0]};
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

  logic                  free, read_room, busy, do_read, do_write;
  logic [PlaceWidth-1:0] free_place, place;
  hbm_pkg::item_t        moved;

  hbm_channels #(
    .Depth(Depth)
  ) u_channels (
    .clk_i,
    .rst_ni,
    .time_i       (now),
    .refresh_due_i(refresh_due),
    .drain_i      (drain),
    .sleep_i      (sleep),
    .wake_i       (wake),
    .quiet_o      (quiet),
    .busy_o       (busy),
    .full_o       (full),
    .ask_slot_i   (in_valid ? 4'd1 << in_channel : 4'd0),
    .slots_o      (slots),
    .push_i       (push),
    .item_i       (item),
    .free_i       (free),
    .free_place_i (free_place),
    .amo_done_i   (amo_done),
    .amo_write_i  (amo_write),
    .amo_place_i  (amo_place),
    .read_room_i  (read_room),
    .read_o       (do_read),
    .write_o      (do_write),
    .place_o      (place),
    .item_o       (moved),
    .cmd_o,
    .hit_o        (events_o.hit),
    .act_o        (events_o.act),
    .conflict_o   (events_o.conflict),
    .refresh_o    (events_o.refresh)
  );

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
    .data_i (place),
    .valid_o(free),
    .data_o (free_place)
  );

  logic                  put;
  logic [PlaceWidth-1:0] put_place;
  logic [575:0]          put_data;
  assign put       = in_data || (amo_done && amo_write);
  assign put_place = amo_done ? amo_place : {in_channel, in_slot};
  always_comb begin
    put_data = {in_strb, in.data};
    if (amo_done) put_data = {amo_strb, {8{amo_result}}};
  end

  ram_1r1w #(
    .Depth(4 * Depth),
    .Width(576)
  ) u_write_data (
    .clk_i,
    .we_i(put),
    .waddr_i(put_place),
    .wdata_i(put_data),
    .re_i   (free),
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
    read.channel = place[SlotWidth +: 2];
    read.bank    = moved.bank;
    read.row     = moved.row;
    read.col     = moved.col;
    read.slot    = 6'(place[SlotWidth-1:0]);
  end

  hbm_delay #(
    .Width (hbm_pkg::ReadWidth),
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

  ram_1r1w #(
    .Depth(4 * Depth),
    .Width(64)
  ) u_operands (
    .clk_i,
    .we_i(in_data && item.amo),
    .waddr_i({in_channel, in_slot}),
    .wdata_i(in_operand),
    .re_i   (amo_read),
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
  always_ff @(posedge clk_i) begin
    if (!rst_ni) writing_q <= 1'b0;
    else writing_q <= free;
  end

  assign busy_o = in_valid || waking || busy || writing_q || return_busy || amo_busy;

  // --------------------------------------------------------------------------------------------------------- events

  assign events_o.read   = do_read;
  assign events_o.write  = do_write;
  assign events_o.atomic = in_data && item.amo;
  assign events_o.poison = rvalid_i && rpoison_i;
  always_comb begin
    poison_line_o = '0;
    if (events_o.poison) poison_line_o = hbm_pkg::line_of(back.channel, back.bank, back.row, back.col);
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (rvalid_i == back_valid) else $error("data of a read came at another time than expected");
      assert ($bits(read) == hbm_pkg::ReadWidth) else $error("hbm_pkg::ReadWidth is wrong");
      assert ($bits(item) == hbm_pkg::ItemWidth) else $error("hbm_pkg::ItemWidth is wrong");
    end
  end
`endif

endmodule
