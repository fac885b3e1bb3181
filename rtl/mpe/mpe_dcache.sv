// SPDX-License-Identifier: Apache-2.0
// Data cache: write-back, write-allocate, one access at a time, physical addresses.
//
// An access begins with issue_i, which reads the set; from the next cycle its command stands until done_o. Reads and
// writes that hit are done in that first cycle, so that accesses follow each other without gaps. A new issue_i is legal
// when no command stands or in the cycle of its done_o.
// A dirty line leaves in the background, be it the victim of a miss or what cbo.clean and cbo.flush send to memory: once the
// stores that wait for it are in the cache memory, a cycle in which nobody else uses that moves it to a one-line write-back
// buffer. A miss waits until nothing is leaving, so that a line is never asked for while it is still on its way out.
// A line that becomes zero as a whole is not asked for: it takes two cycles, and its victim's way out.
module mpe_dcache #(
    parameter int unsigned CacheBytes = 16384
) (
    input  logic              clk_i,
    input  logic              rst_ni,

    input  logic              issue_i,
    input  logic              issue_data_i,    // the data will be wanted, not only the tags
    input  logic [11:3]       issue_index_i,

    input  logic              cmd_valid_i,
    input  mpe_pkg::dcmd_e    cmd_i,
    input  logic [39:0]       addr_i,
    input  logic [15:0]       strb_i,          // of the 16 bytes around
    input  logic [63:0]       low_i,
    input  logic [63:0]       high_i,
    output logic              done_o,
    output logic              fault_o,         // with done_o: the bus had no such line
    output logic [63:0]       data_o,          // the aligned 64-bit word, stores still waiting included

    output logic              refill_valid_o,
    input  logic              refill_ready_i,
    output logic [39:0]       refill_addr_o,
    input  logic              refill_rsp_i,
    input  logic              refill_err_i,
    input  logic [511:0]      refill_data_i,

    output logic              wb_valid_o,
    input  logic              wb_ready_i,
    output logic [39:0]       wb_addr_o,
    output logic [511:0]      wb_data_o,
    output logic              leave_o,         // in the cycle of done_o: a line begins to leave
    output logic              leaving_o,       // one is on its way to the bus

    output logic              ev_miss_o,
    output logic              ev_write_back_o
);

  localparam int unsigned SetBits = $clog2(CacheBytes / 4 / 64);
  localparam int unsigned Sets = 2 ** SetBits;
  localparam int unsigned LastSet = Sets - 1;

  typedef enum logic [3:0] {
    StIdle,
    StRequest,
    StRefill,
    StReread,
    StFault,
    StZero,       // the way is chosen; whatever was in it may still have to leave
    StZeroed,
    StScan,       // DCleanAll: look for dirty lines
    StScanned     // there is one, and its tag
  } state_e;

  state_e              state_q, state_d;
  logic [SetBits-1:0]  set, scan_set_q;
  logic [1:0]          way_q, way_d;          // being filled, or found dirty
  logic                scanning;

  assign set      = addr_i[6+:SetBits];
  assign scanning = cmd_i == mpe_pkg::DCleanAll;

  // ---------------------------------------------------------------- tags
  logic              tag_hit, touch, fill, drop, reread, scan_read;
  logic [1:0]        hit_way, victim, update_way;
  logic [3:0]        valid;
  logic [3:0][27:0]  tags;
  logic [SetBits-1:0] active_set;
  assign active_set = scanning ? scan_set_q : set;

  mpe_cache_tags #(.SetBits(SetBits)) u_tags (
      .clk_i, .rst_ni,
      .read_i       (issue_i || reread || scan_read),
      .set_i        (reread || scan_read ? active_set : issue_index_i[6+:SetBits]),
      .tag_i        (addr_i[39:12]),
      .hit_o        (tag_hit),
      .hit_way_o    (hit_way),
      .victim_o     (victim),
      .valid_o      (valid),
      .tags_o       (tags),
      .touch_i      (touch),
      .fill_i       (fill),
      .drop_i       (drop),
      .update_set_i (set),
      .update_way_i (update_way),
      .fill_tag_i   (addr_i[39:12]),
      .drop_all_i   (1'b0)
  );

  logic [3:0] dirty_q [Sets];
  logic       mark_dirty, mark_clean;
  logic [1:0] mark_way;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      for (int unsigned s = 0; s < Sets; s++) dirty_q[s] <= '0;
    end else begin
      if (mark_dirty) dirty_q[active_set][mark_way] <= 1'b1;
      if (mark_clean) dirty_q[active_set][mark_way] <= 1'b0;
    end
  end

  // ---------------------------------------------------------------- waiting stores
  logic         push, sb_full, sb_empty, drain;
  logic [2:0]   sb_count;
  logic [39:4]  drain_addr;
  logic [1:0]   drain_way;
  logic [15:0]  drain_strb;
  logic [63:0]  drain_low, drain_high;
  logic [63:0]  cache_word;

  mpe_store_buffer u_store_buffer (
      .clk_i, .rst_ni,
      .push_i        (push),
      .push_addr_i   (addr_i[39:4]),
      .push_way_i    (hit_way),
      .push_strb_i   (strb_i),
      .push_low_i    (low_i),
      .push_high_i   (high_i),
      .full_o        (sb_full),
      .empty_o       (sb_empty),
      .count_o       (sb_count),
      .drain_i       (drain),
      .drain_addr_o  (drain_addr),
      .drain_way_o   (drain_way),
      .drain_strb_o  (drain_strb),
      .drain_low_o   (drain_low),
      .drain_high_o  (drain_high),
      .lookup_addr_i (addr_i[39:3]),
      .lookup_data_i (cache_word),
      .lookup_data_o (data_o)
  );

  // ---------------------------------------------------------------- lines that leave
  // What was stored to a line before it leaves is written first; the buffer hands stores over in order, so they need only be
  // counted. Stores that come later make it dirty again.
  logic                leave, leave_read, leave_valid_q, capture_q, wb_valid_q;
  logic [1:0]          leave_way, leave_way_q;
  logic [27:0]         leave_tag_q;
  logic [SetBits-1:0]  leave_set_q;
  logic [2:0]          leave_stores_q;
  logic [39:0]         wb_addr_q;
  logic [511:0]        wb_data_q;
  logic [511:0]        line;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      leave_valid_q <= 1'b0;
      capture_q     <= 1'b0;
      wb_valid_q    <= 1'b0;
    end else begin
      if (leave) leave_valid_q <= 1'b1;
      else if (leave_read) leave_valid_q <= 1'b0;
      capture_q <= leave_read;
      if (capture_q) wb_valid_q <= 1'b1;
      else if (wb_ready_i) wb_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (leave) begin
      leave_way_q    <= leave_way;
      leave_tag_q    <= tags[leave_way];
      leave_set_q    <= active_set;
      leave_stores_q <= sb_count - {2'b0, drain};
    end else if (drain && leave_stores_q != '0) begin
      leave_stores_q <= leave_stores_q - 1'b1;
    end
    if (leave_read) wb_addr_q <= {leave_tag_q, {6-SetBits{1'b0}}, leave_set_q, 6'b0};
    if (capture_q) wb_data_q <= line;
  end

  assign leave_o         = leave;
  assign leaving_o       = leave_valid_q || capture_q || wb_valid_q;
  assign wb_valid_o      = wb_valid_q;
  assign wb_addr_o       = wb_addr_q;
  assign wb_data_o       = wb_data_q;
  assign ev_write_back_o = capture_q;

  // ---------------------------------------------------------------- data
  logic              line_write, word_read;
  logic [3:0][63:0]  words;
  logic [SetBits-1:0] ram_set;
  logic [1:0]        ram_way;
  logic [2:0]        ram_word;

  assign line_write = fill;
  assign word_read  = (issue_i && issue_data_i) || reread;
  assign leave_read = leave_valid_q && leave_stores_q == '0 && !capture_q && !wb_valid_q && !word_read && !line_write;
  assign drain      = !sb_empty && !word_read && !leave_read && !line_write;
  assign cache_word = words[hit_way];

  always_comb begin
    ram_set  = active_set;
    ram_way  = way_q;
    ram_word = addr_i[5:3];
    if (issue_i && issue_data_i) begin
      ram_set  = issue_index_i[6+:SetBits];
      ram_word = issue_index_i[5:3];
    end else if (leave_read) begin
      ram_set = leave_set_q;
      ram_way = leave_way_q;
    end else if (drain) begin
      ram_set  = drain_addr[6+:SetBits];
      ram_way  = drain_way;
      ram_word = {drain_addr[5:4], 1'b0};
    end
  end

  mpe_cache_ram #(.SetBits(SetBits)) u_ram (
      .clk_i,
      .read_word_i  (word_read),
      .read_line_i  (leave_read),
      .write_line_i (line_write),
      .write_pair_i (drain),
      .set_i        (ram_set),
      .way_i        (ram_way),
      .word_i       (ram_word),
      .strb_i       (drain_strb),
      .low_data_i   (drain_low),
      .high_data_i  (drain_high),
      .line_data_i  (state_q == StZero ? '0 : refill_data_i),
      .words_o      (words),
      .line_o       (line)
  );

  // ---------------------------------------------------------------- control
  logic hit_dirty, victim_dirty;
  assign hit_dirty    = dirty_q[set][hit_way];
  assign victim_dirty = valid[victim] && dirty_q[set][victim];

  logic [1:0] first_dirty;
  always_comb begin
    first_dirty = 2'd0;
    for (int w = 3; w >= 0; w--) if (dirty_q[scan_set_q][w]) first_dirty = 2'(w);
  end

  assign refill_valid_o = state_q == StRequest && !leave_valid_q;  // the way is free when the answer comes
  assign refill_addr_o  = {addr_i[39:6], 6'b0};
  assign ev_miss_o      = refill_valid_o && refill_ready_i;
  assign fault_o        = state_q == StFault;

  always_comb begin
    state_d         = state_q;
    way_d           = way_q;
    done_o          = 1'b0;
    push            = 1'b0;
    touch           = 1'b0;
    fill            = 1'b0;
    drop            = 1'b0;
    update_way      = way_q;
    mark_dirty      = 1'b0;
    mark_clean      = 1'b0;
    mark_way        = way_q;
    reread          = 1'b0;
    scan_read       = 1'b0;
    leave           = 1'b0;
    leave_way       = hit_way;
    unique case (state_q)
      StIdle: begin
        if (cmd_valid_i) begin
          unique case (cmd_i)
            mpe_pkg::DRead, mpe_pkg::DHold, mpe_pkg::DWrite: begin
              if (tag_hit) begin
                touch      = 1'b1;
                done_o     = cmd_i != mpe_pkg::DWrite || !sb_full;
                push       = cmd_i == mpe_pkg::DWrite && !sb_full;
                mark_dirty = push;
                mark_way   = hit_way;
              end else if (!leaving_o) begin
                way_d      = victim;
                state_d    = StRequest;
                leave      = victim_dirty;
                leave_way  = victim;
                mark_clean = leave;
                mark_way   = victim;
                drop       = valid[victim];
                update_way = victim;
              end
            end
            mpe_pkg::DZero: begin
              // Stores that wait for the line come before; and if one leaves now, none else does.
              if (sb_empty && !leave_valid_q) begin
                touch      = tag_hit;
                way_d      = tag_hit ? hit_way : victim;
                leave      = !tag_hit && victim_dirty;
                leave_way  = victim;
                mark_clean = leave;
                mark_way   = victim;
                state_d    = StZero;
              end
            end
            mpe_pkg::DClean, mpe_pkg::DFlush: begin
              done_o     = !(tag_hit && hit_dirty) || !leave_valid_q;
              leave      = tag_hit && hit_dirty && done_o;
              mark_clean = leave;
              mark_way   = hit_way;
              drop       = tag_hit && done_o && cmd_i == mpe_pkg::DFlush;
              update_way = hit_way;
            end
            mpe_pkg::DInval: begin
              done_o     = sb_empty || !tag_hit;
              drop       = sb_empty && tag_hit;
              update_way = hit_way;
              mark_clean = drop;
              mark_way   = hit_way;
            end
            default: state_d = StScan;
          endcase
        end
      end
      StRequest: if (refill_valid_o && refill_ready_i) state_d = StRefill;
      StRefill: begin
        fill = refill_rsp_i && !refill_err_i;
        if (refill_rsp_i) state_d = refill_err_i ? StFault : StReread;
      end
      StReread: begin
        reread  = 1'b1;
        state_d = StIdle;
      end
      StFault, StZeroed: begin
        done_o  = 1'b1;
        state_d = StIdle;
      end
      StZero: begin
        fill       = !leave_valid_q;
        mark_dirty = fill;
        if (fill) state_d = StZeroed;
      end
      StScanned: begin
        leave      = 1'b1;
        leave_way  = way_q;
        mark_clean = 1'b1;
        state_d    = StScan;
      end
      default: begin  // StScan
        way_d = first_dirty;
        if (dirty_q[scan_set_q] != '0) begin
          scan_read = !leave_valid_q;
          if (scan_read) state_d = StScanned;
        end else if (scan_set_q == SetBits'(LastSet) && !leaving_o) begin
          done_o  = 1'b1;
          state_d = StIdle;
        end
      end
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q    <= StIdle;
      scan_set_q <= '0;
    end else begin
      state_q <= state_d;
      if (state_q == StIdle) scan_set_q <= '0;
      else if (state_q == StScan && dirty_q[scan_set_q] == '0 && scan_set_q != SetBits'(LastSet)) begin
        scan_set_q <= scan_set_q + 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) way_q <= way_d;

  logic unused_addr;
  assign unused_addr = ^addr_i[2:0];

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!(issue_i && cmd_valid_i && !done_o)) else $error("access issued while another stands");
      assert (!(issue_i && state_q != StIdle && !done_o)) else $error("access issued to a busy cache");
      assert ($onehot0({word_read, leave_read, line_write, drain})) else $error("two operations on the cache memory");
      assert (!(leave && leave_valid_q)) else $error("a line leaves before the last one");
      assert (!(fill && !sb_empty && valid[way_q])) else $error("line replaced under a waiting store");
    end
  end
`endif

endmodule
