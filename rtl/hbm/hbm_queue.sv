// SPDX-License-Identifier: Apache-2.0
// The requests that wait in a pseudo-channel, and the choice among them: which row to open, which to close, which line to move.
//
// Orders: requests to one line go in the order in which they came (a chain: each is blocked until the one before it has
//   gone). All others may pass each other.
// Choice: requests are served in batches. When the last one of a batch has gone, all that wait form the next one. Requests of
//   the batch go before others; among them whoever is ready goes first, and all of one direction before the other, so that
//   the data bus turns around twice per batch. Younger requests fill the slots that the batch leaves empty, but never in a
//   bank in which the batch needs another row. While reads wait, writes stay out of a batch until there are FewWrites, but not
//   out of more than three batches running, and only while no request is blocked. That bounds how long anybody waits.
// Atomics go twice: as a read, then they are blocked until amo_done_i, then as a write (amo_write_i) or not at all.
// A slot of a write is free again when its data has been read (free_i).
module hbm_queue #(
  parameter  int unsigned Depth     = 64,  // a power of two, at most 64
  parameter  int unsigned FewWrites = Depth / 4,
  localparam int unsigned SlotWidth = $clog2(Depth)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  output logic                 full_o,
  input  logic                 ask_slot_i,  // slot_o is looked at in this cycle
  output logic [SlotWidth-1:0] slot_o,      // where the next one goes
  input  logic                 push_i,
  input  hbm_pkg::item_t       item_i,
  input  logic                 free_i,
  input  logic [SlotWidth-1:0] free_slot_i,
  input  logic                 amo_done_i,
  input  logic                 amo_write_i,
  input  logic [SlotWidth-1:0] amo_slot_i,
  output logic                 waiting_o,   // a request waits here
  output logic                 busy_o,      // or its data has not gone yet

  input  logic                 ask_used_i,
  output logic [15:0]          used_o,      // banks that something waits for

  // What the timings allow
  input  logic [15:0]          open_i,
  input  logic [15:0]          opening_i,
  input  logic [15:0]          act_ready_i,
  input  logic [15:0]          pre_ready_i,
  input  logic                 read_ok_i,
  input  logic                 write_ok_i,
  input  logic                 lock_i,      // this bank is kept for a refresh
  input  logic [3:0]           lock_bank_i,

  // What is done, each in its phase
  input  logic                 plan_i,
  input  logic                 pick_act_i,
  output logic                 act_o,
  output logic [3:0]           act_bank_o,
  output logic [17:0]          act_row_o,
  input  logic                 pick_col_i,
  output logic                 col_o,
  output logic                 col_write_o,
  output logic                 col_hit_o,   // its row was open already
  output logic [SlotWidth-1:0] col_slot_o,
  output hbm_pkg::item_t       col_item_o,
  output logic                 pre_o,
  output logic [3:0]           pre_bank_o
);

  typedef logic [Depth-1:0] set_t;  // of slots

  // Slots
  set_t                 live_q, live_d;        // in use
  set_t                 waiting_q, waiting_d;
  set_t                 write_q, write_d;      // will write
  set_t                 hit_q, hit_d;          // its row is open or opening
  set_t                 blocked_q, blocked_d;
  set_t                 followed_q, followed_d;  // follower_q says which request to the same line comes next
  set_t                 batch_q, batch_d;
  set_t                 opener_q, opener_d;    // its row was opened for it
  set_t                 in_bank_q  [16];       // the waiting ones, by bank
  set_t                 row_bits_q [18];       // bit k of all rows
  set_t                 col_bits_q [4];
  logic [SlotWidth-1:0] follower_q [Depth];
  hbm_pkg::item_t       item_q     [Depth];
  logic [17:0]          open_row_q [16];

  logic                 write_mode_q, write_mode_d;
  logic [1:0]           skipped_q, skipped_d;  // batches without writes
  logic [6:0]           writes_q;              // that wait

  assign waiting_o = waiting_q != '0;
  assign busy_o    = live_q != '0;

  function automatic set_t bit_of(input logic [SlotWidth-1:0] slot);
    bit_of       = '0;
    bit_of[slot] = 1'b1;
  endfunction

  function automatic set_t first_of(input set_t set);
    first_of = Depth'(hbm_pkg::lowest(64'(set)));
  endfunction

  function automatic logic [SlotWidth-1:0] number_of(input set_t one);
    number_of = SlotWidth'(hbm_pkg::index_of(64'(one)));
  endfunction

  // ------------------------------------------------------------------------------------------- a place for the next one

  set_t push_bit;
  assign full_o   = &live_q;
  assign push_bit = ask_slot_i ? first_of(~live_q) : '0;
  assign slot_o   = number_of(push_bit);

  // ----------------------------------------------------------------------------------------------- which row to open

  set_t           act_candidates, act_one, act_same_row;
  hbm_pkg::item_t act_item;
  set_t           misses, wanted, direction;
  assign misses    = waiting_q & ~hit_q & ~blocked_q;  // a blocked one follows another to the same row
  assign wanted    = hit_q & ~blocked_q;
  assign direction = write_mode_q ? write_q : ~write_q;

  always_comb begin
    act_candidates = '0;
    act_one        = '0;
    act_same_row   = '0;
    act_item       = '0;
    act_o          = 1'b0;
    if (pick_act_i && misses != '0) begin
      for (int unsigned b = 0; b < 16; b++) begin
        if (act_ready_i[b] && !(lock_i && lock_bank_i == 4'(b))) act_candidates |= in_bank_q[b];
      end
      act_candidates &= misses;
      act_o = act_candidates != '0;
    end
    if (act_o) begin
      if ((act_candidates & batch_q) != '0) act_candidates &= batch_q;
      if ((act_candidates & direction) != '0) act_candidates &= direction;
      act_one      = first_of(act_candidates);
      act_item     = item_q[number_of(act_one)];
      act_same_row = in_bank_q[act_item.bank];
      for (int unsigned k = 0; k < 18; k++) act_same_row &= row_bits_q[k] ^ {Depth{~act_item.row[k]}};
    end
  end

  assign act_bank_o = act_item.bank;
  assign act_row_o  = act_item.row;

  // ----------------------------------------------------------------------------------------- which bank the batch needs

  // Banks in which the batch needs another row in this direction than is open, and that nothing of it keeps open; and
  // other banks in which nobody needs the row that is open, but somebody another.
  logic [15:0] wrong_row, unwanted;
  set_t        batch_misses, batch_hits;
  assign batch_misses = misses & batch_q & direction;
  assign batch_hits   = wanted & batch_q & direction;

  always_comb begin
    wrong_row = '0;
    unwanted  = '0;
    if (pick_col_i && misses != '0) begin
      for (int unsigned b = 0; b < 16; b++) begin
        if (open_i[b]) begin
          wrong_row[b] = (in_bank_q[b] & batch_misses) != '0 && (in_bank_q[b] & batch_hits) == '0;
          unwanted[b]  = (in_bank_q[b] & misses) != '0 && (in_bank_q[b] & wanted) == '0;
        end
      end
    end
  end

  // ----------------------------------------------------------------------------------------------- which line to move

  set_t ready, col_one;
  logic col_last;  // the request has gone, and is no atomic that comes again

  always_comb begin
    ready = '0;
    if (pick_col_i && (write_mode_q ? write_ok_i : read_ok_i)) ready = wanted & direction;
    if (ready != '0) begin
      for (int unsigned b = 0; b < 16; b++) begin
        if (opening_i[b] || (lock_i && lock_bank_i == 4'(b))) ready &= ~in_bank_q[b];
      end
      if ((ready & batch_q) != '0) begin
        ready &= batch_q;
      end else if (wrong_row != '0) begin
        for (int unsigned b = 0; b < 16; b++) begin
          if (wrong_row[b]) ready &= ~in_bank_q[b];
        end
      end
    end
    col_o      = ready != '0;
    col_one    = first_of(ready);
    col_slot_o = number_of(col_one);
    col_item_o = '0;
    if (col_o) col_item_o = item_q[col_slot_o];
  end

  assign col_write_o = write_mode_q;
  assign col_hit_o   = col_o && (opener_q & col_one) == '0;
  assign col_last    = col_o && (write_mode_q || !col_item_o.amo);

  // ---------------------------------------------------------------------------------------------------- which row to close

  logic [15:0] pre_candidates;
  always_comb begin
    pre_candidates = '0;
    pre_bank_o     = lock_bank_i;
    if (pick_col_i) begin
      if (lock_i && pre_ready_i[lock_bank_i]) begin
        pre_candidates[lock_bank_i] = 1'b1;
      end else begin
        pre_candidates = pre_ready_i & ((wrong_row & pre_ready_i) != '0 ? wrong_row : unwanted);
        if (col_o) pre_candidates[col_item_o.bank] = 1'b0;
        if (pre_candidates != '0) pre_bank_o = 4'(hbm_pkg::index_of(hbm_pkg::lowest({48'b0, pre_candidates})));
      end
    end
    pre_o = pre_candidates != '0;
  end

  // ------------------------------------------------------------------------------------------------- batch and direction

  set_t go_now, next_batch;
  logic batch_read, batch_write, any_read, any_write;
  always_comb begin
    next_batch   = batch_q;
    write_mode_d = write_mode_q;
    skipped_d    = skipped_q;
    go_now       = waiting_q & ~blocked_q;
    any_read     = (go_now & ~write_q) != '0;
    any_write    = (go_now & write_q) != '0;
    batch_read   = 1'b0;
    batch_write  = 1'b0;
    if (plan_i) begin
      if (batch_q == '0) begin
        next_batch = waiting_q;
        skipped_d  = '0;
        if (any_read && writes_q != '0 && writes_q < 7'(FewWrites) && blocked_q == '0 && skipped_q != 2'd3) begin
          next_batch = waiting_q & ~write_q;
          skipped_d  = skipped_q + 1'b1;
        end
      end
      batch_read  = (go_now & next_batch & ~write_q) != '0;
      batch_write = (go_now & next_batch & write_q) != '0;
      if (!write_mode_q) write_mode_d = !batch_read && any_write && (batch_write || !any_read);
      else write_mode_d = batch_write || !any_read || (any_write && !batch_read);
    end
  end

  // ------------------------------------------------------------------------------------------------- what changes

  set_t           col_done, amo_bit, amo_gone, gone, same_line;
  hbm_pkg::item_t amo_item;
  logic           push_hit;

  always_comb begin
    amo_bit  = '0;
    amo_item = '0;
    if (amo_done_i) begin
      amo_bit  = bit_of(amo_slot_i);
      amo_item = item_q[amo_slot_i];
    end
  end

  assign col_done = col_last ? col_one : '0;
  assign amo_gone = amo_write_i ? '0 : amo_bit;
  assign gone     = col_done | amo_gone;

  // The last request to the same line that is still here.
  always_comb begin
    same_line = '0;
    push_hit  = 1'b0;
    if (push_i) begin
      same_line = in_bank_q[item_i.bank] & ~followed_q & ~gone;
      for (int unsigned k = 0; k < 18; k++) same_line &= row_bits_q[k] ^ {Depth{~item_i.row[k]}};
      for (int unsigned k = 0; k < 4; k++) same_line &= col_bits_q[k] ^ {Depth{~item_i.col[k]}};
      push_hit = open_i[item_i.bank] && !(pre_o && pre_bank_o == item_i.bank) && open_row_q[item_i.bank] == item_i.row;
      if (act_o && act_item.bank == item_i.bank) push_hit = act_item.row == item_i.row;
    end
  end

  always_comb begin
    live_d     = live_q;
    waiting_d  = waiting_q;
    write_d    = write_q;
    hit_d      = hit_q;
    blocked_d  = blocked_q;
    followed_d = followed_q;
    opener_d   = opener_q;
    batch_d    = next_batch & ~gone;
    if (act_o) begin
      hit_d    |= act_same_row;
      opener_d |= act_one;
    end
    if (pre_o) hit_d &= ~in_bank_q[pre_bank_o];
    if (gone != '0) begin
      waiting_d &= ~gone;
      hit_d     &= ~gone;
      if ((gone & ~write_q) != '0) live_d &= ~(gone & ~write_q);
      if ((col_done & followed_q) != '0) blocked_d[follower_q[col_slot_o]] = 1'b0;
      if ((amo_gone & followed_q) != '0) blocked_d[follower_q[amo_slot_i]] = 1'b0;
    end
    if (col_o && !col_last) begin
      blocked_d |= col_one;
      opener_d  &= ~col_one;
    end
    if (amo_done_i) begin
      blocked_d &= ~amo_bit;
      if (amo_write_i) write_d |= amo_bit;
    end
    if (free_i) live_d[free_slot_i] = 1'b0;
    if (push_i) begin
      live_d     |= push_bit;
      waiting_d  |= push_bit;
      followed_d  = (followed_d & ~push_bit) | same_line;
      opener_d   &= ~push_bit;
      write_d     = item_i.write && !item_i.amo ? write_d | push_bit : write_d & ~push_bit;
      hit_d       = push_hit ? hit_d | push_bit : hit_d & ~push_bit;
      blocked_d   = same_line != '0 ? blocked_d | push_bit : blocked_d & ~push_bit;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      live_q       <= '0;
      waiting_q    <= '0;
      hit_q        <= '0;
      blocked_q    <= '0;
      batch_q      <= '0;
      write_q      <= '0;
      followed_q   <= '0;
      opener_q     <= '0;
      write_mode_q <= 1'b0;
      skipped_q    <= '0;
      writes_q     <= '0;
    end else if (push_i || act_o || col_o || pre_o || amo_done_i || free_i || plan_i) begin
      live_q       <= live_d;
      waiting_q    <= waiting_d;
      hit_q        <= hit_d;
      blocked_q    <= blocked_d;
      batch_q      <= batch_d;
      write_q      <= write_d;
      followed_q   <= followed_d;
      opener_q     <= opener_d;
      write_mode_q <= write_mode_d;
      skipped_q    <= skipped_d;
      // Pushes of writes and atomics that turn into writes never meet: see the assertion.
      if (((push_i && item_i.write && !item_i.amo) || (amo_done_i && amo_write_i)) != (col_o && write_mode_q)) begin
        writes_q <= col_o && write_mode_q ? writes_q - 1'b1 : writes_q + 1'b1;
      end
    end
  end

  // These processes alone write to the arrays, and nothing clocked reads them: assignments may take effect at once. The simulator
  // would otherwise look at a flag for every element in every cycle.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      for (int unsigned b = 0; b < 16; b++) in_bank_q[b] = '0;
    end else begin
      if (push_i) in_bank_q[item_i.bank] = in_bank_q[item_i.bank] | push_bit;
      if (col_last) in_bank_q[col_item_o.bank] = in_bank_q[col_item_o.bank] & ~col_done;
      if (amo_gone != '0) in_bank_q[amo_item.bank] = in_bank_q[amo_item.bank] & ~amo_gone;
    end
  end

  always_ff @(posedge clk_i) begin
    if (push_i) begin
      for (int unsigned k = 0; k < 18; k++) row_bits_q[k] = (row_bits_q[k] & ~push_bit) | (item_i.row[k] ? push_bit : '0);
      for (int unsigned k = 0; k < 4; k++) col_bits_q[k] = (col_bits_q[k] & ~push_bit) | (item_i.col[k] ? push_bit : '0);
    end
  end
  /* verilator lint_on BLKSEQ */

  always_ff @(posedge clk_i) begin
    if (act_o) open_row_q[act_item.bank] <= act_item.row;
    if (push_i) begin
      item_q[slot_o] <= item_i;
      if (same_line != '0) follower_q[number_of(same_line)] <= slot_o;
    end
  end

  always_comb begin
    used_o = '0;
    if (ask_used_i) begin
      for (int unsigned b = 0; b < 16; b++) used_o[b] = in_bank_q[b] != '0;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!(push_i && (full_o || !ask_slot_i))) else $error("a request and no place");
      assert (!(push_i && amo_done_i)) else $error("a request while an atomic is written back");
      assert (!(amo_done_i && pick_col_i)) else $error("an atomic is written back in the phase of choice");
      assert ((same_line & (same_line - 1'b1)) == '0) else $error("two requests are the last ones to a line");
      assert (!amo_done_i || (amo_bit & blocked_q & waiting_q) != '0) else $error("nobody waits for this atomic");
    end
  end
`endif

endmodule
