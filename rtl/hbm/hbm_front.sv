// SPDX-License-Identifier: Apache-2.0
// Where requests enter the HBM controller and get their place in the order: decides what each one is, answers at once what
// needs no data from the memory, and hands the others to the channel of their line.
//
// Orders: this is the point where requests are ordered. A write is answered here: whatever comes later sees it. LR and SC are
//   decided here too: as requests to one line take effect in the order in which they came, an SC succeeds when no write to
//   the line came since the LR of its source. A reservation is on one line; every SC of its source, and writes and
//   atomics to the line by anybody (a write without strobes, too), end it.
// Refuses (StatusDenied): unknown operations, reads of more than a line, LR, SC and atomics of other than 4 or 8 aligned
//   bytes. StatusNobody: addresses beyond Lines. Nothing happens then, except that an SC ends the reservation.
module hbm_front #(
  parameter  int unsigned Lines     = 2 ** hbm_pkg::LineWidth,
  parameter  int unsigned Depth     = 64,
  localparam int unsigned SlotWidth = $clog2(Depth)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   req_valid_i,
  output logic                   req_ready_o,
  input  noc_pkg::req_t          req_i,        // of its address, only the offset in the group counts

  input  logic                   stall_i,
  input  logic [3:0]             full_i,       // channels
  input  logic [4*SlotWidth-1:0] slots_i,
  output logic [3:0]             push_o,
  output logic [1:0]             channel_o,
  output logic [SlotWidth-1:0]   slot_o,
  output hbm_pkg::item_t         item_o,
  output logic                   data_o,       // it carries data or an operand,
  output logic [63:0]            strb_o,       // with these strobes

  // Answers
  output logic                   ack_valid_o,
  input  logic                   ack_ready_i,
  output logic [2:0]             ack_source_o,
  output logic [7:0]             ack_tag_o,
  output logic [1:0]             ack_status_o,
  output logic                   ack_sc_o,     // the answer is that of an SC
  output logic                   ack_word_o,   // on a word
  output logic                   ack_fail_o
);

  logic [27:0] line;
  logic        in_range, aligned, known, legal, is_word;
  logic        is_write, is_lr, is_sc, is_amo, sc_success, enters, answers, take;

  logic [7:0]  reserved_q;
  logic [27:0] reserved_line_q [8];

  assign line    = req_i.addr[33:6];
  assign is_word = req_i.size == 3'd2;

  always_comb begin
    is_write   = req_i.op == mbus_pkg::OpWrite;
    is_lr      = req_i.op == mbus_pkg::OpLr;
    is_sc      = req_i.op == mbus_pkg::OpSc;
    is_amo     = req_i.op >= mbus_pkg::OpSwap && req_i.op <= mbus_pkg::OpMaxu;
    in_range   = {4'b0, line} < Lines;
    aligned    = is_word ? req_i.addr[1:0] == '0 : req_i.size == 3'd3 && req_i.addr[2:0] == '0;
    known      = req_i.op <= mbus_pkg::OpMaxu && (is_write || (req_i.op == mbus_pkg::OpRead ? req_i.size != 3'd7 : aligned));
    legal      = in_range && known;
    sc_success = reserved_q[req_i.source] && reserved_line_q[req_i.source] == line;
    enters     = legal && (is_write ? req_i.strb != '0 : !is_sc || sc_success);
    answers    = !legal || is_write || is_sc;
  end

  assign channel_o   = hbm_pkg::channel_of(line);
  assign slot_o      = slots_i[SlotWidth*channel_o +: SlotWidth];
  assign req_ready_o = !stall_i && !(enters && full_i[channel_o]) && (!answers || ack_ready_i);
  assign take        = req_valid_i && req_ready_o;

  always_comb begin
    push_o         = '0;
    item_o         = '0;
    strb_o         = '0;
    if (take && enters) begin
      push_o[channel_o] = 1'b1;
      item_o.write      = is_write || is_sc;
      item_o.amo        = is_amo;
      item_o.op         = req_i.op;
      item_o.is_word    = is_word;
      item_o.offset     = req_i.addr[5:2];
      item_o.source     = req_i.source;
      item_o.tag        = req_i.tag;
      item_o.bank       = hbm_pkg::bank_of(line);
      item_o.row        = hbm_pkg::row_of(line);
      item_o.col        = hbm_pkg::col_of(line);
      strb_o            = is_write ? req_i.strb : (is_word ? 64'h0f : 64'hff) << req_i.addr[5:0];
    end
  end

  assign data_o       = take && enters && (is_write || is_sc || is_amo);
  assign ack_valid_o  = req_valid_i && answers && !stall_i && !(enters && full_i[channel_o]);
  assign ack_source_o = req_i.source;
  assign ack_tag_o    = req_i.tag;
  assign ack_status_o = legal ? noc_pkg::StatusOk : in_range ? noc_pkg::StatusDenied : noc_pkg::StatusNobody;
  assign ack_sc_o     = is_sc;
  assign ack_word_o   = is_word;
  assign ack_fail_o   = !sc_success;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      reserved_q <= '0;
    end else if (take) begin
      if (reserved_q != '0 && legal && (is_write || is_amo || (is_sc && sc_success))) begin
        for (int unsigned s = 0; s < 8; s++) begin
          if (reserved_line_q[s] == line) reserved_q[s] <= 1'b0;
        end
      end
      if (is_sc) reserved_q[req_i.source] <= 1'b0;
      if (legal && is_lr) reserved_q[req_i.source] <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take && legal && is_lr) reserved_line_q[req_i.source] <= line;
  end

endmodule
