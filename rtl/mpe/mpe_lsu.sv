// SPDX-License-Identifier: Apache-2.0
// Loads, stores, atomics, cache-block operations and fences: everything of the memory stage that touches memory.
//
// An instruction arrives with x_fire_i at the end of execute: its address is translated and the cache set read in that
// cycle. In the memory stage it stays until done_o. Hits are done at once. What takes longer:
// - an access that straddles two 64-bit words makes two passes; a store makes three (look at the first part, write the
//   second, write the first) so that nothing is written when either part faults;
// - a miss of the look-aside buffer asks the page walker, whose reads go through the same cache, and passes again;
// - an uncached access goes to the bus; uncached stores are posted through a one-entry buffer.
// Loads from devices wait until earlier stores have been acknowledged.
module mpe_lsu #(
    parameter int unsigned CacheBytes = 16384
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,

    // from execute
    output logic                    x_ready_o,         // an access can begin this cycle
    input  logic                    x_fire_i,          // it does
    input  mpe_pkg::mem_op_e        x_op_i,
    input  mbus_pkg::op_e           x_amo_op_i,
    input  logic [1:0]              x_size_i,
    input  logic                    x_unsigned_i,
    input  logic [63:0]             x_addr_i,
    input  logic [63:0]             x_data_i,
    input  logic [63:0]             x_pair_i,          // bytes 8 to 15 of a pair

    // in the memory stage
    input  logic                    cancel_i,          // forget it; legal in its first cycle only
    input  logic                    clear_reservation_i,
    output logic                    done_o,
    output logic                    fault_o,
    output mpe_pkg::exc_e           cause_o,
    output logic [63:0]             tval_o,
    output logic [63:0]             result_o,
    output logic                    drained_o,         // nothing on the bus, nothing waiting to go there

    // translation
    input  logic                    translate_i,
    input  mpe_pkg::xlate_ctx_t     ctx_i,
    input  logic                    flush_tlb_i,
    output logic                    walk_o,
    output logic [26:0]             walk_vpn_o,
    output mpe_pkg::access_e        walk_access_o,
    input  logic                    walk_done_i,
    input  logic                    walk_page_fault_i,
    input  logic                    walk_access_fault_i,
    input  mpe_pkg::tlb_entry_t     walk_entry_i,
    input  logic                    pte_read_i,        // the walker's reads
    input  logic [39:0]             pte_addr_i,
    output logic                    pte_done_o,
    output logic                    pte_fault_o,
    output logic [63:0]             pte_data_o,

    // bus
    output logic                    refill_valid_o,
    input  logic                    refill_ready_i,
    output logic [39:0]             refill_addr_o,
    output logic                    wb_valid_o,
    input  logic                    wb_ready_i,
    output logic [39:0]             wb_addr_o,
    output logic [511:0]            wb_data_o,
    output logic                    io_read_valid_o,   // uncached load or atomic
    input  logic                    io_read_ready_i,
    output mbus_pkg::op_e           io_read_op_o,
    output logic [39:0]             io_read_addr_o,
    output logic [2:0]              io_read_size_o,
    output logic [63:0]             io_read_data_o,    // operand of an atomic, in its lane
    output logic                    io_write_valid_o,
    input  logic                    io_write_ready_i,
    output logic [39:0]             io_write_addr_o,
    output logic [15:0]             io_write_strb_o,   // of the 16 bytes around
    output logic [63:0]             io_write_low_o,
    output logic [63:0]             io_write_high_o,
    input  logic                    read_rsp_i,
    input  logic                    read_err_i,
    input  logic [511:0]            read_data_i,
    input  logic                    writes_pending_i,  // requests taken by the bus and not yet acknowledged

`ifdef MPE_RVFI
    output logic [39:0]             rvfi_paddr_o,
    output logic [63:0]             rvfi_rdata_o,
    output logic                    rvfi_wrote_o,
`endif
    output logic                    ev_miss_o,
    output logic                    ev_tlb_miss_o,
    output logic                    ev_uncached_o,
    output logic                    ev_write_back_o
);

  // ---------------------------------------------------------------- the access in the memory stage
  typedef enum logic [2:0] {
    StIdle,
    StPass,       // translation and cache set of the current part are there
    StIssue,      // start the pass of the current part
    StWalk,
    StAmo,        // cached atomic: old value is there, write the new one
    StRead,       // uncached: ask the bus
    StResponse
  } state_e;

  typedef enum logic [1:0] {
    PartFirst,
    PartSecond,
    PartFirstAgain   // of a straddling store: the first was only looked at
  } part_e;

  state_e         state_q, state_d;
  part_e          part_q, part_d;
  mpe_pkg::mem_op_e        op_q;
  mbus_pkg::op_e  amo_op_q;
  logic [1:0]     size_q;
  logic           unsigned_q;
  logic [63:0]    va_q, data_q, pair_q;
  logic [63:0]    word_q;        // first part of a straddling load, or old value of an atomic

  logic           is_atomic, is_cbo, is_zero, is_pair, is_store, misaligned, plain_memory, straddles, second;
  logic [7:0]     size_mask;
  logic [63:0]    second_va, part_va;
  logic [2:0]     offset;
  assign is_atomic  = op_q == mpe_pkg::MemLr || op_q == mpe_pkg::MemSc || op_q == mpe_pkg::MemAmo;
  assign is_cbo     = op_q == mpe_pkg::MemCboInval || op_q == mpe_pkg::MemCboClean || op_q == mpe_pkg::MemCboFlush;
  assign is_zero    = op_q == mpe_pkg::MemCboZero;
  assign is_pair    = op_q == mpe_pkg::MemStorePair;
  assign is_store   = op_q == mpe_pkg::MemStore || is_pair;
  assign plain_memory = is_atomic || is_pair;  // aligned and nowhere else
  assign offset     = va_q[2:0];
  assign second     = part_q == PartSecond;
  assign second_va  = {va_q[63:3] + 61'd1, 3'b0};
  assign part_va    = second ? second_va : va_q;

  always_comb begin
    unique case (size_q)
      2'd0:    begin size_mask = 8'h01; misaligned = 1'b0; end
      2'd1:    begin size_mask = 8'h03; misaligned = offset[0]; end
      2'd2:    begin size_mask = 8'h0f; misaligned = offset[1:0] != '0; end
      default: begin size_mask = 8'hff; misaligned = offset != '0 || (is_pair && va_q[3]); end
    endcase
  end
  assign straddles = misaligned && (op_q == mpe_pkg::MemLoad || is_store) &&
                     ({1'b0, offset} + (4'd1 << size_q)) > 4'd8;

  function automatic mpe_pkg::access_e access_of(mpe_pkg::mem_op_e op);
    unique case (op)
      mpe_pkg::MemLoad, mpe_pkg::MemLr:                         access_of = mpe_pkg::AccLoad;
      mpe_pkg::MemCboInval, mpe_pkg::MemCboClean, mpe_pkg::MemCboFlush:  access_of = mpe_pkg::AccCbo;
      default:                                access_of = mpe_pkg::AccStore;
    endcase
  endfunction

  function automatic logic reads_data(mpe_pkg::mem_op_e op);
    unique case (op)
      mpe_pkg::MemLoad, mpe_pkg::MemLr, mpe_pkg::MemAmo:  reads_data = 1'b1;
      default:                                            reads_data = 1'b0;
    endcase
  endfunction

  // ---------------------------------------------------------------- starting a pass
  logic pte_pass_q, pte_issue, m_issue, m_done;
  assign pte_issue = pte_read_i && !pte_pass_q && (state_q == StIdle || state_q == StWalk);
  assign m_issue   = state_q == StIssue;
  assign x_ready_o = (state_q == StIdle || m_done) && !pte_issue && !pte_pass_q;

  logic [63:0]  issue_va;
  mpe_pkg::access_e      issue_access;
  logic         issue_xlate, tlb_hit, tlb_bad, tlb_uncached, walk_fill;
  logic [27:0]  tlb_ppn;
  assign issue_va     = m_issue ? part_va : x_addr_i;
  assign issue_access = access_of(m_issue ? op_q : x_op_i);
  assign issue_xlate  = translate_i && (m_issue || (x_fire_i && x_op_i != mpe_pkg::MemFence && x_op_i != mpe_pkg::MemFenceI));

  mpe_tlb #(.Entries(16)) u_tlb (
      .clk_i, .rst_ni,
      .flush_i      (flush_tlb_i),
      .lookup_i     (issue_xlate),
      .vpn_i        (issue_va[38:12]),
      .access_i     (issue_access),
      .ctx_i,
      .hit_o        (tlb_hit),
      .ppn_o        (tlb_ppn),
      .bad_o        (tlb_bad),
      .uncached_o   (tlb_uncached),
      .fill_i       (walk_fill),
      .fill_vpn_i   (walk_vpn_o),
      .fill_entry_i (walk_entry_i)
  );

  logic [39:0]       pa, pa_q;
  memmap_pkg::pma_t  pma;
  logic              page_fault_q, access_fault_q, tlb_miss_q, io_q, uncached_q;
  assign pa  = pte_issue ? pte_addr_i : {translate_i ? tlb_ppn : issue_va[39:12], issue_va[11:0]};
  assign pma = memmap_pkg::pma(pa);

  always_ff @(posedge clk_i) begin
    if (pte_issue) begin
      pa_q           <= pa;
      access_fault_q <= !pma.memory;
    end else if (m_issue || x_fire_i) begin
      pa_q           <= pa;
      tlb_miss_q     <= issue_xlate && !tlb_hit;
      page_fault_q   <= issue_xlate && !(issue_va[63:38] == '0 || issue_va[63:38] == '1);
      access_fault_q <= pma.vacant || (translate_i ? tlb_bad : issue_va[63:40] != '0);
      io_q           <= pma.io;
      uncached_q     <= translate_i && tlb_uncached && pma.memory;
    end
  end

  always_ff @(posedge clk_i) begin
    if (x_fire_i) begin
      op_q       <= x_op_i;
      amo_op_q   <= x_amo_op_i;
      size_q     <= x_size_i;
      unsigned_q <= x_unsigned_i;
      va_q       <= x_addr_i;
      data_q     <= x_data_i;
      if (x_op_i == mpe_pkg::MemStorePair) pair_q <= x_pair_i;
    end
  end

  // ---------------------------------------------------------------- cache
  logic         cmd_valid, cmd_done, cmd_fault;
  mpe_pkg::dcmd_e        cmd;
  logic [7:0]   part_strb;
  logic [63:0]  part_data;  // store data of this part, in the lanes of the 64-bit word
  logic [15:0]  pair_strb;
  logic [63:0]  cmd_data, cmd_word, amo_result;
  logic         leave, leaving;    // a line begins to leave, is on its way to the bus

  assign part_data = second ? data_q >> (7'd64 - {1'b0, offset, 3'b0}) : data_q << {offset, 3'b0};
  assign part_strb = second ? size_mask >> (4'd8 - {1'b0, offset}) : size_mask << offset;
  assign pair_strb = is_pair ? '1 : pa_q[3] ? {part_strb, 8'b0} : {8'b0, part_strb};
  assign cmd_data  = state_q == StAmo ? amo_result : part_data;

  mpe_dcache #(.CacheBytes(CacheBytes)) u_dcache (
      .clk_i, .rst_ni,
      .issue_i         (pte_issue || m_issue || x_fire_i),
      .issue_data_i    (pte_issue || reads_data(m_issue ? op_q : x_op_i)),
      .issue_index_i   (pte_issue ? pte_addr_i[11:3] : issue_va[11:3]),
      .cmd_valid_i     (cmd_valid),
      .cmd_i           (cmd),
      .addr_i          (pa_q),
      .strb_i          (pair_strb),
      .low_i           (cmd_data),
      .high_i          (is_pair ? pair_q : cmd_data),
      .done_o          (cmd_done),
      .fault_o         (cmd_fault),
      .data_o          (cmd_word),
      .refill_valid_o, .refill_ready_i, .refill_addr_o,
      .refill_rsp_i    (read_rsp_i),
      .refill_err_i    (read_err_i),
      .refill_data_i   (read_data_i),
      .wb_valid_o, .wb_ready_i, .wb_addr_o, .wb_data_o,
      .leave_o         (leave),
      .leaving_o       (leaving),
      .ev_miss_o, .ev_write_back_o
  );

  // ---------------------------------------------------------------- walker's reads
  always_ff @(posedge clk_i) begin
    if (!rst_ni) pte_pass_q <= 1'b0;
    else if (pte_issue) pte_pass_q <= 1'b1;
    else if (pte_done_o) pte_pass_q <= 1'b0;
  end
  assign pte_done_o  = pte_pass_q && (access_fault_q || cmd_done);
  assign pte_fault_o = access_fault_q || cmd_fault;
  assign pte_data_o  = cmd_word;

  assign walk_o        = state_q == StWalk;
  assign walk_vpn_o    = part_va[38:12];
  assign walk_access_o = access_of(op_q);
  assign walk_fill     = walk_o && walk_done_i && !walk_page_fault_i && !walk_access_fault_i;

  // ---------------------------------------------------------------- reservation
  logic         reserved_q, reserve, unreserve, sc_ok;
  logic [39:6]  reserved_line_q;
  assign sc_ok = reserved_q && reserved_line_q == pa_q[39:6];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) reserved_q <= 1'b0;
    else if (clear_reservation_i || unreserve) reserved_q <= 1'b0;
    else if (reserve) reserved_q <= 1'b1;
  end
  always_ff @(posedge clk_i) if (reserve) reserved_line_q <= pa_q[39:6];

  // ---------------------------------------------------------------- uncached
  logic         io_write_push, bus_quiet;
  logic         io_write_valid_q;
  logic [39:0]  io_write_addr_q;
  logic [15:0]  io_write_strb_q;
  logic [63:0]  io_write_low_q, io_write_high_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) io_write_valid_q <= 1'b0;
    else if (io_write_push) io_write_valid_q <= 1'b1;
    else if (io_write_ready_i) io_write_valid_q <= 1'b0;
  end
  always_ff @(posedge clk_i) begin
    if (io_write_push) begin
      io_write_addr_q <= {pa_q[39:3], 3'b0};
      io_write_strb_q <= pair_strb;
      io_write_low_q  <= part_data;
      io_write_high_q <= is_pair ? pair_q : part_data;
    end
  end
  assign io_write_valid_o = io_write_valid_q;
  assign io_write_addr_o  = io_write_addr_q;
  assign io_write_strb_o  = io_write_strb_q;
  assign io_write_low_o   = io_write_low_q;
  assign io_write_high_o  = io_write_high_q;

  // What was stored before must be on its way (memory) or done (devices) before something is read.
  assign bus_quiet       = !leaving && !io_write_valid_q && !(io_q && writes_pending_i);
  assign io_read_valid_o = state_q == StRead && bus_quiet;
  assign io_read_op_o    = is_atomic ? amo_op_q : mbus_pkg::OpRead;
  assign io_read_addr_o  = io_q || is_atomic ? pa_q : {pa_q[39:3], 3'b0};
  assign io_read_size_o  = io_q || is_atomic ? {1'b0, size_q} : 3'd3;
  assign io_read_data_o  = part_data;
  assign drained_o       = !leaving && !io_write_valid_q && !writes_pending_i;

  // ---------------------------------------------------------------- what the memory stage does
  // First what kind of access this pass has turned out to be and what the cache has to do for it, ...
  typedef enum logic [2:0] {
    PassCancelled,
    PassFence,
    PassFault,
    PassWalk,
    PassCbo,
    PassScFails,
    PassUncached,
    PassCached
  } pass_e;

  pass_e       pass;
  logic [2:0]  pass_fault;       // {misaligned, page, access}
  logic        look_only;        // first part of a straddling store
  assign look_only = is_store && straddles && part_q == PartFirst;

  always_comb begin
    pass       = PassCached;
    pass_fault = '0;
    if (cancel_i) begin
      pass = PassCancelled;
    end else if (op_q == mpe_pkg::MemFence || op_q == mpe_pkg::MemFenceI) begin
      pass = PassFence;
    end else if (plain_memory && misaligned) begin
      pass       = PassFault;
      pass_fault = 3'b100;
    end else if (page_fault_q) begin
      pass       = PassFault;
      pass_fault = 3'b010;
    end else if (tlb_miss_q) begin
      pass = PassWalk;
    end else if (access_fault_q || (io_q && plain_memory) || ((io_q || uncached_q) && is_zero)) begin
      pass       = PassFault;
      pass_fault = 3'b001;
    end else if (is_cbo) begin
      pass = PassCbo;
    end else if (io_q && misaligned) begin
      pass       = PassFault;
      pass_fault = 3'b100;
    end else if (op_q == mpe_pkg::MemSc && !sc_ok) begin
      pass = PassScFails;
    end else if (io_q || uncached_q) begin
      pass = PassUncached;
    end
  end

  always_comb begin
    cmd_valid = 1'b0;
    cmd       = mpe_pkg::DRead;
    if (pte_pass_q) begin
      cmd_valid = !access_fault_q;
    end else if (state_q == StAmo) begin
      cmd_valid = 1'b1;
      cmd       = mpe_pkg::DWrite;
    end else if (state_q == StPass) begin
      unique case (pass)
        PassFence: begin
          cmd_valid = op_q == mpe_pkg::MemFenceI;
          cmd       = mpe_pkg::DCleanAll;
        end
        PassCbo: begin
          cmd_valid = !io_q;
          cmd       = op_q == mpe_pkg::MemCboClean ? mpe_pkg::DClean : op_q == mpe_pkg::MemCboFlush ? mpe_pkg::DFlush : mpe_pkg::DInval;
        end
        PassUncached: begin  // a cached copy of memory that is now named as uncached has to go first
          cmd_valid = !io_q;
          cmd       = mpe_pkg::DFlush;
        end
        PassCached: begin
          cmd_valid = 1'b1;
          if (look_only) cmd = mpe_pkg::DHold;
          else if (is_zero) cmd = mpe_pkg::DZero;
          else if (is_store || op_q == mpe_pkg::MemSc) cmd = mpe_pkg::DWrite;
        end
        default: ;
      endcase
    end
  end

  // ... then what follows from the cache's answer.
  logic         part_done;       // of a load or store
  logic [63:0]  part_word;       // what it read
  logic         fault;
  logic [2:0]   fault_kind;      // as pass_fault
  logic         load_like;
  assign load_like = op_q == mpe_pkg::MemLoad || op_q == mpe_pkg::MemLr;

  always_comb begin
    state_d       = state_q;
    part_d        = part_q;
    m_done        = 1'b0;
    fault         = 1'b0;
    fault_kind    = pass_fault;
    part_done     = 1'b0;
    part_word     = cmd_word;
    reserve       = 1'b0;
    unreserve     = 1'b0;
    io_write_push = 1'b0;
    ev_tlb_miss_o = 1'b0;
    ev_uncached_o = 1'b0;

    unique case (state_q)
      StIdle: ;

      StPass: begin
        unique case (pass)
          PassCancelled: m_done = 1'b1;
          PassFence:     m_done = op_q == mpe_pkg::MemFence ? drained_o : cmd_done;
          PassFault:     fault  = 1'b1;
          PassCbo:       m_done = io_q || cmd_done;
          PassWalk: begin
            ev_tlb_miss_o = 1'b1;
            state_d       = StWalk;
          end
          PassScFails: begin
            m_done    = 1'b1;
            unreserve = 1'b1;
          end
          PassUncached: begin
            if (io_q || cmd_done) begin
              if (look_only) begin
                part_done = 1'b1;
              end else if (is_store) begin
                io_write_push = !io_write_valid_q && !leave && !leaving;
                part_done     = io_write_push;
                ev_uncached_o = io_write_push;
              end else begin
                state_d       = StRead;
                ev_uncached_o = 1'b1;
              end
            end
          end
          default: begin  // PassCached
            if (cmd_done && cmd_fault) begin
              fault      = 1'b1;
              fault_kind = 3'b001;
            end else if (cmd_done) begin
              unique case (op_q)
                mpe_pkg::MemAmo:  state_d = StAmo;
                mpe_pkg::MemLr:   begin m_done = 1'b1; reserve = 1'b1; end
                mpe_pkg::MemSc:   begin m_done = 1'b1; unreserve = 1'b1; end
                default: part_done = 1'b1;
              endcase
            end
          end
        endcase
      end

      StIssue: state_d = StPass;

      StWalk: begin
        fault_kind = {1'b0, walk_page_fault_i, walk_access_fault_i};
        if (walk_done_i) begin
          state_d = StIssue;
          fault   = walk_page_fault_i || walk_access_fault_i;
        end
      end

      StAmo: m_done = cmd_done;

      StRead: if (io_read_valid_o && io_read_ready_i) state_d = StResponse;

      default: begin  // StResponse
        part_word  = read_data_i[64*pa_q[5:3]+:64];
        fault_kind = 3'b001;
        if (read_rsp_i) begin
          if (read_err_i) begin
            fault = 1'b1;
          end else if (op_q == mpe_pkg::MemLoad) begin
            part_done = 1'b1;
          end else begin
            m_done    = 1'b1;
            reserve   = op_q == mpe_pkg::MemLr;
            unreserve = op_q == mpe_pkg::MemSc;
          end
        end
      end
    endcase

    if (part_done) begin
      if (!straddles || (second && !is_store) || part_q == PartFirstAgain) begin
        m_done = 1'b1;
      end else begin
        part_d  = second ? PartFirstAgain : PartSecond;
        state_d = StIssue;
      end
    end
    if (fault) m_done = 1'b1;
    if (m_done) state_d = StIdle;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      part_q  <= PartFirst;
    end else begin
      state_q <= x_fire_i ? StPass : state_d;
      part_q  <= x_fire_i ? PartFirst : part_d;
    end
  end

  always_ff @(posedge clk_i) if ((part_done && !second) || (state_q == StPass && op_q == mpe_pkg::MemAmo)) word_q <= part_word;

  // ---------------------------------------------------------------- results
  assign done_o  = m_done;
  assign fault_o = fault;
  assign tval_o  = part_va;

  always_comb begin
    unique case (1'b1)
      fault_kind[2]: cause_o = load_like ? mpe_pkg::ExcLoadMisaligned : mpe_pkg::ExcStoreMisaligned;
      fault_kind[1]: cause_o = load_like ? mpe_pkg::ExcLoadPage : mpe_pkg::ExcStorePage;
      default:       cause_o = load_like ? mpe_pkg::ExcLoadAccess : mpe_pkg::ExcStoreAccess;
    endcase
  end

  logic [63:0] raw;    // requested bytes at the low end
  always_comb begin
    logic [63:0] low;
    low = second || state_q == StAmo ? word_q : part_word;
    raw = low >> {offset, 3'b0};
    if (second) raw |= part_word << (7'd64 - {1'b0, offset, 3'b0});
  end

  always_comb begin
    unique case (size_q)
      2'd0:    result_o = {{56{raw[7] & ~unsigned_q}}, raw[7:0]};
      2'd1:    result_o = {{48{raw[15] & ~unsigned_q}}, raw[15:0]};
      2'd2:    result_o = {{32{raw[31] & ~unsigned_q}}, raw[31:0]};
      default: result_o = raw;
    endcase
    if (op_q == mpe_pkg::MemSc) result_o = {63'b0, state_q == StResponse ? raw[0] : !sc_ok};
  end

  logic [63:0] amo_new;
  amo_alu u_amo_alu (
      .op_i      (amo_op_q),
      .size_i    ({1'b0, size_q}),
      .old_i     (raw),
      .operand_i (data_q),
      .new_o     (amo_new)
  );
  assign amo_result = amo_new << {offset, 3'b0};

`ifdef MPE_RVFI
  logic [39:0] first_pa_q;
  always_ff @(posedge clk_i) if (state_q == StPass && part_q == PartFirst) first_pa_q <= pa_q;
  assign rvfi_paddr_o = state_q == StPass && part_q == PartFirst ? pa_q : first_pa_q;
  assign rvfi_wrote_o = op_q != mpe_pkg::MemSc || result_o == '0;
  always_comb begin
    unique case (size_q)
      2'd0:    rvfi_rdata_o = {56'b0, raw[7:0]};
      2'd1:    rvfi_rdata_o = {48'b0, raw[15:0]};
      2'd2:    rvfi_rdata_o = {32'b0, raw[31:0]};
      default: rvfi_rdata_o = raw;
    endcase
  end
`endif

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) assert (!(x_fire_i && !x_ready_o)) else $error("access began while none could");
  end
`endif

endmodule
