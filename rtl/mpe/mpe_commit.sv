// SPDX-License-Identifier: Apache-2.0
// Memory stage: where instructions commit, traps are taken, and the debugger halts the core.
//
// An instruction commits in the cycle in which it is done. Before it has begun to act (its first cycle here) an interrupt
// or a halt may take its place. Whatever changes the meaning of later instructions (traps, returns, fence.i, some CSR
// writes) empties the pipeline and redirects fetch in the next cycle.
module mpe_commit (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic [63:0]             boot_addr_i,
    input  logic                    boot_ready_i,

    // from execute
    output logic                    free_o,
    input  logic                    advance_i,
    input  mpe_pkg::ctrl_t          ctrl_i,
    input  logic [31:0]             insn_i,
    input  logic [63:0]             pc_i,
    input  logic [63:0]             next_pc_i,
    input  logic [63:0]             result_i,
    input  logic                    late_alu_i,      // not result_i, but what the operation gives for these
    input  logic [63:0]             alu_a_i,
    input  logic [63:0]             alu_b_i,
    input  logic                    exception_i,
    input  mpe_pkg::exc_e           cause_i,
    input  logic [63:0]             tval_i,

    // the instruction here, and what it produces
    output logic                    valid_o,
    output mpe_pkg::ctrl_t          ctrl_o,
    output logic [31:0]             insn_o,
    output logic [63:0]             pc_o,
    output logic [63:0]             operand_o,       // of a CSR access
    output logic                    done_o,
    output logic [63:0]             result_o,
    output logic                    write_o,         // result_o goes to the register file
    output logic                    retire_o,

`ifdef MPE_RVFI
    output logic [63:0]             rvfi_next_pc_o,
`endif

    // units that finish here
    output logic                    lsu_cancel_o,
    input  logic                    lsu_done_i,
    input  logic                    lsu_fault_i,
    input  mpe_pkg::exc_e           lsu_cause_i,
    input  logic [63:0]             lsu_tval_i,
    input  logic [63:0]             lsu_result_i,
    input  logic [63:0]             mul_result_i,
    input  logic                    div_done_i,
    input  logic [63:0]             div_result_i,

    // CSR file
    output logic                    csr_access_o,
    output logic                    csr_commit_o,
    output logic                    csr_write_o,
    input  logic                    csr_illegal_i,
    input  logic                    csr_refetch_i,
    input  logic [63:0]             csr_rdata_i,
    output logic                    trap_o,
    output logic                    trap_interrupt_o,
    output logic [3:0]              trap_code_o,
    output logic                    trap_nmi_o,
    output logic [63:0]             trap_value_o,
    output logic                    mret_o,
    output logic                    sret_o,
    input  logic [63:0]             trap_target_i,
    input  logic [63:0]             return_target_i,
    input  logic                    interrupt_i,
    input  logic [3:0]              interrupt_code_i,
    input  logic                    wake_i,
    input  logic                    nmi_i,

    // effects on the rest of the core
    output logic                    flush_o,          // empty decode and execute
    output logic                    redirect_o,       // one cycle later
    output logic [63:0]             redirect_pc_o,
    output logic                    flush_tlb_o,
    output logic                    invalidate_icache_o,
    output logic                    waiting_o,        // in wfi

    // debug
    input  debug_pkg::req_t       dbg_req_i,
    input  logic [63:0]             debug_pc_i,       // where to resume
    output logic                    debug_o,          // halted
    output logic                    debug_enter_o,
    output debug_pkg::halt_cause_e    debug_cause_o,
    output logic                    inject_o,
    output logic                    debug_busy_o,
    output logic                    debug_fault_o,
    input  logic                    inject_taken_i
);

  // ---------------------------------------------------------------- the instruction here
  logic         valid_q, first_q, exception_q, late_alu_q;
  logic [63:0]  alu_a_q, alu_b_q, late_result;
  mpe_pkg::ctrl_t        ctrl_q;
  logic [31:0]  insn_q;
  logic [63:0]  pc_q, next_pc_q, result_q, tval_q;
  mpe_pkg::exc_e         cause_q;

  assign free_o = !valid_q || done_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      first_q <= 1'b0;
    end else begin
      if (free_o) valid_q <= advance_i;
      first_q <= free_o;
    end
  end

  always_ff @(posedge clk_i) begin
    if (advance_i) begin
      ctrl_q      <= ctrl_i;
      insn_q      <= insn_i;
      pc_q        <= pc_i;
      next_pc_q   <= next_pc_i;
      result_q    <= result_i;
      exception_q <= exception_i;
      late_alu_q  <= late_alu_i;
      if (late_alu_i) begin
        alu_a_q <= alu_a_i;
        alu_b_q <= alu_b_i;
      end
      cause_q     <= cause_i;
      tval_q      <= tval_i;
    end
  end

  assign valid_o   = valid_q;
  assign ctrl_o    = ctrl_q;
  assign insn_o    = insn_q;
  assign pc_o      = pc_q;
  assign operand_o = result_q;

  mpe_alu u_late_alu (
      .op_i     (ctrl_q.alu_op),
      .word_i   (ctrl_q.word),
      .uw_i     (ctrl_q.uw),
      .shadd_i  (ctrl_q.shadd),
      .a_i      (alu_a_q),
      .b_i      (alu_b_q),
      .result_o (late_result)
  );

  // ---------------------------------------------------------------- debug state
  logic halted_q, stepping_q, stepped_q, resumed_q, inject_q, inject_busy_q, inject_fault_q;
  logic halt_now, at_breakpoint, ebreak_halt;

  always_comb begin
    at_breakpoint = 1'b0;
    if (dbg_req_i.bp_en != '0) begin
      for (int unsigned i = 0; i < debug_pkg::NumBreakpoints; i++) begin
        if (dbg_req_i.bp_en[i] && dbg_req_i.bp_addr[i] == pc_q && !resumed_q) at_breakpoint = 1'b1;
      end
    end
  end

  assign ebreak_halt = dbg_req_i.ebreak_halts && exception_q && cause_q == mpe_pkg::ExcBreakpoint;

  always_comb begin
    debug_cause_o = debug_pkg::HaltNone;
    if (at_breakpoint) debug_cause_o = debug_pkg::HaltBreakpoint;
    else if (stepped_q) debug_cause_o = debug_pkg::HaltStep;
    else if (dbg_req_i.halt) debug_cause_o = debug_pkg::HaltRequest;
    else if (ebreak_halt) debug_cause_o = debug_pkg::HaltEbreak;
    halt_now = valid_q && first_q && !halted_q && debug_cause_o != debug_pkg::HaltNone;
  end

  // ---------------------------------------------------------------- what happens to it
  logic take_interrupt, take_nmi, is_wfi, exception, commit, nmi_pending_q, nmi_q, unit_done;

  assign take_nmi       = valid_q && first_q && nmi_pending_q && !halted_q && !halt_now;
  assign take_interrupt = valid_q && first_q && interrupt_i && !halted_q && !halt_now && !take_nmi && !stepping_q;
  assign is_wfi         = ctrl_q.unit == mpe_pkg::UnitSys && ctrl_q.sys_op == mpe_pkg::SysWfi && !exception_q;
  assign lsu_cancel_o   = halt_now || take_nmi || take_interrupt;

  always_comb begin
    unit_done = 1'b1;
    unique case (ctrl_q.unit)
      mpe_pkg::UnitMem: unit_done = lsu_done_i;
      mpe_pkg::UnitDiv: unit_done = div_done_i;
      mpe_pkg::UnitSys: unit_done = !is_wfi || wake_i || halted_q || stepping_q || dbg_req_i.halt || nmi_pending_q;
      default: ;
    endcase
    done_o = valid_q && (exception_q || lsu_cancel_o || unit_done);
  end

  assign exception = valid_q && !lsu_cancel_o &&
                     (exception_q || (ctrl_q.unit == mpe_pkg::UnitMem && lsu_fault_i) ||
                      (ctrl_q.unit == mpe_pkg::UnitCsr && csr_illegal_i));
  assign commit    = valid_q && !lsu_cancel_o && !exception && unit_done;
  assign retire_o  = commit && !halted_q;
  assign waiting_o = valid_q && is_wfi && !done_o;

  always_comb begin
    unique case (ctrl_q.unit)
      mpe_pkg::UnitMem: result_o = lsu_result_i;
      mpe_pkg::UnitMul: result_o = mul_result_i;
      mpe_pkg::UnitDiv: result_o = div_result_i;
      mpe_pkg::UnitCsr: result_o = csr_rdata_i;
      default: result_o = late_alu_q ? late_result : result_q;
    endcase
  end
  assign write_o = commit && ctrl_q.rd != '0;

  assign csr_access_o = valid_q && ctrl_q.unit == mpe_pkg::UnitCsr && !exception_q;
  assign csr_commit_o = commit && ctrl_q.unit == mpe_pkg::UnitCsr;
  assign csr_write_o  = ctrl_q.funct3[1:0] == 2'd1 || ctrl_q.rs1 != '0;

  assign trap_nmi_o       = take_nmi;
  assign trap_interrupt_o = take_nmi || take_interrupt;
  assign trap_o           = trap_interrupt_o || (exception && !halted_q);
  always_comb begin
    trap_code_o  = cause_q;
    trap_value_o = tval_q;
    if (trap_interrupt_o) begin
      trap_code_o  = take_nmi ? 4'd0 : interrupt_code_i;
      trap_value_o = '0;
    end else if (!exception_q) begin
      trap_code_o  = ctrl_q.unit == mpe_pkg::UnitMem ? lsu_cause_i : mpe_pkg::ExcIllegal;
      trap_value_o = ctrl_q.unit == mpe_pkg::UnitMem ? lsu_tval_i : {32'b0, insn_q};
    end
  end

  logic is_sys;
  assign is_sys              = commit && ctrl_q.unit == mpe_pkg::UnitSys;
  assign mret_o              = is_sys && ctrl_q.sys_op == mpe_pkg::SysMret;
  assign sret_o              = is_sys && ctrl_q.sys_op == mpe_pkg::SysSret;
  assign invalidate_icache_o = commit && ctrl_q.unit == mpe_pkg::UnitMem && ctrl_q.mem_op == mpe_pkg::MemFenceI;

  logic sfence, refetch;
  assign sfence      = is_sys && ctrl_q.sys_op == mpe_pkg::SysSfence;
  assign refetch     = sfence || invalidate_icache_o || (csr_commit_o && csr_refetch_i);
  assign flush_tlb_o = sfence;
  assign flush_o     = halt_now || trap_o || (valid_q && exception) || mret_o || sret_o || refetch;

`ifdef MPE_RVFI
  assign rvfi_next_pc_o = next_pc_q;
`endif

  // ---------------------------------------------------------------- redirection, one cycle later
  logic         redirect_q, boot_q, resume;
  logic [63:0]  redirect_pc_q;
  assign resume = halted_q && dbg_req_i.resume && !inject_busy_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      redirect_q <= 1'b0;
      boot_q     <= 1'b1;
    end else begin
      redirect_q <= (flush_o && !halted_q && !halt_now) || resume;
      if (boot_ready_i) boot_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (resume) redirect_pc_q <= debug_pc_i;
    else if (trap_o) redirect_pc_q <= trap_target_i;
    else if (mret_o || sret_o) redirect_pc_q <= return_target_i;
    else redirect_pc_q <= next_pc_q;
  end

  assign redirect_o    = redirect_q || boot_q;
  assign redirect_pc_o = boot_q ? boot_addr_i : redirect_pc_q;

  // ---------------------------------------------------------------- debug and non-maskable interrupt
  assign debug_o       = halted_q;
  assign debug_enter_o = halt_now;
  assign inject_o      = inject_q;
  assign debug_busy_o  = inject_busy_q;
  assign debug_fault_o = inject_fault_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      halted_q       <= 1'b0;
      stepping_q     <= 1'b0;
      stepped_q      <= 1'b0;
      resumed_q      <= 1'b0;
      inject_q       <= 1'b0;
      inject_busy_q  <= 1'b0;
      inject_fault_q <= 1'b0;
      nmi_q          <= 1'b0;
      nmi_pending_q  <= 1'b0;
    end else begin
      nmi_q <= nmi_i;
      if (nmi_i && !nmi_q) nmi_pending_q <= 1'b1;
      else if (take_nmi) nmi_pending_q <= 1'b0;

      if (halt_now) begin
        halted_q   <= 1'b1;
        stepping_q <= 1'b0;
        stepped_q  <= 1'b0;
      end else if (resume) begin
        halted_q   <= 1'b0;
        stepping_q <= dbg_req_i.step;
        resumed_q  <= 1'b1;
      end else if (!halted_q && (retire_o || trap_o)) begin
        stepped_q <= stepping_q;
        resumed_q <= 1'b0;
      end

      if (halted_q && dbg_req_i.insn_valid && !inject_busy_q) begin
        inject_q       <= 1'b1;
        inject_busy_q  <= 1'b1;
        inject_fault_q <= 1'b0;
      end else begin
        if (inject_taken_i) inject_q <= 1'b0;
        if (halted_q && done_o) begin
          inject_busy_q  <= 1'b0;
          inject_fault_q <= exception;
        end
      end
    end
  end

  logic unused_req;
  assign unused_req = ^{dbg_req_i.insn, dbg_req_i.data, dbg_req_i.data_we};

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) assert (!(advance_i && flush_o)) else $error("instruction entered behind a flush");
  end
`endif

endmodule
