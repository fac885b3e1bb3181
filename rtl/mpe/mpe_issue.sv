// SPDX-License-Identifier: Apache-2.0
// Decode stage: one instruction a cycle, with its operands.
//
// Operands come from the register file, or from the instructions in execute and memory that have not written it yet.
// What is not computed yet need not be waited for by integer operations, which can be done in the memory stage, and by
// stores for their data: they are issued with that operand marked late. Everything else waits. Only a store of two registers has
// a third operand.
module mpe_issue (
    input  logic                clk_i,
    input  logic                rst_ni,
    output logic                ready_o,           // registers are cleared, the program may start

    // from fetch
    input  logic                insn_valid_i,
    output logic                insn_ready_o,
    input  logic [31:0]         insn_i,
    // instructions that the debugger injects come instead
    input  logic                inject_i,
    input  logic [31:0]         inject_insn_i,

    // to execute
    input  logic                x_free_i,          // execute can take an instruction
    input  logic                kill_i,
    output logic                issue_o,
    output logic [31:0]         issue_insn_o,
    output logic                issue_compressed_o,
    output mpe_pkg::ctrl_t      issue_ctrl_o,
    output logic [63:0]         issue_imm_o,
    output logic [63:0]         issue_a_o,
    output logic [63:0]         issue_b_o,
    output logic [63:0]         issue_c_o,         // of a store of two registers, what goes behind b
    output logic                issue_late_a_o,    // comes when the instruction ahead leaves the memory stage
    output logic                issue_late_b_o,

    // results under way
    input  logic                x_valid_i,
    input  logic [4:0]          x_rd_i,
    input  logic                x_late_i,          // known in the memory stage only
    input  logic [63:0]         x_result_i,
    input  logic                m_valid_i,
    input  logic [4:0]          m_rd_i,
    input  logic                m_done_i,
    input  logic [63:0]         m_result_i,
    input  logic                m_write_i,         // the register file is written this cycle

    output logic                ev_use_stall_o,
    output logic                ev_fetch_empty_o
);

  logic [31:0] insn, expanded, full;
  logic        compressed, bad_compressed;
  assign insn               = inject_i ? inject_insn_i : insn_i;
  assign compressed         = insn[1:0] != 2'b11;
  assign issue_insn_o       = insn;
  assign issue_compressed_o = compressed;

  mpe_expand u_expand (
      .c_i       (insn[15:0]),
      .insn_o    (expanded),
      .illegal_o (bad_compressed)
  );

  assign full = compressed ? expanded : insn;
  mpe_decode u_decode (
      .insn_i    (full),
      .illegal_i (compressed && bad_compressed),
      .ctrl_o    (issue_ctrl_o),
      .imm_o     (issue_imm_o)
  );

  logic        is_pair;
  logic [63:0] reg1, reg2, reg3;
  logic [4:0]  rs3;
  assign rs3 = is_pair ? full[24:20] : '0;  // all others: nothing to read and to compare
  mpe_regfile u_regfile (
      .clk_i, .rst_ni, .ready_o,
      .write_i  (m_write_i),
      .waddr_i  (m_rd_i),
      .wdata_i  (m_result_i),
      .raddr1_i (issue_ctrl_o.rs1),
      .rdata1_o (reg1),
      .raddr2_i (issue_ctrl_o.rs2),
      .rdata2_o (reg2),
      .raddr3_i (rs3),
      .rdata3_o (reg3)
  );

  logic x1, x2, x3, m1, m2, m3, wait_for_operand;
  assign x1 = x_valid_i && x_rd_i == issue_ctrl_o.rs1 && x_rd_i != '0;
  assign x2 = x_valid_i && x_rd_i == issue_ctrl_o.rs2 && x_rd_i != '0;
  assign x3 = rs3 != '0 && x_valid_i && x_rd_i == rs3;
  assign m1 = m_valid_i && m_rd_i == issue_ctrl_o.rs1 && m_rd_i != '0;
  assign m2 = m_valid_i && m_rd_i == issue_ctrl_o.rs2 && m_rd_i != '0;
  assign m3 = rs3 != '0 && m_valid_i && m_rd_i == rs3;

  assign issue_a_o = x1 ? x_result_i : m1 ? m_result_i : reg1;
  assign issue_b_o = x2 ? x_result_i : m2 ? m_result_i : reg2;
  assign issue_c_o = x3 ? x_result_i : m3 ? m_result_i : reg3;

  logic late1, late2, late3, is_alu, is_store;
  assign late1    = issue_ctrl_o.rs1_used && (x1 ? x_late_i : m1 && !m_done_i);
  assign late2    = issue_ctrl_o.rs2_used && (x2 ? x_late_i : m2 && !m_done_i);
  assign late3    = rs3 != '0 && (x3 ? x_late_i : m3 && !m_done_i);
  assign is_alu   = issue_ctrl_o.unit == mpe_pkg::UnitAlu;
  assign is_pair  = issue_ctrl_o.unit == mpe_pkg::UnitMem && issue_ctrl_o.mem_op == mpe_pkg::MemStorePair;
  assign is_store = is_pair || (issue_ctrl_o.unit == mpe_pkg::UnitMem && issue_ctrl_o.mem_op == mpe_pkg::MemStore);

  assign issue_late_a_o   = late1;
  assign issue_late_b_o   = late2;
  assign wait_for_operand = (late1 && !is_alu) || (late2 && !is_alu && !is_store) || late3;

  logic can_issue;
  assign can_issue        = x_free_i && !kill_i && !wait_for_operand;
  assign issue_o          = can_issue && (inject_i || insn_valid_i);
  assign insn_ready_o     = can_issue && !inject_i;
  assign ev_use_stall_o   = x_free_i && !kill_i && wait_for_operand && insn_valid_i;
  assign ev_fetch_empty_o = x_free_i && !insn_valid_i;

endmodule
