// Data cache: write-back, write-allocate, one access at a time, physical addresses.
//
// An access begins with issue_i, which reads the set; from the next cycle its command stands until done_o. Reads and
// writes that hit are done in that first cycle, so that accesses follow each other without gaps. A new issue_i is legal
// when no command stands or in the cycle of its done_o.
// The victim of a miss leaves through a one-line write-back buffer; a new miss waits until that is empty, so that a line
// is never asked for while it is still on its way out.
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
    input  logic [7:0]        strb_i,
    input  logic [63:0]       data_i,
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

    output logic              ev_miss_o,
    output logic              ev_write_back_o
);

  localparam int unsigned SetBits = $clog2(CacheBytes / 4 / 64);
  localparam int unsigned Sets = 2 ** SetBits;
  localparam int unsigned LastSet = Sets - 1;

  typedef enum logic [2:0] {
    StIdle,
    StEvict,      // read the line that has to go
    StCapture,    // and put it into the write-back buffer
    StRequest,
    StRefill,
    StReread,
    StFault,
    StScan        // DCleanAll: look for dirty lines
  } state_e;

  state_e              state_q, state_d, after_capture_q, after_capture_d;
  logic [SetBits-1:0]  set, scan_set_q;
  logic [1:0]          way_q, way_d;          // being filled or evicted
  logic                scanning;
  logic                drop_after_q, drop_after_d;   // the captured line leaves the cache

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
  logic [39:3]  drain_addr;
  logic [1:0]   drain_way;
  logic [7:0]   drain_strb;
  logic [63:0]  drain_data;
  logic [63:0]  cache_word;

  mpe_store_buffer u_store_buffer (
      .clk_i, .rst_ni,
      .push_i        (push),
      .push_addr_i   (addr_i[39:3]),
      .push_way_i    (hit_way),
      .push_strb_i   (strb_i),
      .push_data_i   (data_i),
      .full_o        (sb_full),
      .empty_o       (sb_empty),
      .drain_i       (drain),
      .drain_addr_o  (drain_addr),
      .drain_way_o   (drain_way),
      .drain_strb_o  (drain_strb),
      .drain_data_o  (drain_data),
      .lookup_addr_i (addr_i[39:3]),
      .lookup_data_i (cache_word),
      .lookup_data_o (data_o)
  );

  // ---------------------------------------------------------------- data
  logic              evict_read, line_write, word_read;
  logic [3:0][63:0]  words;
  logic [511:0]      line;
  logic [SetBits-1:0] ram_set;
  logic [1:0]        ram_way;
  logic [2:0]        ram_word;

  assign line_write = fill;
  assign word_read  = (issue_i && issue_data_i) || reread;
  assign drain      = !sb_empty && !word_read && !evict_read && !line_write;
  assign cache_word = words[hit_way];

  always_comb begin
    ram_set  = drain ? drain_addr[6+:SetBits] : active_set;
    ram_way  = drain ? drain_way : way_q;
    ram_word = drain ? drain_addr[5:3] : addr_i[5:3];
    if (issue_i && issue_data_i) begin
      ram_set  = issue_index_i[6+:SetBits];
      ram_word = issue_index_i[5:3];
    end
  end

  mpe_cache_ram #(.SetBits(SetBits)) u_ram (
      .clk_i,
      .read_word_i  (word_read),
      .read_line_i  (evict_read),
      .write_line_i (line_write),
      .write_word_i (drain),
      .set_i        (ram_set),
      .way_i        (ram_way),
      .word_i       (ram_word),
      .strb_i       (drain_strb),
      .word_data_i  (drain_data),
      .line_data_i  (refill_data_i),
      .words_o      (words),
      .line_o       (line)
  );

  // ---------------------------------------------------------------- write-back buffer
  logic          wb_valid_q, capture;
  logic [39:0]   wb_addr_q;
  logic [511:0]  wb_data_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) wb_valid_q <= 1'b0;
    else if (capture) wb_valid_q <= 1'b1;
    else if (wb_ready_i) wb_valid_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (capture) begin
      wb_addr_q <= {tags[way_q], {6-SetBits{1'b0}}, active_set, 6'b0};
      wb_data_q <= line;
    end
  end

  assign wb_valid_o      = wb_valid_q;
  assign wb_addr_o       = wb_addr_q;
  assign wb_data_o       = wb_data_q;
  assign ev_write_back_o = capture;

  // ---------------------------------------------------------------- control
  logic hit_dirty, victim_dirty;
  assign hit_dirty    = dirty_q[set][hit_way];
  assign victim_dirty = valid[victim] && dirty_q[set][victim];

  logic [1:0] first_dirty;
  always_comb begin
    first_dirty = 2'd0;
    for (int w = 3; w >= 0; w--) if (dirty_q[scan_set_q][w]) first_dirty = 2'(w);
  end

  assign refill_valid_o = state_q == StRequest;
  assign refill_addr_o  = {addr_i[39:6], 6'b0};
  assign ev_miss_o      = refill_valid_o && refill_ready_i;
  assign fault_o        = state_q == StFault;

  always_comb begin
    state_d         = state_q;
    after_capture_d = after_capture_q;
    drop_after_d    = drop_after_q;
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
    evict_read      = 1'b0;
    capture         = 1'b0;
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
              end else if (!wb_valid_q) begin
                way_d           = victim;
                after_capture_d = StRequest;
                drop_after_d    = 1'b1;
                state_d         = victim_dirty ? StEvict : StRequest;
                drop            = valid[victim] && !victim_dirty;
                update_way      = victim;
              end
            end
            mpe_pkg::DClean, mpe_pkg::DFlush: begin
              if (tag_hit && hit_dirty) begin
                way_d           = hit_way;
                after_capture_d = StReread;
                drop_after_d    = cmd_i == mpe_pkg::DFlush;
                if (!wb_valid_q) state_d = StEvict;
              end else begin
                done_o     = 1'b1;
                drop       = tag_hit && cmd_i == mpe_pkg::DFlush;
                update_way = hit_way;
              end
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
      StEvict: begin
        evict_read = sb_empty;
        if (sb_empty) state_d = StCapture;
      end
      StCapture: begin
        capture    = 1'b1;
        mark_clean = 1'b1;
        drop       = drop_after_q;
        state_d    = after_capture_q;
      end
      StRequest: if (refill_ready_i) state_d = StRefill;
      StRefill: begin
        fill = refill_rsp_i && !refill_err_i;
        if (refill_rsp_i) state_d = refill_err_i ? StFault : StReread;
      end
      StReread: begin
        reread  = 1'b1;
        state_d = StIdle;
      end
      StFault: begin
        done_o  = 1'b1;
        state_d = StIdle;
      end
      default: begin  // StScan
        after_capture_d = StScan;
        drop_after_d    = 1'b0;
        way_d           = first_dirty;
        if (dirty_q[scan_set_q] != '0) begin
          scan_read = sb_empty && !wb_valid_q;
          if (scan_read) state_d = StEvict;
        end else if (scan_set_q == SetBits'(LastSet) && !wb_valid_q) begin
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

  always_ff @(posedge clk_i) begin
    after_capture_q <= after_capture_d;
    drop_after_q    <= drop_after_d;
    way_q           <= way_d;
  end

  logic unused_addr;
  assign unused_addr = ^addr_i[2:0];

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!(issue_i && cmd_valid_i && !done_o)) else $error("access issued while another stands");
      assert (!(issue_i && state_q != StIdle && !done_o)) else $error("access issued to a busy cache");
      assert ($onehot0({word_read, evict_read, line_write, drain})) else $error("two operations on the cache memory");
      assert (!(fill && !sb_empty && valid[way_q])) else $error("line replaced under a waiting store");
    end
  end
`endif

endmodule
