// SPDX-License-Identifier: Apache-2.0
// Decodes a 32-bit instruction. Combinational. Whatever is not in RV32IM_Zicsr or a custom instruction becomes KindStop;
// which CSRs there are, cpe_csr knows.
//
// The fields are signals of their own: cut from one word, in a hundred places, they cost a simulator twenty instructions a cycle more.
module cpe_decode (
  input  logic [31:0]         insn_i,
  output cpe_core_pkg::kind_t kind_o,
  output cpe_core_pkg::alu_t  op_o,
  output logic [2:0]          funct3_o,
  output logic [4:0]          rd_o,      // this and the next two: 0 when not used
  output logic [4:0]          rs1_o,
  output logic [4:0]          rs2_o,
  output logic [31:0]         imm_o      // CSR: {raw rs1 field, number}; custom: {unit, operation}
);

  logic legal;

  always_comb begin
    kind_o   = cpe_core_pkg::KindAlu;
    op_o     = cpe_core_pkg::AluAdd;
    funct3_o = insn_i[14:12];
    rd_o     = '0;
    rs1_o    = '0;
    rs2_o    = '0;
    imm_o    = '0;
    legal    = insn_i[1:0] == 2'b11;
    unique case (insn_i[6:2])
      5'h00: begin  // loads
        kind_o = cpe_core_pkg::KindLoad;
        rd_o   = insn_i[11:7];
        rs1_o  = insn_i[19:15];
        imm_o  = {{20{insn_i[31]}}, insn_i[31:20]};
        legal  = legal && funct3_o != 3'd3 && funct3_o < 3'd6;
      end
      5'h02, 5'h0a: begin  // custom-0, custom-1
        kind_o = cpe_core_pkg::KindCustom;
        rd_o   = insn_i[11:7];
        rs1_o  = insn_i[19:15];
        rs2_o  = insn_i[24:20];
        imm_o  = {21'b0, insn_i[5], funct3_o, insn_i[31:25]};
      end
      5'h03: begin  // fence
        kind_o = cpe_core_pkg::KindFence;
        legal  = legal && funct3_o == 3'd0;
      end
      5'h04: begin  // arithmetic with an immediate
        op_o  = {1'b0, funct3_o};
        rd_o  = insn_i[11:7];
        rs1_o = insn_i[19:15];
        imm_o = {{20{insn_i[31]}}, insn_i[31:20]};
        if (funct3_o[1:0] == 2'b01) begin
          op_o  = {insn_i[30], funct3_o};
          imm_o = {27'b0, insn_i[24:20]};
          legal = legal && {insn_i[31], insn_i[29:25]} == '0 && (!insn_i[30] || funct3_o[2]);
        end
      end
      5'h05, 5'h0d: begin  // auipc, lui
        op_o  = insn_i[5] ? cpe_core_pkg::AluUpper : cpe_core_pkg::AluPc;
        rd_o  = insn_i[11:7];
        imm_o = {insn_i[31:12], 12'b0};
      end
      5'h08: begin  // stores
        kind_o = cpe_core_pkg::KindStore;
        rs1_o  = insn_i[19:15];
        rs2_o  = insn_i[24:20];
        imm_o  = {{20{insn_i[31]}}, insn_i[31:25], insn_i[11:7]};
        legal  = legal && funct3_o < 3'd3;
      end
      5'h0c: begin  // arithmetic
        op_o  = {insn_i[30], funct3_o};
        rd_o  = insn_i[11:7];
        rs1_o = insn_i[19:15];
        rs2_o = insn_i[24:20];
        if (insn_i[25]) begin
          kind_o = funct3_o[2] ? cpe_core_pkg::KindDiv : cpe_core_pkg::KindMul;
          legal  = legal && insn_i[31:26] == '0;
        end else begin
          legal = legal && {insn_i[31], insn_i[29:26]} == '0 && (!insn_i[30] || funct3_o == 3'd0 || funct3_o == 3'd5);
        end
      end
      5'h18: begin  // branches
        kind_o = cpe_core_pkg::KindBranch;
        rs1_o  = insn_i[19:15];
        rs2_o  = insn_i[24:20];
        imm_o  = {{20{insn_i[31]}}, insn_i[7], insn_i[30:25], insn_i[11:8], 1'b0};
        legal  = legal && funct3_o[2:1] != 2'b01;
      end
      5'h19: begin  // jalr
        kind_o = cpe_core_pkg::KindJalr;
        rd_o   = insn_i[11:7];
        rs1_o  = insn_i[19:15];
        imm_o  = {{20{insn_i[31]}}, insn_i[31:20]};
        legal  = legal && funct3_o == 3'd0;
      end
      5'h1b: begin  // jal
        kind_o = cpe_core_pkg::KindJal;
        rd_o   = insn_i[11:7];
        imm_o  = {{12{insn_i[31]}}, insn_i[19:12], insn_i[20], insn_i[30:21], 1'b0};
      end
      5'h1c: begin  // system
        kind_o = cpe_core_pkg::KindCsr;
        rd_o   = insn_i[11:7];
        rs1_o  = funct3_o[2] ? 5'd0 : insn_i[19:15];
        imm_o  = {15'b0, insn_i[19:15], insn_i[31:20]};
        legal  = legal && funct3_o[1:0] != 2'b00;
      end
      default: legal = 1'b0;
    endcase
    if (!legal) begin
      kind_o = cpe_core_pkg::KindStop;
      op_o   = {2'b0, cpe_isa_pkg::AccessNone};
      rd_o   = {insn_i[31:21], insn_i[19:0]} == 31'h73 ? cpe_isa_pkg::CauseBreakpoint : cpe_isa_pkg::CauseIllegal;  // ecall, ebreak
      rs1_o  = '0;
      rs2_o  = '0;
      imm_o  = '0;
    end
  end

endmodule
