// SPDX-License-Identifier: Apache-2.0
// The management processing element: a single-issue, in-order RV64 core with caches and address translation.
// Wiring of its stages; docs/hardware/mpe.md is the tour.
module mpe #(
    parameter int unsigned ICacheBytes = 16384,
    parameter int unsigned DCacheBytes = 16384
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic [63:0]         boot_addr_i,
    input  logic [63:0]         nmi_addr_i,
    input  logic [63:0]         hart_id_i,
    input  logic [63:0]         time_i,

    input  logic                irq_m_software_i,
    input  logic                irq_m_timer_i,
    input  logic                irq_m_external_i,
    input  logic                irq_s_external_i,
    input  logic                nmi_i,             // taken on its rising edge

    output logic                mbus_req_valid_o,
    input  logic                mbus_req_ready_i,
    output mbus_pkg::req_t      mbus_req_o,
    input  logic                mbus_rsp_valid_i,
    input  mbus_pkg::rsp_t      mbus_rsp_i,
    output logic                write_error_o,     // a posted write was refused by the bus

    output logic                sleep_o,           // in wfi with nothing under way: the clock may stop

    input  debug_pkg::req_t   dbg_req_i,
    output debug_pkg::rsp_t   dbg_rsp_o

`ifdef MPE_RVFI
    ,
    output logic                rvfi_valid,
    output logic                rvfi_trap,
    output logic                rvfi_intr,
    output logic [31:0]         rvfi_insn,
    output logic [63:0]         rvfi_pc,
    output logic [63:0]         rvfi_next_pc,
    output logic [63:0]         rvfi_cause,
    output logic [63:0]         rvfi_tval,
    output logic [1:0]          rvfi_mode,
    output logic [1:0]          rvfi_priv,
    output logic [4:0]          rvfi_rd,
    output logic [63:0]         rvfi_rd_wdata,
    output logic [63:0]         rvfi_mem_addr,
    output logic [39:0]         rvfi_mem_paddr,
    output logic [7:0]          rvfi_mem_rmask,
    output logic [15:0]         rvfi_mem_wmask,
    output logic [63:0]         rvfi_mem_rdata,
    output logic [63:0]         rvfi_mem_wdata,
    output logic [63:0]         rvfi_mem_wdata_high,
    output logic [63:0]         rvfi_mip,
    output logic [63:0]         rvfi_csr_mstatus, rvfi_csr_mie, rvfi_csr_mtvec, rvfi_csr_mscratch, rvfi_csr_mepc,
    output logic [63:0]         rvfi_csr_mcause, rvfi_csr_mtval, rvfi_csr_medeleg, rvfi_csr_mideleg,
    output logic [63:0]         rvfi_csr_mcounteren, rvfi_csr_menvcfg, rvfi_csr_stvec, rvfi_csr_sscratch,
    output logic [63:0]         rvfi_csr_sepc, rvfi_csr_scause, rvfi_csr_stval, rvfi_csr_satp, rvfi_csr_scounteren,
    output logic [63:0]         rvfi_csr_senvcfg, rvfi_csr_minstret
`endif
);

  // ---------------------------------------------------------------- translation context
  mpe_pkg::priv_e        priv;
  logic         fetch_translate, data_translate, flush_tlb_q, sfence, satp_written, pbmt_enable;
  mpe_pkg::xlate_ctx_t   fetch_ctx, data_ctx;
  logic [43:0]  root_ppn;
  // With the redirection that follows such an instruction; registered, for the walker answers the memory stage at once.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) flush_tlb_q <= 1'b0;
    else flush_tlb_q <= sfence || satp_written;
  end

  logic                  fetch_walk, fetch_walk_done, walk_page_fault, walk_access_fault;
  logic [26:0]           fetch_walk_vpn;
  mpe_pkg::tlb_entry_t   walk_entry;

  // ---------------------------------------------------------------- fetch
  logic         redirect, x_redirect, m_redirect, halted, invalidate_icache;
  logic [63:0]  redirect_pc, x_redirect_pc, m_redirect_pc;
  assign redirect    = x_redirect || m_redirect;
  assign redirect_pc = m_redirect ? m_redirect_pc : x_redirect_pc;

  logic         fetch_req_valid, fetch_req_ready, fetch_rsp, rsp_err;
  logic [39:0]  fetch_req_addr;
  logic [511:0] rsp_data;
  logic         resolve, resolve_taken, drop_prediction;
  logic [63:0]  resolve_end, resolve_next, resolve_target;
  mpe_pkg::br_kind_e     resolve_kind;
  mpe_pkg::history_t     resolve_history, f_history;

  logic         f_valid, f_ready, f_page_fault, f_access_fault, f_second_half, f_cut, f_taken, fetch_idle;
  logic [31:0]  f_insn;
  logic [63:0]  f_pc, f_target;
  logic         ev_icache_miss, ev_itlb_miss;

  mpe_fetch #(.CacheBytes(ICacheBytes)) u_fetch (
      .clk_i, .rst_ni,
      .redirect_i          (redirect),
      .redirect_pc_i       (redirect_pc),
      .hold_i              (halted),
      .invalidate_i        (invalidate_icache),
      .translate_i         (fetch_translate),
      .ctx_i               (fetch_ctx),
      .flush_tlb_i         (flush_tlb_q),
      .walk_o              (fetch_walk),
      .walk_vpn_o          (fetch_walk_vpn),
      .walk_done_i         (fetch_walk_done),
      .walk_page_fault_i   (walk_page_fault),
      .walk_access_fault_i (walk_access_fault),
      .walk_entry_i        (walk_entry),
      .refill_valid_o      (fetch_req_valid),
      .refill_ready_i      (fetch_req_ready),
      .refill_addr_o       (fetch_req_addr),
      .refill_rsp_i        (fetch_rsp),
      .refill_err_i        (rsp_err),
      .refill_data_i       (rsp_data),
      .resolve_i           (resolve),
      .resolve_end_i       (resolve_end),
      .resolve_next_i      (resolve_next),
      .resolve_taken_i     (resolve_taken),
      .resolve_target_i    (resolve_target),
      .resolve_kind_i      (resolve_kind),
      .resolve_history_i   (resolve_history),
      .drop_prediction_i   (drop_prediction),
      .insn_valid_o        (f_valid),
      .insn_ready_i        (f_ready),
      .insn_o              (f_insn),
      .insn_pc_o           (f_pc),
      .insn_page_fault_o   (f_page_fault),
      .insn_access_fault_o (f_access_fault),
      .insn_second_half_o  (f_second_half),
      .insn_cut_o          (f_cut),
      .insn_taken_o        (f_taken),
      .insn_target_o       (f_target),
      .insn_history_o      (f_history),
      .idle_o              (fetch_idle),
      .ev_miss_o           (ev_icache_miss),
      .ev_tlb_miss_o       (ev_itlb_miss)
  );

  // ---------------------------------------------------------------- decode
  logic         d_late_a, d_late_b, x_late_alu;
  logic [63:0]  x_alu_a, x_alu_b;
  logic         x_free, d_issue, d_compressed, m_flush, inject;
  logic [31:0]  d_insn;
  mpe_pkg::ctrl_t        d_ctrl;
  logic [63:0]  d_imm, d_a, d_b, d_c;

  logic         x_valid, x_late, x_advance, x_exception, x_cbo_as_flush;
  mpe_pkg::ctrl_t        x_ctrl;
  logic [31:0]  x_insn;
  logic [63:0]  x_pc, x_next_pc, x_a, x_b, x_c, x_result, x_tval;
  mpe_pkg::exc_e         x_cause;

  logic         m_valid, m_free, m_done, m_write, m_retire;
  mpe_pkg::ctrl_t        m_ctrl;
  logic [31:0]  m_insn;
  logic [63:0]  m_pc, m_operand, m_result;
  logic         ev_use_stall, ev_fetch_empty, ev_mispredict;

  logic regs_ready;

  mpe_issue u_issue (
      .clk_i, .rst_ni,
      .ready_o            (regs_ready),
      .insn_valid_i       (f_valid && !halted),
      .insn_ready_o       (f_ready),
      .insn_i             (f_insn),
      .inject_i           (inject),
      .inject_insn_i      (dbg_req_i.insn),
      .x_free_i           (x_free),
      .kill_i             (redirect || m_flush),
      .issue_o            (d_issue),
      .issue_insn_o       (d_insn),
      .issue_compressed_o (d_compressed),
      .issue_ctrl_o       (d_ctrl),
      .issue_imm_o        (d_imm),
      .issue_a_o          (d_a),
      .issue_b_o          (d_b),
      .issue_c_o          (d_c),
      .issue_late_a_o     (d_late_a),
      .issue_late_b_o     (d_late_b),
      .x_valid_i          (x_valid),
      .x_rd_i             (x_ctrl.rd),
      .x_late_i           (x_late),
      .x_result_i         (x_result),
      .m_valid_i          (m_valid),
      .m_rd_i             (m_ctrl.rd),
      .m_done_i           (m_done),
      .m_result_i         (m_result),
      .m_write_i          (m_write),
      .ev_use_stall_o     (ev_use_stall),
      .ev_fetch_empty_o   (ev_fetch_empty)
  );

  // ---------------------------------------------------------------- execute
  logic lsu_free, tvm, tw, tsr, cbo_clean_ok, cbo_inval_ok, cbo_inval_flushes, cbo_zero_ok;

  mpe_execute u_execute (
      .clk_i, .rst_ni,
      .free_o              (x_free),
      .issue_i             (d_issue),
      .insn_i              (d_insn),
      .compressed_i        (d_compressed),
      .ctrl_i              (d_ctrl),
      .imm_i               (d_imm),
      .a_i                 (d_a),
      .b_i                 (d_b),
      .c_i                 (d_c),
      .late_a_i            (d_late_a),
      .late_b_i            (d_late_b),
      .pc_i                (f_pc),
      .page_fault_i        (f_page_fault && !inject),
      .access_fault_i      (f_access_fault && !inject),
      .second_half_i       (f_second_half),
      .cut_i               (f_cut && !inject),
      .taken_i             (f_taken),
      .target_i            (f_target),
      .history_i           (f_history),
      .m_free_i            (m_free),
      .m_result_i          (m_result),
      .lsu_free_i          (lsu_free),
      .flush_i             (m_flush),
      .advance_o           (x_advance),
      .valid_o             (x_valid),
      .ctrl_o              (x_ctrl),
      .insn_o              (x_insn),
      .pc_o                (x_pc),
      .next_pc_o           (x_next_pc),
      .a_o                 (x_a),
      .b_o                 (x_b),
      .c_o                 (x_c),
      .result_o            (x_result),
      .late_o              (x_late),
      .late_alu_o          (x_late_alu),
      .alu_a_o             (x_alu_a),
      .alu_b_o             (x_alu_b),
      .exception_o         (x_exception),
      .cause_o             (x_cause),
      .tval_o              (x_tval),
      .cbo_as_flush_o      (x_cbo_as_flush),
      .redirect_o          (x_redirect),
      .redirect_pc_o       (x_redirect_pc),
      .resolve_o           (resolve),
      .resolve_end_o       (resolve_end),
      .resolve_next_o      (resolve_next),
      .resolve_taken_o     (resolve_taken),
      .resolve_target_o    (resolve_target),
      .resolve_kind_o      (resolve_kind),
      .resolve_history_o   (resolve_history),
      .drop_prediction_o   (drop_prediction),
      .priv_i              (priv),
      .debug_i             (halted),
      .tvm_i               (tvm),
      .tw_i                (tw),
      .tsr_i               (tsr),
      .cbo_clean_ok_i      (cbo_clean_ok),
      .cbo_inval_ok_i      (cbo_inval_ok),
      .cbo_inval_flushes_i (cbo_inval_flushes),
      .cbo_zero_ok_i       (cbo_zero_ok),
      .ev_mispredict_o     (ev_mispredict)
  );

  logic         x_start, div_done;
  logic [63:0]  mul_result, div_result;
  assign x_start = x_advance && !x_exception;

  mpe_mul u_mul (
      .clk_i,
      .start_i  (x_start && x_ctrl.unit == mpe_pkg::UnitMul),
      .funct_i  (x_ctrl.funct3[1:0]),
      .word_i   (x_ctrl.word),
      .a_i      (x_a),
      .b_i      (x_b),
      .result_o (mul_result)
  );

  mpe_div u_div (
      .clk_i, .rst_ni,
      .start_i  (x_start && x_ctrl.unit == mpe_pkg::UnitDiv),
      .funct_i  (x_ctrl.funct3[1:0]),
      .word_i   (x_ctrl.word),
      .a_i      (x_a),
      .b_i      (x_b),
      .done_o   (div_done),
      .result_o (div_result)
  );

  // ---------------------------------------------------------------- memory
  logic         lsu_cancel, lsu_done, lsu_fault, lsu_drained;
  mpe_pkg::exc_e         lsu_cause;
  logic [63:0]  lsu_tval, lsu_result;
  logic         ev_dcache_miss, ev_dtlb_miss, ev_uncached, ev_write_back;
  logic         trap, trap_interrupt, trap_nmi, mret, sret;
  mpe_pkg::mem_op_e      x_mem_op;
  assign x_mem_op = x_ctrl.mem_op == mpe_pkg::MemCboInval && x_cbo_as_flush ? mpe_pkg::MemCboFlush : x_ctrl.mem_op;

`ifdef MPE_RVFI
  logic [63:0]  m_next_pc;
  logic [39:0]  lsu_paddr;
  logic [63:0]  lsu_rdata;
  logic         lsu_wrote;
`endif

  mpe_memory #(.CacheBytes(DCacheBytes)) u_memory (
      .clk_i, .rst_ni,
      .flush_tlb_i         (flush_tlb_q),
      .root_ppn_i          (root_ppn),
      .pbmt_enable_i       (pbmt_enable),
      .translate_i         (data_translate),
      .ctx_i               (data_ctx),
      .fetch_walk_i        (fetch_walk),
      .fetch_walk_vpn_i    (fetch_walk_vpn),
      .fetch_ctx_i         (fetch_ctx),
      .fetch_walk_done_o   (fetch_walk_done),
      .walk_page_fault_o   (walk_page_fault),
      .walk_access_fault_o (walk_access_fault),
      .walk_entry_o        (walk_entry),
      .fetch_req_valid_i   (fetch_req_valid),
      .fetch_req_ready_o   (fetch_req_ready),
      .fetch_req_addr_i    (fetch_req_addr),
      .fetch_rsp_o         (fetch_rsp),
      .rsp_err_o           (rsp_err),
      .rsp_data_o          (rsp_data),
      .x_ready_o           (lsu_free),
      .x_fire_i            (x_start && x_ctrl.unit == mpe_pkg::UnitMem),
      .x_op_i              (x_mem_op),
      .x_amo_op_i          (x_ctrl.amo_op),
      .x_size_i            (x_ctrl.funct3[1:0]),
      .x_unsigned_i        (x_ctrl.funct3[2]),
      .x_addr_i            (x_result),
      .x_data_i            (x_b),
      .x_pair_i            (x_c),
      .cancel_i            (lsu_cancel),
      .clear_reservation_i (trap || mret || sret),
      .done_o              (lsu_done),
      .fault_o             (lsu_fault),
      .cause_o             (lsu_cause),
      .tval_o              (lsu_tval),
      .result_o            (lsu_result),
      .drained_o           (lsu_drained),
      .write_error_o,
      .mbus_req_valid_o, .mbus_req_ready_i, .mbus_req_o, .mbus_rsp_valid_i, .mbus_rsp_i,
`ifdef MPE_RVFI
      .rvfi_paddr_o        (lsu_paddr),
      .rvfi_rdata_o        (lsu_rdata),
      .rvfi_wrote_o        (lsu_wrote),
`endif
      .ev_miss_o           (ev_dcache_miss),
      .ev_tlb_miss_o       (ev_dtlb_miss),
      .ev_uncached_o       (ev_uncached),
      .ev_write_back_o     (ev_write_back)
  );

  // ---------------------------------------------------------------- commit
  logic         csr_access, csr_commit, csr_write, csr_illegal, csr_refetch;
  logic [63:0]  csr_rdata, trap_value, trap_target, return_target, debug_pc, debug_data;
  logic [3:0]   trap_code, interrupt_code;
  logic         interrupt, wake, waiting, debug_enter, debug_busy, debug_fault;
  debug_pkg::halt_cause_e  debug_cause, halt_cause;

  mpe_commit u_commit (
      .clk_i, .rst_ni, .boot_addr_i,
      .boot_ready_i        (regs_ready),
      .free_o              (m_free),
      .advance_i           (x_advance),
      .ctrl_i              (x_ctrl),
      .insn_i              (x_insn),
      .pc_i                (x_pc),
      .next_pc_i           (x_next_pc),
      .result_i            (x_result),
      .late_alu_i          (x_late_alu),
      .alu_a_i             (x_alu_a),
      .alu_b_i             (x_alu_b),
      .exception_i         (x_exception),
      .cause_i             (x_cause),
      .tval_i              (x_tval),
      .valid_o             (m_valid),
      .ctrl_o              (m_ctrl),
      .insn_o              (m_insn),
      .pc_o                (m_pc),
      .operand_o           (m_operand),
      .done_o              (m_done),
      .result_o            (m_result),
      .write_o             (m_write),
      .retire_o            (m_retire),
`ifdef MPE_RVFI
      .rvfi_next_pc_o      (m_next_pc),
`endif
      .lsu_cancel_o        (lsu_cancel),
      .lsu_done_i          (lsu_done),
      .lsu_fault_i         (lsu_fault),
      .lsu_cause_i         (lsu_cause),
      .lsu_tval_i          (lsu_tval),
      .lsu_result_i        (lsu_result),
      .mul_result_i        (mul_result),
      .div_done_i          (div_done),
      .div_result_i        (div_result),
      .csr_access_o        (csr_access),
      .csr_commit_o        (csr_commit),
      .csr_write_o         (csr_write),
      .csr_illegal_i       (csr_illegal),
      .csr_refetch_i       (csr_refetch),
      .csr_rdata_i         (csr_rdata),
      .trap_o              (trap),
      .trap_interrupt_o    (trap_interrupt),
      .trap_code_o         (trap_code),
      .trap_nmi_o          (trap_nmi),
      .trap_value_o        (trap_value),
      .mret_o              (mret),
      .sret_o              (sret),
      .trap_target_i       (trap_target),
      .return_target_i     (return_target),
      .interrupt_i         (interrupt),
      .interrupt_code_i    (interrupt_code),
      .wake_i              (wake),
      .nmi_i,
      .flush_o             (m_flush),
      .redirect_o          (m_redirect),
      .redirect_pc_o       (m_redirect_pc),
      .flush_tlb_o         (sfence),
      .invalidate_icache_o (invalidate_icache),
      .waiting_o           (waiting),
      .dbg_req_i,
      .debug_pc_i          (debug_pc),
      .debug_o             (halted),
      .debug_enter_o       (debug_enter),
      .debug_cause_o       (debug_cause),
      .inject_o            (inject),
      .debug_busy_o        (debug_busy),
      .debug_fault_o       (debug_fault),
      .inject_taken_i      (d_issue)
  );

  assign dbg_rsp_o.halted = halted;
  assign dbg_rsp_o.cause  = halt_cause;
  assign dbg_rsp_o.busy   = debug_busy;
  assign dbg_rsp_o.fault  = debug_fault;
  assign dbg_rsp_o.data   = debug_data;
  assign sleep_o   = waiting && lsu_drained && fetch_idle;

  logic [15:0] events;
  always_comb begin
    events               = '0;
    events[mpe_pkg::EvICacheMiss] = ev_icache_miss;
    events[mpe_pkg::EvDCacheMiss] = ev_dcache_miss;
    events[mpe_pkg::EvBranch]     = m_retire && (m_ctrl.unit == mpe_pkg::UnitBranch || m_ctrl.unit == mpe_pkg::UnitJal || m_ctrl.unit == mpe_pkg::UnitJalr);
    events[mpe_pkg::EvMispredict] = ev_mispredict;
    events[mpe_pkg::EvItlbMiss]   = ev_itlb_miss;
    events[mpe_pkg::EvDtlbMiss]   = ev_dtlb_miss;
    events[mpe_pkg::EvLoad]       = m_retire && m_ctrl.unit == mpe_pkg::UnitMem && m_ctrl.mem_op == mpe_pkg::MemLoad;
    events[mpe_pkg::EvStore]      = m_retire && m_ctrl.unit == mpe_pkg::UnitMem &&
                                    (m_ctrl.mem_op == mpe_pkg::MemStore || m_ctrl.mem_op == mpe_pkg::MemStorePair);
    events[mpe_pkg::EvUseStall]   = ev_use_stall;
    events[mpe_pkg::EvFetchEmpty] = ev_fetch_empty;
    events[mpe_pkg::EvMemStall]   = m_valid && m_ctrl.unit == mpe_pkg::UnitMem && !m_done;
    events[mpe_pkg::EvTrap]       = trap;
    events[mpe_pkg::EvUncached]   = ev_uncached;
    events[mpe_pkg::EvWriteBack]  = ev_write_back;
  end

`ifdef MPE_RVFI
  logic [63:0] mip;
  assign rvfi_priv = priv;

  mpe_rvfi u_rvfi (
      .clk_i, .rst_ni,
      .advance_i        (x_advance),
      .store_data_i     (x_b),
      .store_pair_i     (x_c),
      .retire_i         (m_retire),
      .trap_i           (trap),
      .trap_interrupt_i (trap_interrupt),
      .trap_code_i      (trap_code),
      .trap_value_i     (trap_value),
      .trap_target_i    (trap_target),
      .return_target_i  (return_target),
      .returns_i        (mret || sret),
      .ctrl_i           (m_ctrl),
      .insn_i           (m_insn),
      .pc_i             (m_pc),
      .next_pc_i        (m_next_pc),
      .priv_i           (priv),
      .write_i          (m_write),
      .result_i         (m_result),
      .mem_addr_i       (m_operand),
      .mem_paddr_i      (lsu_paddr),
      .mem_rdata_i      (lsu_rdata),
      .mem_wrote_i      (lsu_wrote),
      .mip_i            (mip),
      .rvfi_valid, .rvfi_trap, .rvfi_intr, .rvfi_insn, .rvfi_pc, .rvfi_next_pc, .rvfi_cause, .rvfi_tval, .rvfi_mode,
      .rvfi_rd, .rvfi_rd_wdata, .rvfi_mem_addr, .rvfi_mem_paddr, .rvfi_mem_rmask, .rvfi_mem_wmask, .rvfi_mem_rdata,
      .rvfi_mem_wdata, .rvfi_mem_wdata_high, .rvfi_mip
  );
`endif

  mpe_csr u_csr (
      .clk_i, .rst_ni, .hart_id_i, .time_i,
      .irq_m_software_i, .irq_m_timer_i, .irq_m_external_i, .irq_s_external_i,
      .access_i            (csr_access),
      .addr_i              (m_insn[31:20]),
      .op_i                (m_ctrl.funct3[1:0]),
      .write_i             (csr_write),
      .operand_i           (m_operand),
      .commit_i            (csr_commit),
      .rdata_o             (csr_rdata),
      .illegal_o           (csr_illegal),
      .refetch_o           (csr_refetch),
      .trap_i              (trap),
      .trap_interrupt_i    (trap_interrupt),
      .trap_code_i         (trap_code),
      .trap_nmi_i          (trap_nmi),
      .trap_pc_i           (m_pc),
      .trap_value_i        (trap_value),
      .nmi_addr_i,
      .mret_i              (mret),
      .sret_i              (sret),
      .trap_target_o       (trap_target),
      .return_target_o     (return_target),
      .interrupt_o         (interrupt),
      .interrupt_code_o    (interrupt_code),
      .wake_o              (wake),
      .priv_o              (priv),
      .tvm_o               (tvm),
      .tw_o                (tw),
      .tsr_o               (tsr),
      .fetch_translate_o   (fetch_translate),
      .fetch_ctx_o         (fetch_ctx),
      .data_translate_o    (data_translate),
      .data_ctx_o          (data_ctx),
      .root_ppn_o          (root_ppn),
      .pbmt_enable_o       (pbmt_enable),
      .cbo_clean_ok_o      (cbo_clean_ok),
      .cbo_inval_ok_o      (cbo_inval_ok),
      .cbo_inval_flushes_o (cbo_inval_flushes),
      .cbo_zero_ok_o       (cbo_zero_ok),
      .satp_written_o      (satp_written),
      .debug_i             (halted),
      .debug_enter_i       (debug_enter),
      .debug_pc_i          (m_pc),
      .debug_cause_i       (debug_cause),
      .debug_data_we_i     (dbg_req_i.data_we),
      .debug_data_i        (dbg_req_i.data),
      .debug_data_o        (debug_data),
      .debug_pc_o          (debug_pc),
      .debug_cause_o       (halt_cause),
`ifdef MPE_RVFI
      .rvfi_csr_mstatus_o (rvfi_csr_mstatus), .rvfi_csr_mie_o (rvfi_csr_mie), .rvfi_csr_mip_o (mip),
      .rvfi_csr_mtvec_o (rvfi_csr_mtvec), .rvfi_csr_mscratch_o (rvfi_csr_mscratch), .rvfi_csr_mepc_o (rvfi_csr_mepc),
      .rvfi_csr_mcause_o (rvfi_csr_mcause), .rvfi_csr_mtval_o (rvfi_csr_mtval),
      .rvfi_csr_medeleg_o (rvfi_csr_medeleg), .rvfi_csr_mideleg_o (rvfi_csr_mideleg),
      .rvfi_csr_mcounteren_o (rvfi_csr_mcounteren), .rvfi_csr_menvcfg_o (rvfi_csr_menvcfg),
      .rvfi_csr_stvec_o (rvfi_csr_stvec), .rvfi_csr_sscratch_o (rvfi_csr_sscratch), .rvfi_csr_sepc_o (rvfi_csr_sepc),
      .rvfi_csr_scause_o (rvfi_csr_scause), .rvfi_csr_stval_o (rvfi_csr_stval), .rvfi_csr_satp_o (rvfi_csr_satp),
      .rvfi_csr_scounteren_o (rvfi_csr_scounteren), .rvfi_csr_senvcfg_o (rvfi_csr_senvcfg),
      .rvfi_csr_minstret_o (rvfi_csr_minstret),
`endif
      .retire_i            (m_retire),
      .events_i            (events)
  );

endmodule
