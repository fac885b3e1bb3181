// SPDX-License-Identifier: Apache-2.0
// Instruction supply: instruction cache, look-aside buffer, prediction, and the queue that decode takes from.
//
// Stage F0 chooses an address and reads cache and predictor; stage F1 translates, compares, predicts the next address
// and puts the 8-byte block into the queue. A block that cannot be had enters the queue as a fault; fetch then rests
// until the next redirection. A miss is filled even when a redirection has made it useless; meanwhile hits go on, and other
// misses are asked for (mpe_refill).
// Pages of type IO fault (mpe_walker), so fetch asks the bus for nothing in them. Those of type NC are cached: their memory is
// idempotent, and a fetch need not see what was written before the last fence.i.
module mpe_fetch #(
    parameter int unsigned CacheBytes = 16384
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,

    input  logic                    redirect_i,
    input  logic [63:0]             redirect_pc_i,
    input  logic                    hold_i,            // debug: fetch nothing
    input  logic                    invalidate_i,      // fence.i

    input  logic                    translate_i,
    input  mpe_pkg::xlate_ctx_t     ctx_i,
    input  logic                    flush_tlb_i,
    output logic                    walk_o,            // held until walk_done_i
    output logic [26:0]             walk_vpn_o,
    input  logic                    walk_done_i,
    input  logic                    walk_page_fault_i,
    input  logic                    walk_access_fault_i,
    input  mpe_pkg::tlb_entry_t     walk_entry_i,

    output logic                    refill_valid_o,
    input  logic                    refill_ready_i,
    output logic [39:0]             refill_addr_o,
    input  logic                    refill_rsp_i,
    input  logic                    refill_err_i,
    input  logic [511:0]            refill_data_i,

    input  logic                    resolve_i,         // to the predictor, from execute
    input  logic [63:0]             resolve_end_i,
    input  logic [63:0]             resolve_next_i,
    input  logic                    resolve_taken_i,
    input  logic [63:0]             resolve_target_i,
    input  mpe_pkg::br_kind_e       resolve_kind_i,
    input  mpe_pkg::history_t       resolve_history_i,
    input  logic                    drop_prediction_i,

    output logic                    insn_valid_o,
    input  logic                    insn_ready_i,
    output logic [31:0]             insn_o,            // a compressed one in the low half
    output logic [63:0]             insn_pc_o,
    output logic                    insn_page_fault_o,
    output logic                    insn_access_fault_o,
    output logic                    insn_second_half_o,  // the fault is that of the second half
    output logic                    insn_cut_o,        // prediction cut it in two: fetch it again
    output logic                    insn_taken_o,
    output logic [63:0]             insn_target_o,
    output mpe_pkg::history_t       insn_history_o,

    output logic                    idle_o,            // nothing asked of the bus or of the walker
    output logic                    ev_miss_o,
    output logic                    ev_tlb_miss_o
);

  localparam int unsigned SetBits = $clog2(CacheBytes / 4 / 64);
  localparam int unsigned QueueBits = 2;
  localparam int unsigned QueueDepth = 2 ** QueueBits;

  // ---------------------------------------------------------------- F0: which address
  logic         f1_valid_q;
  logic [63:0]  pc_q;       // read by F0 in the last cycle if f1_valid_q, else still to be read
  logic         stop_q;     // a fault is queued
  logic [63:0]  f0_pc;
  logic         f0_read, f1_push;
  logic [63:0]  f1_next;
  logic         refill_write, look;

  always_comb begin
    f0_pc = pc_q;
    if (f1_push) f0_pc = f1_next;
    if (redirect_i) f0_pc = redirect_pc_i;
  end

  assign f0_read = !hold_i && !refill_write && !look && (redirect_i || !stop_q);

  // ---------------------------------------------------------------- F1: translation and comparison
  logic         tlb_hit, tlb_bad;
  logic [27:0]  tlb_ppn;
  logic         walk_fill;

  mpe_tlb #(.Entries(8)) u_tlb (
      .clk_i, .rst_ni,
      .flush_i      (flush_tlb_i),
      .lookup_i     (f1_valid_q && translate_i),
      .vpn_i        (pc_q[38:12]),
      .access_i     (mpe_pkg::AccFetch),
      .ctx_i,
      .hit_o        (tlb_hit),
      .ppn_o        (tlb_ppn),
      .bad_o        (tlb_bad),
      .uncached_o   (),
      .fill_i       (walk_fill),
      .fill_vpn_i   (walk_vpn_o),
      .fill_entry_i (walk_entry_i)
  );

  logic [39:0]        f1_pa;
  memmap_pkg::pma_t   f1_pma;
  logic               canonical, page_fault, access_fault, translated;
  logic               walk_fault_q, walk_fault_access_q;   // the walk for pc_q ended so
  logic               bus_fault_q;                         // the refill for bus_fault_line_q ended so
  logic [39:6]        bus_fault_line_q;

  assign canonical = pc_q[63:38] == '0 || pc_q[63:38] == '1;
  assign f1_pa     = {translate_i ? tlb_ppn : pc_q[39:12], pc_q[11:0]};
  assign f1_pma    = memmap_pkg::pma(f1_pa);

  always_comb begin
    page_fault   = 1'b0;
    access_fault = 1'b0;
    translated   = 1'b1;
    if (translate_i) begin
      if (!canonical) begin
        page_fault = 1'b1;
      end else if (!tlb_hit) begin
        translated   = walk_fault_q;
        page_fault   = walk_fault_q && !walk_fault_access_q;
        access_fault = walk_fault_q && walk_fault_access_q;
      end else begin
        access_fault = tlb_bad || !f1_pma.memory;
      end
    end else begin
      access_fault = pc_q[63:40] != '0 || !f1_pma.memory;
    end
    if (bus_fault_q && bus_fault_line_q == f1_pa[39:6] && translated && !page_fault) access_fault = 1'b1;
  end

  logic        tag_hit;
  logic [1:0]  hit_way, victim;
  logic        q_full, f1_fault, f1_hit, f1_miss, f1_walk;
  assign f1_fault = translated && (page_fault || access_fault);
  assign f1_hit   = translated && !f1_fault && tag_hit;
  assign f1_push  = f1_valid_q && (f1_fault || f1_hit) && !q_full && !redirect_i;
  assign f1_miss  = f1_valid_q && translated && !f1_fault && !tag_hit && !redirect_i;
  assign f1_walk  = f1_valid_q && !translated && !redirect_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      f1_valid_q <= 1'b0;
      stop_q     <= 1'b1;
    end else begin
      f1_valid_q <= f0_read && !(f1_push && f1_fault);
      if (redirect_i) stop_q <= 1'b0;
      else if (f1_push && f1_fault) stop_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) pc_q <= f0_pc;

  // ---------------------------------------------------------------- walks
  logic         walk_q;
  logic [26:0]  vpn_q;
  logic         stale_q;       // redirected since the walk began: its fault concerns nobody

  assign walk_o         = walk_q;
  assign walk_vpn_o     = vpn_q;
  assign walk_fill      = walk_q && walk_done_i && !walk_page_fault_i && !walk_access_fault_i;
  assign ev_tlb_miss_o  = !walk_q && f1_walk;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      walk_q       <= 1'b0;
      walk_fault_q <= 1'b0;
      stale_q      <= 1'b0;
    end else begin
      if (!walk_q) begin
        walk_q  <= f1_walk;
        stale_q <= 1'b0;
      end else if (walk_done_i) begin
        walk_q       <= 1'b0;
        walk_fault_q <= !walk_fill && !stale_q;
      end
      if (redirect_i) begin
        stale_q      <= 1'b1;
        walk_fault_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!walk_q) vpn_q <= pc_q[38:12];
    if (walk_done_i) walk_fault_access_q <= walk_access_fault_i;
  end

  // ---------------------------------------------------------------- misses
  logic [39:6]  line, ahead;
  logic [1:0]   way;
  logic         looked, missed_done, refill_idle;

  mpe_refill u_refill (
      .clk_i, .rst_ni, .invalidate_i,
      .valid_i      ((f1_valid_q && f1_hit) || f1_miss),
      .line_i       (f1_pa[39:6]),
      .hit_i        (tag_hit),
      .victim_i     (victim),
      .spare_i      ((q_full || f1_miss) && !redirect_i && !refill_write && !hold_i),
      .look_o       (look),
      .ahead_o      (ahead),
      .looked_o     (looked),
      .refill_valid_o, .refill_ready_i, .refill_addr_o, .refill_rsp_i, .refill_err_i,
      .write_o      (refill_write),
      .line_o       (line),
      .way_o        (way),
      .done_o       (missed_done),
      .idle_o       (refill_idle),
      .ev_miss_o
  );
  assign idle_o = !walk_q && refill_idle;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) bus_fault_q <= 1'b0;
    else if (redirect_i) bus_fault_q <= 1'b0;
    else if (missed_done) bus_fault_q <= refill_err_i;
    if (missed_done) bus_fault_line_q <= line;
  end

  // ---------------------------------------------------------------- cache
  logic [3:0][63:0]   words;

  mpe_cache_tags #(.SetBits(SetBits)) u_tags (
      .clk_i, .rst_ni,
      .read_i       (f0_read || look),
      .set_i        (look ? ahead[6+:SetBits] : f0_pc[6+:SetBits]),
      .tag_i        (looked ? ahead[39:12] : f1_pa[39:12]),
      .hit_o        (tag_hit),
      .hit_way_o    (hit_way),
      .victim_o     (victim),
      .valid_o      (),
      .tags_o       (),
      .touch_i      (f1_push && f1_hit),
      .fill_i       (refill_write),
      .drop_i       (1'b0),
      .update_set_i (line[6+:SetBits]),
      .update_way_i (way),
      .fill_tag_i   (line[39:12]),
      .drop_all_i   (invalidate_i)
  );

  mpe_cache_ram #(.SetBits(SetBits)) u_ram (
      .clk_i,
      .read_word_i  (f0_read),
      .read_line_i  (1'b0),
      .write_line_i (refill_write),
      .write_pair_i (1'b0),
      .set_i        (refill_write ? line[6+:SetBits] : f0_pc[6+:SetBits]),
      .way_i        (way),
      .word_i       (f0_pc[5:3]),
      .strb_i       ('0),
      .low_data_i   ('0),
      .high_data_i  ('0),
      .line_data_i  (refill_data_i),
      .words_o      (words),
      .line_o       ()
  );

  // ---------------------------------------------------------------- prediction
  logic         predict_taken;
  logic [1:0]   predict_last;
  logic [63:0]  predict_target;
  mpe_pkg::history_t     predict_history;

  mpe_predictor u_predictor (
      .clk_i, .rst_ni,
      .lookup_i         (f0_read),
      .lookup_pc_i      (f0_pc),
      .pc_i             (pc_q),
      .taken_o          (predict_taken),
      .last_o           (predict_last),
      .target_o         (predict_target),
      .history_o        (predict_history),
      .accept_i         (f1_push && !f1_fault),
      .redirect_i,
      .resolve_i, .resolve_end_i, .resolve_next_i, .resolve_taken_i, .resolve_target_i, .resolve_kind_i,
      .resolve_history_i,
      .drop_i           (drop_prediction_i)
  );

  assign f1_next = predict_taken ? predict_target : {pc_q[63:3] + 61'd1, 3'b0};

  // ---------------------------------------------------------------- queue of blocks
  typedef struct packed {
    logic        page_fault;
    logic        access_fault;
    logic        taken;      // fetch goes on at target after halfword last
    logic [1:0]  last;
    mpe_pkg::history_t    history;
  } meta_t;

  logic [63:0]           queue_pc_q     [QueueDepth];   // of the first halfword to use
  logic [63:0]           queue_data_q   [QueueDepth];
  logic [63:0]           queue_target_q [QueueDepth];
  meta_t                 queue_meta_q   [QueueDepth];
  logic [QueueBits-1:0]  head_q, second, tail_q;
  logic [QueueBits:0]    count_q;
  logic [1:0]            pops;
  logic [1:0]            pos_q, pos, pos_next, pos_d;   // halfword of the head block at which the next instruction begins
  logic                  fresh_q, fresh_d;    // the head block is untouched: begin where its pc says

  assign q_full = count_q[QueueBits];
  assign second = head_q + 1'b1;
  assign pos    = fresh_q ? queue_pc_q[head_q][2:1] : pos_q;

  meta_t f1_meta;
  assign f1_meta.page_fault   = page_fault;
  assign f1_meta.access_fault = access_fault;
  assign f1_meta.taken        = predict_taken && !f1_fault;
  assign f1_meta.last         = f1_fault ? 2'd3 : predict_last;
  assign f1_meta.history      = predict_history;

  always_ff @(posedge clk_i) begin
    if (f1_push) begin
      queue_pc_q[tail_q]     <= pc_q;
      queue_data_q[tail_q]   <= words[hit_way];
      queue_target_q[tail_q] <= predict_target;
      queue_meta_q[tail_q]   <= f1_meta;
    end
  end

  // ---------------------------------------------------------------- the next instruction
  meta_t        head_meta, second_meta;
  logic [15:0]  first_half, second_half;
  logic         compressed, straddles, at_last, ends_second;

  assign head_meta   = queue_meta_q[head_q];
  assign second_meta = queue_meta_q[second];
  assign pos_next    = pos + 2'd1;
  assign first_half  = queue_data_q[head_q][16*pos+:16];
  assign compressed  = first_half[1:0] != 2'b11;
  assign at_last     = pos == head_meta.last;
  assign straddles   = !compressed && at_last;
  assign second_half = straddles ? queue_data_q[second][15:0] : queue_data_q[head_q][16*pos_next+:16];
  assign ends_second = second_meta.last == 2'd0;   // a straddling instruction is the last of its second block too

  always_comb begin
    insn_valid_o        = count_q != '0;
    insn_o              = {compressed ? 16'b0 : second_half, first_half};
    insn_pc_o           = {queue_pc_q[head_q][63:3], pos, 1'b0};
    insn_page_fault_o   = head_meta.page_fault;
    insn_access_fault_o = head_meta.access_fault;
    insn_second_half_o  = 1'b0;
    insn_cut_o          = 1'b0;
    insn_taken_o        = 1'b0;
    insn_target_o       = queue_target_q[head_q];
    insn_history_o      = head_meta.history;
    pops                = 2'd0;
    pos_d               = pos + (compressed ? 2'd1 : 2'd2);
    fresh_d             = 1'b0;
    if (head_meta.page_fault || head_meta.access_fault) begin
      pops    = 2'd1;
      fresh_d = 1'b1;
    end else if (straddles && head_meta.taken) begin
      insn_cut_o = 1'b1;
      pops       = 2'd1;
      fresh_d    = 1'b1;
    end else if (straddles) begin
      insn_valid_o        = count_q > 1;
      insn_page_fault_o   = second_meta.page_fault;
      insn_access_fault_o = second_meta.access_fault;
      insn_second_half_o  = second_meta.page_fault || second_meta.access_fault;
      insn_taken_o        = second_meta.taken && ends_second;
      insn_target_o       = queue_target_q[second];
      insn_history_o      = second_meta.history;
      pops                = ends_second ? 2'd2 : 2'd1;
      pos_d               = 2'd1;
      fresh_d             = ends_second;
    end else if (at_last || (!compressed && pos_next == head_meta.last)) begin
      insn_taken_o = head_meta.taken;
      pops         = 2'd1;
      fresh_d      = 1'b1;
    end
  end

  logic take;
  assign take = insn_valid_o && insn_ready_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      head_q  <= '0;
      tail_q  <= '0;
      count_q <= '0;
      fresh_q <= 1'b1;
    end else if (redirect_i) begin
      head_q  <= '0;
      tail_q  <= '0;
      count_q <= '0;
      fresh_q <= 1'b1;
    end else begin
      if (f1_push) tail_q <= tail_q + 1'b1;
      if (take) begin
        head_q  <= head_q + pops;
        fresh_q <= fresh_d;
      end
      count_q <= count_q + {{QueueBits{1'b0}}, f1_push} - (take ? {1'b0, pops} : '0);
    end
  end

  always_ff @(posedge clk_i) if (take) pos_q <= pos_d;

  logic unused_fetch;
  assign unused_fetch = ^{f1_pma.io, f1_pma.vacant};

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) assert (!(f0_read && refill_write)) else $error("two operations on the cache memory");
    if (rst_ni && take) assert (count_q >= {1'b0, pops}) else $error("instruction queue ran empty");
  end
`endif

endmodule
