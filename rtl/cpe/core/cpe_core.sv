// SPDX-License-Identifier: Apache-2.0
// The scalar core of a CPE: RV32IMC_Zicsr, in order, machine mode only, no traps (docs/hardware/cpe-core.md).
//
// cpe_fetch brings one decoded instruction a cycle; here it is executed, in one cycle unless it waits for something. Results
// are written to the registers one cycle later; those of the ALU are forwarded, a load's are not.
// Serial: nothing is forwarded, but the next instruction waits.
// An exception is a fault: the instruction has no effect, fault_o tells what happened, and the core stands still until reset.
// halt_i stops it as well, for good, between two instructions: an access under way is waited for, a division or a
// command that a unit has not taken is given up.
module cpe_core #(
  parameter bit Serial = 1'b0  // smaller, but it waits longer for divisions, its counters and its code
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [31:0]      boot_pc_i,
  input  cpe_pkg::id_t     id_i,
  input  logic [31:0]      config_i,
  input  logic             awake_i,           // the coming edge counts for the counters; nothing else looks at it
  input  logic [7:0]       waited_i,          // and so many cycles before it, without an edge: a command was waited for
  input  logic             halt_i,

  // Code: one line at a time, held until the answer. What was cached is void after invalidate_i.
  output logic             fetch_valid_o,
  output logic [25:0]      fetch_line_o,      // {ahead, address}; of a line ahead a cause means nothing
  input  logic             refill_valid_i,
  input  cpe_isa_pkg::cause_t  refill_cause_i,
  input  logic [511:0]     refill_data_i,
  input  logic             invalidate_i,

  // Local memory; ldm_rdata_i in the cycle after the read was taken.
  output logic             ldm_valid_o,
  input  logic             ldm_ready_i,
  output logic             ldm_write_o,
  output logic [16:2]      ldm_addr_o,
  output logic [31:0]      ldm_wdata_o,
  output logic [3:0]       ldm_strb_o,
  input  logic [31:0]      ldm_rdata_i,

  // Window on global memory: held until done, which brings the result.
  output logic             win_valid_o,
  output logic             win_write_o,
  output logic [31:0]      win_addr_o,
  output logic [1:0]       win_size_o,
  output logic [31:0]      win_wdata_o,
  input  logic             win_done_i,
  input  logic [31:0]      win_rdata_i,
  input  cpe_isa_pkg::cause_t  win_cause_i,
  input  logic [15:0]      win_segment_i,
  input  logic [47:0]      win_offset_i,
  output logic [63:0]      win_pointer_o,

  // Units. Only halt_i takes a command back.
  output logic             issue_valid_o,
  output cpe_pkg::issue_t  issue_o,
  input  logic             issue_ready_i,
  input  logic [31:0]      issue_rdata_i,
  input  logic             issue_bad_i,

  input  logic [31:0]      launch_mask_i,
  input  logic [15:0]      argument_segment_i,
  output logic             fault_valid_o,
  output cpe_pkg::fault_t  fault_o,
  output logic             waiting_o,
  output logic             halted_o,
  output logic [31:0]      pc_o,
  input  logic [3:0]       counter_select_i,
  output logic [31:0]      counter_o
`ifdef CPE_RVFI
  ,
  output logic             rvfi_valid,
  output logic             rvfi_trap,
  output logic [31:0]      rvfi_insn,
  output logic [31:0]      rvfi_pc,
  output logic [31:0]      rvfi_next_pc,
  output logic [4:0]       rvfi_rd,
  output logic [31:0]      rvfi_rd_wdata,
  output logic [31:0]      rvfi_mem_addr,
  output logic [3:0]       rvfi_mem_rmask,
  output logic [3:0]       rvfi_mem_wmask,
  output logic [31:0]      rvfi_mem_rdata,
  output logic [31:0]      rvfi_mem_wdata
`endif
);

  logic booted_q;   // the first pc has been taken over
  logic halt_q;     // asked to halt
  logic stop_q;     // nothing is begun any more
  logic halt;
  assign halt = halt_i || halt_q;

  // --- The instruction ---------------------------------------------------------------------------------------------

  logic                   x_valid, x_compressed, x_take, redirect, fetch_redirect, settled;
  cpe_core_pkg::kind_t    x_kind;
  cpe_core_pkg::alu_t     x_op;
  logic [2:0]             x_funct3;
  logic [4:0]             x_rd, x_rs1, x_rs2;
  logic [31:0]            x_imm, x_pc, next_pc, target;
`ifdef CPE_RVFI
  logic [31:0]            x_insn;
`endif

  assign fetch_redirect = redirect || !booted_q;

  cpe_fetch #(
    .Serial(Serial)
  ) u_fetch (
    .clk_i,
    .rst_ni,
    .fetch_valid_o,
    .fetch_line_o,
    .refill_valid_i,
    .refill_cause_i,
    .refill_data_i,
    .invalidate_i,
    .redirect_i  (fetch_redirect),
    .target_i    (booted_q ? target : {boot_pc_i[31:1], 1'b0}),
    .stop_i      (stop_q),
    .take_i      (x_take),
    .valid_o     (x_valid),
    .kind_o      (x_kind),
    .op_o        (x_op),
    .funct3_o    (x_funct3),
    .rd_o        (x_rd),
    .rs1_o       (x_rs1),
    .rs2_o       (x_rs2),
    .imm_o       (x_imm),
    .compressed_o(x_compressed),
`ifdef CPE_RVFI
    .insn_o      (x_insn),
`endif
    .pc_o        (x_pc),
    .next_pc_o   (next_pc),
    .settled_o   (settled)
  );

  assign pc_o = x_valid ? x_pc : next_pc;

  // --- Registers ---------------------------------------------------------------------------------------------------

  logic [31:0] regs_q [32];
  logic        wb_valid_q, wb_late_q;  // late: the result comes from local memory in this cycle
  logic [4:0]  wb_rd_q;
  logic [31:0] wb_data_q, late_data, wb_data;
  logic [31:0] a, b;
  logic        hazard, go;

  assign wb_data = wb_late_q ? late_data : wb_data_q;

  always_ff @(posedge clk_i) begin
    if (wb_valid_q) regs_q[wb_rd_q] <= wb_data;
  end

  always_comb begin
    a = regs_q[x_rs1];
    b = regs_q[x_rs2];
    if (!Serial) begin
      if (wb_valid_q && wb_rd_q == x_rs1) a = wb_data_q;
      if (wb_valid_q && wb_rd_q == x_rs2) b = wb_data_q;
    end
    if (x_rs1 == '0) a = '0;
    if (x_rs2 == '0) b = '0;
    hazard = 1'b0;
    if (wb_late_q) hazard = wb_valid_q && (wb_rd_q == x_rs1 || wb_rd_q == x_rs2);
    go = x_valid && !stop_q && !hazard && !(Serial && wb_valid_q);
  end

  // --- Execution ---------------------------------------------------------------------------------------------------

  logic [31:0] alu_result, address, link, product, quotient;
  logic        taken, is_div, div_done;

  if (Serial) begin : g_serial_alu
    cpe_alu_serial u_alu (
      .kind_i   (x_kind),
      .op_i     (x_op),
      .funct3_i (x_funct3),
      .a_i      (a),
      .b_i      (b),
      .imm_i    (x_imm),
      .pc_i     (x_pc),
      .product_i(product),
      .result_o (alu_result),
      .taken_o  (taken),
      .address_o(address)
    );
  end else begin : g_alu
    cpe_alu u_alu (
      .kind_i   (x_kind),
      .op_i     (x_op),
      .funct3_i (x_funct3),
      .a_i      (a),
      .b_i      (b),
      .imm_i    (x_imm),
      .pc_i     (x_pc),
      .result_o (alu_result),
      .taken_o  (taken),
      .address_o(address)
    );
  end

  assign is_div = x_kind == cpe_core_pkg::KindDiv;

  if (Serial) begin : g_serial_muldiv
    cpe_muldiv_serial u_muldiv (
      .clk_i,
      .rst_ni,
      .start_i     (go && is_div),
      .funct3_i    (x_funct3),
      .a_i         (a),
      .b_i         (b),
      .shift_i     (x_kind == cpe_core_pkg::KindAlu),
      .arithmetic_i(x_op[3]),
      .amount_i    (b[4:0] | x_imm[4:0]),
      .product_o   (product),
      .done_o      (div_done),
      .quotient_o  (quotient)
    );
  end else begin : g_muldiv
    cpe_muldiv u_muldiv (
      .clk_i,
      .rst_ni,
      .mul_i     (x_kind == cpe_core_pkg::KindMul),
      .start_i   (go && is_div),
      .funct3_i  (x_funct3),
      .a_i       (a),
      .b_i       (b),
      .product_o (product),
      .done_o    (div_done),
      .quotient_o(quotient)
    );
  end

  logic            is_mem, mem_done, mem_late, mem_window, mem_pending, mem_fault;
  logic [31:0]     mem_result;
  cpe_isa_pkg::cause_t mem_cause;
  logic [15:0]     mem_segment;
  logic [47:0]     mem_offset;
  assign is_mem = x_kind == cpe_core_pkg::KindLoad || x_kind == cpe_core_pkg::KindStore;

  cpe_lsu u_lsu (
    .clk_i,
    .rst_ni,
    .valid_i    (go && is_mem),
    .write_i    (x_kind[0]),  // KindStore
    .funct3_i   (x_funct3),
    .address_i  (address),
    .store_i    (b),
    .stop_i     (halt),
    .done_o     (mem_done),
    .late_o     (mem_late),
    .result_o   (mem_result),
    .late_i     (wb_late_q),
    .data_o     (late_data),
    .at_window_o(mem_window),
    .pending_o  (mem_pending),
    .fault_o    (mem_fault),
    .cause_o    (mem_cause),
    .segment_o  (mem_segment),
    .offset_o   (mem_offset),
    .ldm_valid_o,
    .ldm_ready_i,
    .ldm_write_o,
    .ldm_addr_o,
    .ldm_wdata_o,
    .ldm_strb_o,
    .ldm_rdata_i,
    .win_valid_o,
    .win_write_o,
    .win_addr_o,
    .win_size_o,
    .win_wdata_o,
    .win_done_i,
    .win_rdata_i,
    .win_cause_i,
    .win_segment_i,
    .win_offset_i
  );

  logic        csr_bad, csr_wait, done, fault;
  logic [31:0] csr_rdata;
  cpe_core_pkg::counter_t reason;

  cpe_csr #(
    .Serial(Serial)
  ) u_csr (
    .clk_i,
    .rst_ni,
    .id_i,
    .config_i,
    .launch_mask_i,
    .argument_segment_i,
    .valid_i  (go && x_kind == cpe_core_pkg::KindCsr),
    .funct3_i (x_funct3),
    .field_i  (x_imm[16:0]),
    .operand_i(a),
    .rdata_o  (csr_rdata),
    .bad_o    (csr_bad),
    .wait_o   (csr_wait),
    .count_i  (awake_i && booted_q && !stop_q && !fault),
    .waited_i,
    .retire_i (done),
    .reason_i (reason),
    .counter_select_i,
    .counter_o,
    .win_pointer_o
  );

  always_comb begin
    issue_valid_o = 1'b0;
    issue_o       = '0;
    // What is wide is gated for simulators' sake, in the large core.
    if (Serial) issue_o = {x_imm[10:0], a, b, x_pc};
    if (go && x_kind == cpe_core_pkg::KindCustom) begin
      issue_valid_o = 1'b1;
      issue_o       = {x_imm[10:0], a, b, x_pc};
    end
  end

  // --- What becomes of it ------------------------------------------------------------------------------------------

  logic [31:0]     result;
  cpe_pkg::fault_t record;

  always_comb begin
    done     = 1'b0;
    fault    = 1'b0;
    redirect = 1'b0;
    result   = alu_result;
    reason   = hazard ? cpe_core_pkg::CountLdm : cpe_core_pkg::CountCode;
    target   = address;
    link     = x_pc + (x_compressed ? 32'd2 : 32'd4);
    if (go) begin
      unique case (x_kind)
        cpe_core_pkg::KindAlu, cpe_core_pkg::KindFence: done = 1'b1;
        cpe_core_pkg::KindBranch: begin
          done     = 1'b1;
          redirect = taken;
        end
        cpe_core_pkg::KindJal, cpe_core_pkg::KindJalr: begin
          done     = 1'b1;
          redirect = 1'b1;
          result   = link;
        end
        cpe_core_pkg::KindLoad, cpe_core_pkg::KindStore: begin
          done   = mem_done;
          fault  = mem_fault;
          result = mem_result;
          reason = mem_window ? cpe_core_pkg::CountWindow : cpe_core_pkg::CountLdm;
        end
        cpe_core_pkg::KindMul: begin
          done   = 1'b1;
          result = product;
        end
        cpe_core_pkg::KindDiv: begin
          done   = div_done;
          result = quotient;
          reason = cpe_core_pkg::CountArithmetic;
        end
        cpe_core_pkg::KindCsr: begin
          done   = !csr_bad && !csr_wait;
          fault  = csr_bad;
          result = csr_rdata;
        end
        cpe_core_pkg::KindCustom: begin
          done   = issue_ready_i && !issue_bad_i;
          fault  = issue_ready_i && issue_bad_i;
          result = issue_rdata_i;
          reason = x_imm[10:9] == 2'b00 ? {2'b00, x_imm[8:7]} + cpe_core_pkg::CountControl : cpe_core_pkg::CountUnit;
        end
        default: fault = 1'b1;
      endcase
    end
    x_take = done || !x_valid;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      booted_q      <= 1'b0;
      halt_q        <= 1'b0;
      stop_q        <= 1'b0;
      fault_valid_o <= 1'b0;
      wb_valid_q    <= 1'b0;
      halted_o      <= 1'b0;
      waiting_o     <= 1'b0;
    end else begin
      booted_q <= 1'b1;
      if (halt_i) halt_q <= 1'b1;
      if (fault || (halt && !mem_pending)) stop_q <= 1'b1;
      if (fault) fault_valid_o <= 1'b1;
      wb_valid_q <= done && x_rd != '0;
      halted_o   <= stop_q && !fetch_valid_o;
      waiting_o  <= 1'b0;
      if (issue_valid_o) waiting_o <= !issue_ready_i && !halt && settled && !invalidate_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (done) begin
      wb_late_q <= mem_late;
      wb_rd_q   <= x_rd;
      wb_data_q <= result;
    end
  end

  // The record.
  always_comb begin
    record = '0;
    if (Serial || fault) begin
      record = {cpe_isa_pkg::CauseIllegal, cpe_isa_pkg::AccessNone, 1'b0, x_pc, cpe_isa_pkg::NoSegment, 48'b0};
      if (is_mem) begin
        record.cause   = mem_cause;
        record.access  = x_kind[0] ? cpe_isa_pkg::AccessWrite : cpe_isa_pkg::AccessRead;
        record.segment = mem_segment;
        record.offset  = mem_offset;
      end else if (x_kind == cpe_core_pkg::KindCustom) begin
        record.cause = cpe_isa_pkg::CauseCommand;
      end else if (x_kind == cpe_core_pkg::KindStop) begin
        record.cause  = x_rd;
        record.access = x_op[1:0];
        record.offset = {16'b0, x_imm};
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (fault) fault_o <= record;
  end

`ifdef CPE_RVFI
  cpe_rvfi u_rvfi (
    .clk_i,
    .rst_ni,
    .retire_i   (done),
    .trap_i     (fault),
    .insn_i     (x_insn),
    .pc_i       (x_pc),
    .next_pc_i  (redirect ? target : link),
    .rd_i       (x_rd),
    .mem_i      (is_mem),
    .write_i    (x_kind[0]),
    .funct3_i   (x_funct3),
    .address_i  (address),
    .store_i    (b),
    .window_i   (mem_window),
    .win_rdata_i(win_rdata_i),
    .wb_data_i  (wb_data),
    .late_i     (mem_late),
    .ldm_rdata_i(ldm_rdata_i),
    .*
  );
`endif

endmodule
