// SPDX-License-Identifier: Apache-2.0
// Execute stage: arithmetic, addresses, branches, and the exceptions that need no memory.
//
// A branch acts in its first cycle here, whether or not the memory stage is free: a wrong prediction redirects fetch at
// once. An instruction that a prediction has cut in two, or that does not branch although it was predicted to, makes the
// predictor forget and fetch start again.
module mpe_execute (
    input  logic                clk_i,
    input  logic                rst_ni,

    // from decode
    output logic                free_o,
    input  logic                issue_i,
    input  logic [31:0]         insn_i,
    input  logic                compressed_i,
    input  mpe_pkg::ctrl_t      ctrl_i,
    input  logic [63:0]         imm_i,
    input  logic [63:0]         a_i,
    input  logic [63:0]         b_i,
    input  logic [63:0]         c_i,              // never late
    input  logic                late_a_i,
    input  logic                late_b_i,
    input  logic [63:0]         pc_i,
    input  logic                page_fault_i,
    input  logic                access_fault_i,
    input  logic                second_half_i,
    input  logic                cut_i,
    input  logic                taken_i,
    input  logic [63:0]         target_i,
    input  mpe_pkg::history_t   history_i,

    // to the memory stage
    input  logic                m_free_i,
    input  logic [63:0]         m_result_i,
    input  logic                lsu_free_i,
    input  logic                flush_i,          // an older instruction takes another way
    output logic                advance_o,
    output logic                valid_o,
    output mpe_pkg::ctrl_t      ctrl_o,
    output logic [31:0]         insn_o,
    output logic [63:0]         pc_o,
    output logic [63:0]         next_pc_o,        // where the program goes on
    output logic [63:0]         a_o,
    output logic [63:0]         b_o,
    output logic [63:0]         c_o,
    output logic [63:0]         result_o,
    output logic                late_o,           // the result comes from the memory stage
    output logic                late_alu_o,       // which does the arithmetic, on these
    output logic [63:0]         alu_a_o,
    output logic [63:0]         alu_b_o,
    output logic                exception_o,
    output mpe_pkg::exc_e       cause_o,
    output logic [63:0]         tval_o,
    output logic                cbo_as_flush_o,

    // to fetch
    output logic                redirect_o,
    output logic [63:0]         redirect_pc_o,
    output logic                resolve_o,
    output logic [63:0]         resolve_end_o,
    output logic [63:0]         resolve_next_o,
    output logic                resolve_taken_o,
    output logic [63:0]         resolve_target_o,
    output mpe_pkg::br_kind_e   resolve_kind_o,
    output mpe_pkg::history_t   resolve_history_o,
    output logic                drop_prediction_o,

    // what the current privilege allows
    input  mpe_pkg::priv_e      priv_i,
    input  logic                debug_i,
    input  logic                tvm_i,
    input  logic                tw_i,
    input  logic                tsr_i,
    input  logic                cbo_clean_ok_i,
    input  logic                cbo_inval_ok_i,
    input  logic                cbo_inval_flushes_i,
    input  logic                cbo_zero_ok_i,

    output logic                ev_mispredict_o
);

  // ---------------------------------------------------------------- the instruction here
  logic         valid_q, acted_q;
  logic         late_a_q, late_b_q;
  logic         compressed_q, page_fault_q, access_fault_q, second_half_q, cut_q, taken_q;
  mpe_pkg::history_t     history_q;
  mpe_pkg::ctrl_t        ctrl_q;
  logic [31:0]  insn_q;
  logic [63:0]  imm_q, a_q, b_q, c_q, pc_q, target_q;

  logic drop;   // a cut instruction goes no further
  assign drop   = valid_q && cut_q;
  assign free_o = !valid_q || advance_o || drop;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      acted_q <= 1'b0;
    end else begin
      if (flush_i) valid_q <= 1'b0;
      else if (free_o) valid_q <= issue_i;
      acted_q <= valid_q && !free_o;
    end
  end

  always_ff @(posedge clk_i) begin
    if (issue_i) begin
      compressed_q   <= compressed_i;
      page_fault_q   <= page_fault_i;
      access_fault_q <= access_fault_i;
      second_half_q  <= second_half_i;
      cut_q          <= cut_i && !page_fault_i && !access_fault_i;
      taken_q        <= taken_i;
      ctrl_q         <= ctrl_i;
      insn_q         <= insn_i;
      imm_q          <= imm_i;
      a_q            <= a_i;
      b_q            <= b_i;
      if (ctrl_i.mem_op == mpe_pkg::MemStorePair) c_q <= c_i;
      late_a_q       <= late_a_i;
      late_b_q       <= late_b_i;
      pc_q           <= pc_i;
      target_q       <= target_i;
      history_q      <= history_i;
    end else if (m_free_i) begin  // the instruction ahead leaves without this one
      if (late_a_q) a_q <= m_result_i;
      if (late_b_q) b_q <= m_result_i;
      late_a_q <= 1'b0;
      late_b_q <= 1'b0;
    end
  end

  // ---------------------------------------------------------------- results
  logic [63:0] alu_result, after;
  assign after = pc_q + (compressed_q ? 64'd2 : 64'd4);

  mpe_alu u_alu (
      .op_i     (ctrl_q.alu_op),
      .word_i   (ctrl_q.word),
      .uw_i     (ctrl_q.uw),
      .shadd_i  (ctrl_q.shadd),
      .a_i      (ctrl_q.a_is_pc ? pc_q : a_q),
      .b_i      (ctrl_q.b_is_imm ? imm_q : b_q),  // early results do not wait for the multiplexers of late operands
      .result_o (alu_result)
  );

  logic [63:0] address;
  assign address = a_q + imm_q;

  always_comb begin
    unique case (ctrl_q.unit)
      mpe_pkg::UnitJal, mpe_pkg::UnitJalr: result_o = after;
      mpe_pkg::UnitMem:           result_o = address;
      mpe_pkg::UnitCsr:           result_o = ctrl_q.funct3[2] ? {59'b0, ctrl_q.rs1} : a_q;  // operand of the access
      default:           result_o = alu_result;
    endcase
  end

  assign a_o        = late_a_q ? m_result_i : a_q;
  assign b_o        = late_b_q ? m_result_i : b_q;
  assign c_o        = c_q;
  assign late_alu_o = ctrl_q.unit == mpe_pkg::UnitAlu && (late_a_q || late_b_q);
  assign alu_a_o    = ctrl_q.a_is_pc ? pc_q : a_o;
  assign alu_b_o    = ctrl_q.b_is_imm ? imm_q : b_o;

  assign late_o = late_alu_o || ctrl_q.unit == mpe_pkg::UnitMem || ctrl_q.unit == mpe_pkg::UnitMul || ctrl_q.unit == mpe_pkg::UnitDiv ||
                  ctrl_q.unit == mpe_pkg::UnitCsr;

  // ---------------------------------------------------------------- branches
  logic         condition, goes, is_control;
  logic [63:0]  goes_to;

  always_comb begin
    unique case (ctrl_q.funct3[2:1])
      2'b00:   condition = a_q == b_q;
      2'b10:   condition = $signed(a_q) < $signed(b_q);
      default: condition = a_q < b_q;
    endcase
    condition = condition ^ ctrl_q.funct3[0];
    unique case (ctrl_q.unit)
      mpe_pkg::UnitBranch: begin goes = condition; goes_to = pc_q + imm_q; end
      mpe_pkg::UnitJal:    begin goes = 1'b1;      goes_to = pc_q + imm_q; end
      mpe_pkg::UnitJalr:   begin goes = 1'b1;      goes_to = {address[63:1], 1'b0}; end
      default:    begin goes = 1'b0;      goes_to = pc_q + imm_q; end
    endcase
  end

  assign is_control = ctrl_q.unit == mpe_pkg::UnitBranch || ctrl_q.unit == mpe_pkg::UnitJal || ctrl_q.unit == mpe_pkg::UnitJalr;
  assign next_pc_o  = goes ? goes_to : after;

  logic act, astray, links, returns;
  assign act     = valid_q && !acted_q && !debug_i;
  assign astray  = goes ? !taken_q || target_q != goes_to : taken_q;
  assign links   = ctrl_q.rd == 5'd1 || ctrl_q.rd == 5'd5;
  assign returns = ctrl_q.unit == mpe_pkg::UnitJalr && (ctrl_q.rs1 == 5'd1 || ctrl_q.rs1 == 5'd5) && !links;

  assign redirect_o        = act && (cut_q || (!exception_o && astray));
  assign redirect_pc_o     = cut_q ? pc_q : next_pc_o;
  assign resolve_o         = act && is_control && !cut_q && !exception_o;
  assign resolve_end_o     = pc_q + (compressed_q || cut_q ? 64'd0 : 64'd2);
  assign resolve_next_o    = after;
  assign resolve_taken_o   = goes;
  assign resolve_target_o  = goes_to;
  assign resolve_history_o = history_q;
  assign drop_prediction_o = act && (cut_q || (taken_q && !is_control));
  assign ev_mispredict_o   = redirect_o;

  always_comb begin
    unique case (ctrl_q.unit)
      mpe_pkg::UnitBranch: resolve_kind_o = mpe_pkg::BrCond;
      default:    resolve_kind_o = links ? mpe_pkg::BrCall : returns ? mpe_pkg::BrReturn : mpe_pkg::BrJump;
    endcase
  end

  // ---------------------------------------------------------------- exceptions
  logic forbidden;
  always_comb begin
    forbidden = ctrl_q.illegal;
    if (ctrl_q.unit == mpe_pkg::UnitSys && !ctrl_q.illegal) begin
      unique case (ctrl_q.sys_op)
        mpe_pkg::SysMret:   forbidden = priv_i != mpe_pkg::PrivM || debug_i;
        mpe_pkg::SysSret:   forbidden = priv_i == mpe_pkg::PrivU || (priv_i == mpe_pkg::PrivS && tsr_i) || debug_i;
        mpe_pkg::SysWfi:    forbidden = priv_i == mpe_pkg::PrivU || (priv_i == mpe_pkg::PrivS && tw_i);
        mpe_pkg::SysSfence: forbidden = (priv_i == mpe_pkg::PrivU || (priv_i == mpe_pkg::PrivS && tvm_i)) && !debug_i;
        default:   forbidden = 1'b0;
      endcase
    end
    if (ctrl_q.unit == mpe_pkg::UnitMem) begin
      unique case (ctrl_q.mem_op)
        mpe_pkg::MemCboInval:              forbidden = !cbo_inval_ok_i;
        mpe_pkg::MemCboClean, mpe_pkg::MemCboFlush: forbidden = !cbo_clean_ok_i;
        mpe_pkg::MemCboZero:               forbidden = !cbo_zero_ok_i;
        default: ;
      endcase
    end
  end
  assign cbo_as_flush_o = cbo_inval_flushes_i;

  always_comb begin
    exception_o = 1'b1;
    cause_o     = mpe_pkg::ExcIllegal;
    tval_o      = {32'b0, insn_q};
    if (page_fault_q || access_fault_q) begin
      cause_o = page_fault_q ? mpe_pkg::ExcFetchPage : mpe_pkg::ExcFetchAccess;
      tval_o  = second_half_q ? pc_q + 64'd2 : pc_q;
    end else if (forbidden) begin
      cause_o = mpe_pkg::ExcIllegal;
    end else if (ctrl_q.unit == mpe_pkg::UnitSys && ctrl_q.sys_op == mpe_pkg::SysEbreak) begin
      cause_o = mpe_pkg::ExcBreakpoint;
      tval_o  = pc_q;
    end else if (ctrl_q.unit == mpe_pkg::UnitSys && ctrl_q.sys_op == mpe_pkg::SysEcall) begin
      unique case (priv_i)
        mpe_pkg::PrivM:   cause_o = mpe_pkg::ExcEcallM;
        mpe_pkg::PrivS:   cause_o = mpe_pkg::ExcEcallS;
        default: cause_o = mpe_pkg::ExcEcallU;
      endcase
      tval_o = '0;
    end else begin
      exception_o = 1'b0;
    end
  end

  // ---------------------------------------------------------------- on to the memory stage
  assign valid_o   = valid_q && !cut_q;
  assign advance_o = valid_o && m_free_i && !flush_i && (ctrl_q.unit != mpe_pkg::UnitMem || exception_o || lsu_free_i);
  assign ctrl_o    = ctrl_q;
  assign insn_o    = insn_q;
  assign pc_o      = pc_q;

endmodule
