// SPDX-License-Identifier: Apache-2.0
// Expands a 16-bit RV64C instruction into its 32-bit equivalent.
// Combinational. Reserved encodings raise illegal_o; hints expand to what they are in the base ISA.
module mpe_expand (
    input  logic [15:0] c_i,
    output logic [31:0] insn_o,
    output logic        illegal_o
);

  localparam logic [6:0] OpLoad   = 7'h03;
  localparam logic [6:0] OpImm    = 7'h13;
  localparam logic [6:0] OpImm32  = 7'h1b;
  localparam logic [6:0] OpStore  = 7'h23;
  localparam logic [6:0] OpReg    = 7'h33;
  localparam logic [6:0] OpLui    = 7'h37;
  localparam logic [6:0] OpReg32  = 7'h3b;
  localparam logic [6:0] OpBranch = 7'h63;
  localparam logic [6:0] OpJalr   = 7'h67;
  localparam logic [6:0] OpJal    = 7'h6f;

  logic [4:0] rd, rs2, rdp, rs1p, rs2p;
  assign rd   = c_i[11:7];
  assign rs2  = c_i[6:2];
  assign rs1p = {2'b01, c_i[9:7]};
  assign rdp  = {2'b01, c_i[4:2]};
  assign rs2p = rdp;

  logic [11:0] imm6, lw_off, ld_off, lwsp_off, ldsp_off, swsp_off, sdsp_off, addi4spn, addi16sp;
  assign imm6     = {{7{c_i[12]}}, c_i[6:2]};
  assign lw_off   = {5'b0, c_i[5], c_i[12:10], c_i[6], 2'b0};
  assign ld_off   = {4'b0, c_i[6:5], c_i[12:10], 3'b0};
  assign lwsp_off = {4'b0, c_i[3:2], c_i[12], c_i[6:4], 2'b0};
  assign ldsp_off = {3'b0, c_i[4:2], c_i[12], c_i[6:5], 3'b0};
  assign swsp_off = {4'b0, c_i[8:7], c_i[12:9], 2'b0};
  assign sdsp_off = {3'b0, c_i[9:7], c_i[12:10], 3'b0};
  assign addi4spn = {2'b0, c_i[10:7], c_i[12:11], c_i[5], c_i[6], 2'b0};
  assign addi16sp = {{3{c_i[12]}}, c_i[4:3], c_i[5], c_i[2], c_i[6], 4'b0};

  logic [20:1] j_off;
  logic [12:1] b_off;
  assign j_off = {{10{c_i[12]}}, c_i[8], c_i[10:9], c_i[6], c_i[7], c_i[2], c_i[11], c_i[5:3]};
  assign b_off = {{5{c_i[12]}}, c_i[6:5], c_i[2], c_i[11:10], c_i[4:3]};

  always_comb begin
    insn_o    = {16'b0, c_i};
    illegal_o = 1'b0;
    unique case ({c_i[1:0], c_i[15:13]})
      5'b00_000: begin  // c.addi4spn
        insn_o    = {addi4spn, 5'd2, 3'b000, rdp, OpImm};
        illegal_o = addi4spn == '0;
      end
      5'b00_010: insn_o = {lw_off, rs1p, 3'b010, rdp, OpLoad};
      5'b00_011: insn_o = {ld_off, rs1p, 3'b011, rdp, OpLoad};
      5'b00_110: insn_o = {lw_off[11:5], rs2p, rs1p, 3'b010, lw_off[4:0], OpStore};
      5'b00_111: insn_o = {ld_off[11:5], rs2p, rs1p, 3'b011, ld_off[4:0], OpStore};

      5'b01_000: insn_o = {imm6, rd, 3'b000, rd, OpImm};  // c.addi
      5'b01_001: begin  // c.addiw
        insn_o    = {imm6, rd, 3'b000, rd, OpImm32};
        illegal_o = rd == '0;
      end
      5'b01_010: insn_o = {imm6, 5'd0, 3'b000, rd, OpImm};  // c.li
      5'b01_011: begin
        if (rd == 5'd2) insn_o = {addi16sp, 5'd2, 3'b000, 5'd2, OpImm};  // c.addi16sp
        else insn_o = {{15{c_i[12]}}, c_i[6:2], rd, OpLui};  // c.lui
        illegal_o = {c_i[12], c_i[6:2]} == '0;
      end
      5'b01_100: begin
        unique case (c_i[11:10])
          2'b00: insn_o = {6'b000000, c_i[12], c_i[6:2], rs1p, 3'b101, rs1p, OpImm};  // c.srli
          2'b01: insn_o = {6'b010000, c_i[12], c_i[6:2], rs1p, 3'b101, rs1p, OpImm};  // c.srai
          2'b10: insn_o = {imm6, rs1p, 3'b111, rs1p, OpImm};  // c.andi
          default: begin
            unique case ({c_i[12], c_i[6:5]})
              3'b000: insn_o = {7'h20, rs2p, rs1p, 3'b000, rs1p, OpReg};  // c.sub
              3'b001: insn_o = {7'h00, rs2p, rs1p, 3'b100, rs1p, OpReg};  // c.xor
              3'b010: insn_o = {7'h00, rs2p, rs1p, 3'b110, rs1p, OpReg};  // c.or
              3'b011: insn_o = {7'h00, rs2p, rs1p, 3'b111, rs1p, OpReg};  // c.and
              3'b100: insn_o = {7'h20, rs2p, rs1p, 3'b000, rs1p, OpReg32};  // c.subw
              3'b101: insn_o = {7'h00, rs2p, rs1p, 3'b000, rs1p, OpReg32};  // c.addw
              default: illegal_o = 1'b1;
            endcase
          end
        endcase
      end
      5'b01_101: insn_o = {j_off[20], j_off[10:1], j_off[11], j_off[19:12], 5'd0, OpJal};
      5'b01_110: insn_o = {b_off[12], b_off[10:5], 5'd0, rs1p, 3'b000, b_off[4:1], b_off[11], OpBranch};
      5'b01_111: insn_o = {b_off[12], b_off[10:5], 5'd0, rs1p, 3'b001, b_off[4:1], b_off[11], OpBranch};

      5'b10_000: insn_o = {6'b000000, c_i[12], c_i[6:2], rd, 3'b001, rd, OpImm};  // c.slli
      5'b10_010: begin  // c.lwsp
        insn_o    = {lwsp_off, 5'd2, 3'b010, rd, OpLoad};
        illegal_o = rd == '0;
      end
      5'b10_011: begin  // c.ldsp
        insn_o    = {ldsp_off, 5'd2, 3'b011, rd, OpLoad};
        illegal_o = rd == '0;
      end
      5'b10_100: begin
        if (!c_i[12]) begin
          if (rs2 == '0) begin  // c.jr
            insn_o    = {12'b0, rd, 3'b000, 5'd0, OpJalr};
            illegal_o = rd == '0;
          end else begin  // c.mv
            insn_o = {7'b0, rs2, 5'd0, 3'b000, rd, OpReg};
          end
        end else if (rs2 == '0) begin
          if (rd == '0) insn_o = 32'h0010_0073;  // c.ebreak
          else insn_o = {12'b0, rd, 3'b000, 5'd1, OpJalr};  // c.jalr
        end else begin  // c.add
          insn_o = {7'b0, rs2, rd, 3'b000, rd, OpReg};
        end
      end
      5'b10_110: insn_o = {swsp_off[11:5], rs2, 5'd2, 3'b010, swsp_off[4:0], OpStore};
      5'b10_111: insn_o = {sdsp_off[11:5], rs2, 5'd2, 3'b011, sdsp_off[4:0], OpStore};
      default:   illegal_o = 1'b1;
    endcase
  end

endmodule
