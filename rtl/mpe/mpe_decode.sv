// Decodes a 32-bit instruction (already expanded) into the control bundle and its immediate.
// Combinational. What depends on privilege or on CSR state is checked later, in execute and in the CSR file.
module mpe_decode (
    input  logic [31:0]      insn_i,
    input  logic             illegal_i,
    output mpe_pkg::ctrl_t   ctrl_o,
    output logic [63:0]      imm_o
);
  import mpe_pkg::*;

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
  task automatic decode_op_imm(input logic word, output alu_op_e op, output logic uw, output logic bad);
    logic shift_ok;  // six shift bits in 64-bit operations, five in 32-bit ones
    op       = AluAdd;
    uw       = 1'b0;
    bad      = 1'b0;
    shift_ok = !word || !insn_i[25];
    unique case (funct3)
      3'b000: op = AluAdd;
      3'b010: begin op = AluSlt;  bad = word; end
      3'b011: begin op = AluSltu; bad = word; end
      3'b100: begin op = AluXor;  bad = word; end
      3'b110: begin op = AluOr;   bad = word; end
      3'b111: begin op = AluAnd;  bad = word; end
      3'b001: begin
        unique case (insn_i[31:26])
          6'b000000: begin op = AluSll; bad = !shift_ok; end
          6'b000010: begin op = AluSll; uw = 1'b1; bad = !word; end  // slli.uw lives in OP-IMM-32
          6'b011000: begin
            bad = insn_i[25];
            unique case (rs2)
              5'd0: op = AluClz;
              5'd1: op = AluCtz;
              5'd2: op = AluCpop;
              5'd4: begin op = AluSextB; bad = insn_i[25] || word; end
              5'd5: begin op = AluSextH; bad = insn_i[25] || word; end
              default: bad = 1'b1;
            endcase
          end
          default: bad = 1'b1;
        endcase
      end
      default: begin  // 3'b101
        unique case (insn_i[31:26])
          6'b000000: begin op = AluSrl; bad = !shift_ok; end
          6'b010000: begin op = AluSra; bad = !shift_ok; end
          6'b011000: begin op = AluRor; bad = !shift_ok; end
          6'b001010: begin op = AluOrcB; bad = word || insn_i[25:20] != 6'd7; end
          6'b011010: begin op = AluRev8; bad = word || insn_i[25:20] != 6'd56; end
          default: bad = 1'b1;
        endcase
      end
    endcase
  endtask

  // OP and OP-32, without the M extension
  task automatic decode_op(input logic word, output alu_op_e op, output logic uw, output logic [1:0] shadd,
                           output logic bad);
    op    = AluAdd;
    uw    = 1'b0;
    shadd = 2'd0;
    bad   = 1'b0;
    unique case ({funct7, funct3})
      {7'h00, 3'b000}: op = AluAdd;
      {7'h20, 3'b000}: op = AluSub;
      {7'h00, 3'b001}: op = AluSll;
      {7'h00, 3'b101}: op = AluSrl;
      {7'h20, 3'b101}: op = AluSra;
      {7'h30, 3'b001}: op = AluRol;
      {7'h30, 3'b101}: op = AluRor;
      {7'h10, 3'b010}: begin shadd = 2'd1; uw = word; end
      {7'h10, 3'b100}: begin shadd = 2'd2; uw = word; end
      {7'h10, 3'b110}: begin shadd = 2'd3; uw = word; end
      {7'h04, 3'b000}: begin uw = 1'b1; bad = !word; end  // add.uw
      {7'h04, 3'b100}: begin op = AluZextH; bad = !word || rs2 != '0; end
      {7'h00, 3'b010}: begin op = AluSlt;  bad = word; end
      {7'h00, 3'b011}: begin op = AluSltu; bad = word; end
      {7'h00, 3'b100}: begin op = AluXor;  bad = word; end
      {7'h00, 3'b110}: begin op = AluOr;   bad = word; end
      {7'h00, 3'b111}: begin op = AluAnd;  bad = word; end
      {7'h20, 3'b100}: begin op = AluXnor; bad = word; end
      {7'h20, 3'b110}: begin op = AluOrn;  bad = word; end
      {7'h20, 3'b111}: begin op = AluAndn; bad = word; end
      {7'h05, 3'b100}: begin op = AluMin;  bad = word; end
      {7'h05, 3'b101}: begin op = AluMinu; bad = word; end
      {7'h05, 3'b110}: begin op = AluMax;  bad = word; end
      {7'h05, 3'b111}: begin op = AluMaxu; bad = word; end
      default: bad = 1'b1;
    endcase
  endtask

  task automatic decode_amo(output mem_op_e mem_op, output mbus_pkg::op_e op, output logic bad);
    mem_op = MemAmo;
    op     = mbus_pkg::OpSwap;
    bad    = funct3[2:1] != 2'b01;
    unique case (insn_i[31:27])
      5'b00010: begin mem_op = MemLr; op = mbus_pkg::OpLr; bad |= rs2 != '0; end
      5'b00011: begin mem_op = MemSc; op = mbus_pkg::OpSc; end
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

  task automatic decode_system(output sys_op_e op, output logic bad);
    op  = SysEcall;
    bad = rd != '0 || (rs1 != '0 && funct7 != 7'h09);
    unique case (insn_i[31:20])
      12'h000: op = SysEcall;
      12'h001: op = SysEbreak;
      12'h302: op = SysMret;
      12'h102: op = SysSret;
      12'h105: op = SysWfi;
      default: begin
        op = SysSfence;
        bad |= funct7 != 7'h09;
      end
    endcase
  endtask

  always_comb begin
    logic       bad;
    logic       uw;
    logic [1:0] shadd;
    alu_op_e    alu_op;

    bad    = 1'b0;
    uw     = 1'b0;
    shadd  = 2'd0;
    alu_op = AluAdd;

    ctrl_o          = '0;
    ctrl_o.unit     = UnitAlu;
    ctrl_o.alu_op   = AluAdd;
    ctrl_o.funct3   = funct3;
    ctrl_o.rs1      = rs1;
    ctrl_o.rs2      = rs2;
    ctrl_o.mem_op   = MemLoad;
    ctrl_o.amo_op   = mbus_pkg::OpRead;
    ctrl_o.sys_op   = SysEcall;
    imm_o           = imm_i;

    unique case (opcode)
      7'h37: begin  // lui
        ctrl_o.alu_op   = AluPassB;
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
        ctrl_o.unit = UnitJal;
        ctrl_o.rd   = rd;
        imm_o       = imm_j;
      end
      7'h67: begin
        ctrl_o.unit     = UnitJalr;
        ctrl_o.rd       = rd;
        ctrl_o.rs1_used = 1'b1;
        bad             = funct3 != '0;
      end
      7'h63: begin
        ctrl_o.unit     = UnitBranch;
        ctrl_o.rs1_used = 1'b1;
        ctrl_o.rs2_used = 1'b1;
        bad             = funct3[2:1] == 2'b01;
        imm_o           = imm_b;
      end
      7'h03: begin
        ctrl_o.unit     = UnitMem;
        ctrl_o.mem_op   = MemLoad;
        ctrl_o.rd       = rd;
        ctrl_o.rs1_used = 1'b1;
        bad             = funct3 == 3'b111;
      end
      7'h23: begin
        ctrl_o.unit     = UnitMem;
        ctrl_o.mem_op   = MemStore;
        ctrl_o.rs1_used = 1'b1;
        ctrl_o.rs2_used = 1'b1;
        bad             = funct3[2];
        imm_o           = imm_s;
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
          ctrl_o.unit = funct3[2] ? UnitDiv : UnitMul;
          bad         = opcode[3] && !funct3[2] && funct3 != 3'b000;
        end else begin
          decode_op(opcode[3], alu_op, uw, shadd, bad);
          ctrl_o.alu_op = alu_op;
          ctrl_o.uw     = uw;
          ctrl_o.shadd  = shadd;
          ctrl_o.word   = opcode[3] && !uw && alu_op != AluZextH;
        end
      end
      7'h2f: begin
        mem_op_e       mem_op;
        mbus_pkg::op_e amo_op;
        decode_amo(mem_op, amo_op, bad);
        ctrl_o.unit     = UnitMem;
        ctrl_o.mem_op   = mem_op;
        ctrl_o.amo_op   = amo_op;
        ctrl_o.rd       = rd;
        ctrl_o.rs1_used = 1'b1;
        ctrl_o.rs2_used = mem_op != MemLr;
        imm_o           = '0;
      end
      7'h0f: begin
        ctrl_o.unit = UnitMem;
        unique case (funct3)
          3'b000: ctrl_o.mem_op = MemFence;
          3'b001: ctrl_o.mem_op = MemFenceI;
          3'b010: begin
            ctrl_o.rs1_used = 1'b1;
            imm_o           = '0;
            unique case (insn_i[31:20])
              12'd0:   ctrl_o.mem_op = MemCboInval;
              12'd1:   ctrl_o.mem_op = MemCboClean;
              12'd2:   ctrl_o.mem_op = MemCboFlush;
              default: bad = 1'b1;
            endcase
            bad |= rd != '0;
          end
          default: bad = 1'b1;
        endcase
      end
      7'h73: begin
        if (funct3 == 3'b000) begin
          sys_op_e sys_op;
          decode_system(sys_op, bad);
          ctrl_o.unit   = UnitSys;
          ctrl_o.sys_op = sys_op;
        end else begin
          ctrl_o.unit     = UnitCsr;
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
      ctrl_o.unit     = UnitAlu;
    end
  end

endmodule
