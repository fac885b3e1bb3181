// SPDX-License-Identifier: Apache-2.0
// Decodes a 32-bit instruction (already expanded) into the control bundle and its immediate.
// Combinational. What depends on privilege or on CSR state is checked later, in execute and in the CSR file.
module mpe_decode (
    input  logic [31:0]      insn_i,
    input  logic             illegal_i,
    output mpe_pkg::ctrl_t   ctrl_o,
    output logic [63:0]      imm_o
);

  logic [6:0] opcode, funct7;
  logic [2:0] funct3;
  logic [4:0] rd, rs1, rs2;
  assign opcode = insn_i[6:0];
  assign funct3 = insn_i[14:12];
  assign funct7 = insn_i[31:25];
  assign rd     = insn_i[11:7];
  assign rs1    = insn_i[19:15];
  assign rs2    = insn_i[24:20];

  logic [63:0] imm_i, imm_s, imm_b, imm_u, imm_j;
  assign imm_i = {{52{insn_i[31]}}, insn_i[31:20]};
  assign imm_s = {{52{insn_i[31]}}, insn_i[31:25], insn_i[11:7]};
  assign imm_b = {{52{insn_i[31]}}, insn_i[7], insn_i[30:25], insn_i[11:8], 1'b0};
  assign imm_u = {{32{insn_i[31]}}, insn_i[31:12], 12'b0};
  assign imm_j = {{44{insn_i[31]}}, insn_i[19:12], insn_i[20], insn_i[30:21], 1'b0};

  // OP-IMM and OP-IMM-32
  task automatic decode_op_imm(input logic word, output mpe_pkg::alu_op_e op, output logic uw, output logic bad);
    logic shift_ok;  // six shift bits in 64-bit operations, five in 32-bit ones
    op       = mpe_pkg::AluAdd;
    uw       = 1'b0;
    bad      = 1'b0;
    shift_ok = !word || !insn_i[25];
    unique case (funct3)
      3'b000: op = mpe_pkg::AluAdd;
      3'b010: begin op = mpe_pkg::AluSlt;  bad = word; end
      3'b011: begin op = mpe_pkg::AluSltu; bad = word; end
      3'b100: begin op = mpe_pkg::AluXor;  bad = word; end
      3'b110: begin op = mpe_pkg::AluOr;   bad = word; end
      3'b111: begin op = mpe_pkg::AluAnd;  bad = word; end
      3'b001: begin
        unique case (insn_i[31:26])
          6'b000000: begin op = mpe_pkg::AluSll; bad = !shift_ok; end
          6'b000010: begin op = mpe_pkg::AluSll; uw = 1'b1; bad = !word; end  // slli.uw lives in OP-IMM-32
          6'b011000: begin
            bad = insn_i[25];
            unique case (rs2)
              5'd0: op = mpe_pkg::AluClz;
              5'd1: op = mpe_pkg::AluCtz;
              5'd2: op = mpe_pkg::AluCpop;
              5'd4: begin op = mpe_pkg::AluSextB; bad = insn_i[25] || word; end
              5'd5: begin op = mpe_pkg::AluSextH; bad = insn_i[25] || word; end
              default: bad = 1'b1;
            endcase
          end
          default: bad = 1'b1;
        endcase
      end
      default: begin  // 3'b101
        unique case (insn_i[31:26])
          6'b000000: begin op = mpe_pkg::AluSrl; bad = !shift_ok; end
          6'b010000: begin op = mpe_pkg::AluSra; bad = !shift_ok; end
          6'b011000: begin op = mpe_pkg::AluRor; bad = !shift_ok; end
          6'b001010: begin op = mpe_pkg::AluOrcB; bad = word || insn_i[25:20] != 6'd7; end
          6'b011010: begin op = mpe_pkg::AluRev8; bad = word || insn_i[25:20] != 6'd56; end
          default: bad = 1'b1;
        endcase
      end
    endcase
  endtask

  // OP and OP-32, without the M extension
  task automatic decode_op(input logic word, output mpe_pkg::alu_op_e op, output logic uw, output logic [1:0] shadd,
                           output logic bad);
    op    = mpe_pkg::AluAdd;
    uw    = 1'b0;
    shadd = 2'd0;
    bad   = 1'b0;
    unique case ({funct7, funct3})
      {7'h00, 3'b000}: op = mpe_pkg::AluAdd;
      {7'h20, 3'b000}: op = mpe_pkg::AluSub;
      {7'h00, 3'b001}: op = mpe_pkg::AluSll;
      {7'h00, 3'b101}: op = mpe_pkg::AluSrl;
      {7'h20, 3'b101}: op = mpe_pkg::AluSra;
      {7'h30, 3'b001}: op = mpe_pkg::AluRol;
      {7'h30, 3'b101}: op = mpe_pkg::AluRor;
      {7'h10, 3'b010}: begin shadd = 2'd1; uw = word; end
      {7'h10, 3'b100}: begin shadd = 2'd2; uw = word; end
      {7'h10, 3'b110}: begin shadd = 2'd3; uw = word; end
      {7'h04, 3'b000}: begin uw = 1'b1; bad = !word; end  // add.uw
      {7'h04, 3'b100}: begin op = mpe_pkg::AluZextH; bad = !word || rs2 != '0; end
      {7'h00, 3'b010}: begin op = mpe_pkg::AluSlt;  bad = word; end
      {7'h00, 3'b011}: begin op = mpe_pkg::AluSltu; bad = word; end
      {7'h00, 3'b100}: begin op = mpe_pkg::AluXor;  bad = word; end
      {7'h00, 3'b110}: begin op = mpe_pkg::AluOr;   bad = word; end
      {7'h00, 3'b111}: begin op = mpe_pkg::AluAnd;  bad = word; end
      {7'h20, 3'b100}: begin op = mpe_pkg::AluXnor; bad = word; end
      {7'h20, 3'b110}: begin op = mpe_pkg::AluOrn;  bad = word; end
      {7'h20, 3'b111}: begin op = mpe_pkg::AluAndn; bad = word; end
      {7'h05, 3'b100}: begin op = mpe_pkg::AluMin;  bad = word; end
      {7'h05, 3'b101}: begin op = mpe_pkg::AluMinu; bad = word; end
      {7'h05, 3'b110}: begin op = mpe_pkg::AluMax;  bad = word; end
      {7'h05, 3'b111}: begin op = mpe_pkg::AluMaxu; bad = word; end
      default: bad = 1'b1;
    endcase
  endtask

  task automatic decode_amo(output mpe_pkg::mem_op_e mem_op, output mbus_pkg::op_e op, output logic bad);
    mem_op = mpe_pkg::MemAmo;
    op     = mbus_pkg::OpSwap;
    bad    = funct3[2:1] != 2'b01;
    unique case (insn_i[31:27])
      5'b00010: begin mem_op = mpe_pkg::MemLr; op = mbus_pkg::OpLr; bad |= rs2 != '0; end
      5'b00011: begin mem_op = mpe_pkg::MemSc; op = mbus_pkg::OpSc; end
      5'b00001: op = mbus_pkg::OpSwap;
      5'b00000: op = mbus_pkg::OpAdd;
      5'b00100: op = mbus_pkg::OpXor;
      5'b01100: op = mbus_pkg::OpAnd;
      5'b01000: op = mbus_pkg::OpOr;
      5'b10000: op = mbus_pkg::OpMin;
      5'b10100: op = mbus_pkg::OpMax;
      5'b11000: op = mbus_pkg::OpMinu;
      5'b11100: op = mbus_pkg::OpMaxu;
      default:  bad = 1'b1;
    endcase
  endtask

  task automatic decode_system(output mpe_pkg::sys_op_e op, output logic bad);
    op  = mpe_pkg::SysEcall;
    bad = rd != '0 || (rs1 != '0 && funct7 != 7'h09);
    unique case (insn_i[31:20])
      12'h000: op = mpe_pkg::SysEcall;
      12'h001: op = mpe_pkg::SysEbreak;
      12'h302: op = mpe_pkg::SysMret;
      12'h102: op = mpe_pkg::SysSret;
      12'h105: op = mpe_pkg::SysWfi;
      default: begin
        op = mpe_pkg::SysSfence;
        bad |= funct7 != 7'h09;
      end
    endcase
  endtask

  always_comb begin
    logic       bad;
    logic       uw;
    logic [1:0] shadd;
    mpe_pkg::alu_op_e    alu_op;

    bad    = 1'b0;
    uw     = 1'b0;
    shadd  = 2'd0;
    alu_op = mpe_pkg::AluAdd;

    ctrl_o          = '0;
    ctrl_o.unit     = mpe_pkg::UnitAlu;
    ctrl_o.alu_op   = mpe_pkg::AluAdd;
    ctrl_o.funct3   = funct3;
    ctrl_o.rs1      = rs1;
    ctrl_o.rs2      = rs2;
    ctrl_o.mem_op   = mpe_pkg::MemLoad;
    ctrl_o.amo_op   = mbus_pkg::OpRead;
    ctrl_o.sys_op   = mpe_pkg::SysEcall;
    imm_o           = imm_i;

    unique case (opcode)
      7'h37: begin  // lui
        ctrl_o.alu_op   = mpe_pkg::AluPassB;
        ctrl_o.b_is_imm = 1'b1;
        ctrl_o.rd       = rd;
        imm_o           = imm_u;
      end
      7'h17: begin  // auipc
        ctrl_o.a_is_pc  = 1'b1;
        ctrl_o.b_is_imm = 1'b1;
        ctrl_o.rd       = rd;
        imm_o           = imm_u;
      end
      7'h6f: begin
        ctrl_o.unit = mpe_pkg::UnitJal;
        ctrl_o.rd   = rd;
        imm_o       = imm_j;
      end
      7'h67: begin
        ctrl_o.unit     = mpe_pkg::UnitJalr;
        ctrl_o.rd       = rd;
        ctrl_o.rs1_used = 1'b1;
        bad             = funct3 != '0;
      end
      7'h63: begin
        ctrl_o.unit     = mpe_pkg::UnitBranch;
        ctrl_o.rs1_used = 1'b1;
        ctrl_o.rs2_used = 1'b1;
        bad             = funct3[2:1] == 2'b01;
        imm_o           = imm_b;
      end
      7'h03: begin
        ctrl_o.unit     = mpe_pkg::UnitMem;
        ctrl_o.mem_op   = mpe_pkg::MemLoad;
        ctrl_o.rd       = rd;
        ctrl_o.rs1_used = 1'b1;
        bad             = funct3 == 3'b111;
      end
      7'h23: begin
        ctrl_o.unit     = mpe_pkg::UnitMem;
        ctrl_o.mem_op   = mpe_pkg::MemStore;
        ctrl_o.rs1_used = 1'b1;
        ctrl_o.rs2_used = 1'b1;
        bad             = funct3[2];
        imm_o           = imm_s;
      end
      7'h0b: begin  // th.sdd: rd and rs2 name what is stored
        ctrl_o.unit     = mpe_pkg::UnitMem;
        ctrl_o.mem_op   = mpe_pkg::MemStorePair;
        ctrl_o.funct3   = 3'b011;  // of 8 bytes each
        ctrl_o.rs2      = rd;
        ctrl_o.rs1_used = 1'b1;
        ctrl_o.rs2_used = 1'b1;
        bad             = funct3 != 3'b101 || insn_i[31:27] != 5'b11111;
        imm_o           = {58'b0, insn_i[26:25], 4'b0};
      end
      7'h13, 7'h1b: begin
        decode_op_imm(opcode[3], alu_op, uw, bad);
        ctrl_o.alu_op   = alu_op;
        ctrl_o.uw       = uw;
        ctrl_o.word     = opcode[3] && !uw;
        ctrl_o.b_is_imm = 1'b1;
        ctrl_o.rd       = rd;
        ctrl_o.rs1_used = 1'b1;
      end
      7'h33, 7'h3b: begin
        ctrl_o.word     = opcode[3];
        ctrl_o.rd       = rd;
        ctrl_o.rs1_used = 1'b1;
        ctrl_o.rs2_used = 1'b1;
        if (funct7 == 7'h01) begin
          ctrl_o.unit = funct3[2] ? mpe_pkg::UnitDiv : mpe_pkg::UnitMul;
          bad         = opcode[3] && !funct3[2] && funct3 != 3'b000;
        end else begin
          decode_op(opcode[3], alu_op, uw, shadd, bad);
          ctrl_o.alu_op = alu_op;
          ctrl_o.uw     = uw;
          ctrl_o.shadd  = shadd;
          ctrl_o.word   = opcode[3] && !uw && alu_op != mpe_pkg::AluZextH;
        end
      end
      7'h2f: begin
        mpe_pkg::mem_op_e       mem_op;
        mbus_pkg::op_e amo_op;
        decode_amo(mem_op, amo_op, bad);
        ctrl_o.unit     = mpe_pkg::UnitMem;
        ctrl_o.mem_op   = mem_op;
        ctrl_o.amo_op   = amo_op;
        ctrl_o.rd       = rd;
        ctrl_o.rs1_used = 1'b1;
        ctrl_o.rs2_used = mem_op != mpe_pkg::MemLr;
        imm_o           = '0;
      end
      7'h0f: begin
        ctrl_o.unit = mpe_pkg::UnitMem;
        unique case (funct3)
          3'b000: ctrl_o.mem_op = mpe_pkg::MemFence;
          3'b001: ctrl_o.mem_op = mpe_pkg::MemFenceI;
          3'b010: begin
            ctrl_o.rs1_used = 1'b1;
            imm_o           = '0;
            unique case (insn_i[31:20])
              12'd0:   ctrl_o.mem_op = mpe_pkg::MemCboInval;
              12'd1:   ctrl_o.mem_op = mpe_pkg::MemCboClean;
              12'd2:   ctrl_o.mem_op = mpe_pkg::MemCboFlush;
              12'd4:   ctrl_o.mem_op = mpe_pkg::MemCboZero;
              default: bad = 1'b1;
            endcase
            bad |= rd != '0;
          end
          default: bad = 1'b1;
        endcase
      end
      7'h73: begin
        if (funct3 == 3'b000) begin
          mpe_pkg::sys_op_e sys_op;
          decode_system(sys_op, bad);
          ctrl_o.unit   = mpe_pkg::UnitSys;
          ctrl_o.sys_op = sys_op;
        end else begin
          ctrl_o.unit     = mpe_pkg::UnitCsr;
          ctrl_o.rd       = rd;
          ctrl_o.rs1_used = !funct3[2];
          bad             = funct3 == 3'b100;
        end
      end
      default: bad = 1'b1;
    endcase

    if (bad || illegal_i) begin
      ctrl_o          = '0;
      ctrl_o.illegal  = 1'b1;
      ctrl_o.unit     = mpe_pkg::UnitAlu;
    end
  end

endmodule
