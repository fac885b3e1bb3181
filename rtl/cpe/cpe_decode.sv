// Decodes a 32-bit instruction. Combinational. Whatever is not in RV32IM_Zicsr or a custom instruction becomes KindStop;
// which CSRs there are, cpe_csr knows.
module cpe_decode (
  input  logic [31:0]            insn_i,
  output cpe_core_pkg::decoded_t decoded_o
);

  cpe_core_pkg::kind_t kind;
  cpe_core_pkg::alu_t  op;
  logic [2:0]          funct3;
  logic [4:0]          rd, rs1, rs2;
  logic [31:0]         imm;
  logic                legal;

  always_comb begin
    kind   = cpe_core_pkg::KindAlu;
    op     = cpe_core_pkg::AluAdd;
    funct3 = insn_i[14:12];
    rd     = '0;
    rs1    = '0;
    rs2    = '0;
    imm    = '0;
    legal  = insn_i[1:0] == 2'b11;
    unique case (insn_i[6:2])
      5'h00: begin  // loads
        kind  = cpe_core_pkg::KindLoad;
        rd    = insn_i[11:7];
        rs1   = insn_i[19:15];
        imm   = {{20{insn_i[31]}}, insn_i[31:20]};
        legal = legal && funct3 != 3'd3 && funct3 < 3'd6;
      end
      5'h02, 5'h0a: begin  // custom-0, custom-1
        kind = cpe_core_pkg::KindCustom;
        rd   = insn_i[11:7];
        rs1  = insn_i[19:15];
        rs2  = insn_i[24:20];
        imm  = {21'b0, insn_i[5], funct3, insn_i[31:25]};
      end
      5'h03: begin  // fence
        kind  = cpe_core_pkg::KindFence;
        legal = legal && funct3 == 3'd0;
      end
      5'h04: begin  // arithmetic with an immediate
        op  = {1'b0, funct3};
        rd  = insn_i[11:7];
        rs1 = insn_i[19:15];
        imm = {{20{insn_i[31]}}, insn_i[31:20]};
        if (funct3[1:0] == 2'b01) begin
          op    = {insn_i[30], funct3};
          imm   = {27'b0, insn_i[24:20]};
          legal = legal && {insn_i[31], insn_i[29:25]} == '0 && (!insn_i[30] || funct3[2]);
        end
      end
      5'h05, 5'h0d: begin  // auipc, lui
        op  = insn_i[5] ? cpe_core_pkg::AluUpper : cpe_core_pkg::AluPc;
        rd  = insn_i[11:7];
        imm = {insn_i[31:12], 12'b0};
      end
      5'h08: begin  // stores
        kind  = cpe_core_pkg::KindStore;
        rs1   = insn_i[19:15];
        rs2   = insn_i[24:20];
        imm   = {{20{insn_i[31]}}, insn_i[31:25], insn_i[11:7]};
        legal = legal && funct3 < 3'd3;
      end
      5'h0c: begin  // arithmetic
        op  = {insn_i[30], funct3};
        rd  = insn_i[11:7];
        rs1 = insn_i[19:15];
        rs2 = insn_i[24:20];
        if (insn_i[25]) begin
          kind  = funct3[2] ? cpe_core_pkg::KindDiv : cpe_core_pkg::KindMul;
          legal = legal && insn_i[31:26] == '0;
        end else begin
          legal = legal && {insn_i[31], insn_i[29:26]} == '0 && (!insn_i[30] || funct3 == 3'd0 || funct3 == 3'd5);
        end
      end
      5'h18: begin  // branches
        kind  = cpe_core_pkg::KindBranch;
        rs1   = insn_i[19:15];
        rs2   = insn_i[24:20];
        imm   = {{20{insn_i[31]}}, insn_i[7], insn_i[30:25], insn_i[11:8], 1'b0};
        legal = legal && funct3[2:1] != 2'b01;
      end
      5'h19: begin  // jalr
        kind  = cpe_core_pkg::KindJalr;
        rd    = insn_i[11:7];
        rs1   = insn_i[19:15];
        imm   = {{20{insn_i[31]}}, insn_i[31:20]};
        legal = legal && funct3 == 3'd0;
      end
      5'h1b: begin  // jal
        kind = cpe_core_pkg::KindJal;
        rd   = insn_i[11:7];
        imm  = {{12{insn_i[31]}}, insn_i[19:12], insn_i[20], insn_i[30:21], 1'b0};
      end
      5'h1c: begin  // system
        kind  = cpe_core_pkg::KindCsr;
        rd    = insn_i[11:7];
        rs1   = funct3[2] ? 5'd0 : insn_i[19:15];
        imm   = {15'b0, insn_i[19:15], insn_i[31:20]};
        legal = legal && funct3[1:0] != 2'b00;
      end
      default: legal = 1'b0;
    endcase
    if (!legal) begin
      kind = cpe_core_pkg::KindStop;
      op   = {2'b0, cpe_pkg::AccessNone};
      rd   = {insn_i[31:21], insn_i[19:0]} == 31'h73 ? cpe_pkg::CauseBreakpoint : cpe_pkg::CauseIllegal;  // ecall, ebreak
      rs1  = '0;
      rs2  = '0;
      imm  = '0;
    end
    decoded_o = {kind, op, funct3, rd, rs1, rs2, imm};
  end

endmodule
