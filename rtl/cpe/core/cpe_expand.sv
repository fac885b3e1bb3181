// SPDX-License-Identifier: Apache-2.0
// Expands a 16-bit RV32C instruction into its 32-bit equivalent; longer ones pass. Combinational.
// What is reserved, or belongs to floating point, becomes 0, which is not legal either. Hints expand to what they are.
module cpe_expand (
  input  logic [31:0] insn_i,
  output logic [31:0] insn_o
);

  localparam logic [6:0] OpLoad   = 7'h03;
  localparam logic [6:0] OpImm    = 7'h13;
  localparam logic [6:0] OpStore  = 7'h23;
  localparam logic [6:0] OpReg    = 7'h33;
  localparam logic [6:0] OpLui    = 7'h37;
  localparam logic [6:0] OpBranch = 7'h63;
  localparam logic [6:0] OpJalr   = 7'h67;
  localparam logic [6:0] OpJal    = 7'h6f;

  logic [15:0] c;
  logic [4:0]  rd, rs2, rdp, rs1p;
  logic [11:0] imm6;
  logic [20:1] j_off;
  logic [12:1] b_off;

  always_comb begin
    c      = insn_i[15:0];
    rd     = c[11:7];
    rs2    = c[6:2];
    rs1p   = {2'b01, c[9:7]};
    rdp    = {2'b01, c[4:2]};
    imm6   = {{7{c[12]}}, c[6:2]};
    j_off  = {{10{c[12]}}, c[8], c[10:9], c[6], c[7], c[2], c[11], c[5:3]};
    b_off  = {{5{c[12]}}, c[6:5], c[2], c[11:10], c[4:3]};
    insn_o = insn_i;
    if (c[1:0] != 2'b11) begin
      insn_o = '0;
      unique case ({c[1:0], c[15:13]})
        5'b00_000:  // c.addi4spn
          if (c[12:5] != '0) insn_o = {2'b0, c[10:7], c[12:11], c[5], c[6], 2'b0, 5'd2, 3'b000, rdp, OpImm};
        5'b00_010: insn_o = {5'b0, c[5], c[12:10], c[6], 2'b0, rs1p, 3'b010, rdp, OpLoad};                // c.lw
        5'b00_110: insn_o = {5'b0, c[5], c[12], rdp, rs1p, 3'b010, c[11:10], c[6], 2'b0, OpStore};        // c.sw

        5'b01_000: insn_o = {imm6, rd, 3'b000, rd, OpImm};                                                // c.addi
        5'b01_001: insn_o = {j_off[20], j_off[10:1], j_off[11], j_off[19:12], 5'd1, OpJal};               // c.jal
        5'b01_010: insn_o = {imm6, 5'd0, 3'b000, rd, OpImm};                                              // c.li
        5'b01_011: begin
          if ({c[12], c[6:2]} != '0) begin
            if (rd == 5'd2) insn_o = {{3{c[12]}}, c[4:3], c[5], c[2], c[6], 4'b0, 5'd2, 3'b000, 5'd2, OpImm};  // c.addi16sp
            else insn_o = {{15{c[12]}}, c[6:2], rd, OpLui};                                               // c.lui
          end
        end
        5'b01_100: begin
          if (c[11:10] == 2'b10) begin
            insn_o = {imm6, rs1p, 3'b111, rs1p, OpImm};                                                   // c.andi
          end else if (!c[12]) begin
            unique case (c[11:10])
              2'b00: insn_o = {7'h00, rs2, rs1p, 3'b101, rs1p, OpImm};                                    // c.srli
              2'b01: insn_o = {7'h20, rs2, rs1p, 3'b101, rs1p, OpImm};                                    // c.srai
              default: begin
                unique case (c[6:5])
                  2'b00:   insn_o = {7'h20, rdp, rs1p, 3'b000, rs1p, OpReg};                              // c.sub
                  2'b01:   insn_o = {7'h00, rdp, rs1p, 3'b100, rs1p, OpReg};                              // c.xor
                  2'b10:   insn_o = {7'h00, rdp, rs1p, 3'b110, rs1p, OpReg};                              // c.or
                  default: insn_o = {7'h00, rdp, rs1p, 3'b111, rs1p, OpReg};                              // c.and
                endcase
              end
            endcase
          end
        end
        5'b01_101: insn_o = {j_off[20], j_off[10:1], j_off[11], j_off[19:12], 5'd0, OpJal};               // c.j
        5'b01_110: insn_o = {b_off[12], b_off[10:5], 5'd0, rs1p, 3'b000, b_off[4:1], b_off[11], OpBranch};  // c.beqz
        5'b01_111: insn_o = {b_off[12], b_off[10:5], 5'd0, rs1p, 3'b001, b_off[4:1], b_off[11], OpBranch};  // c.bnez

        5'b10_000: if (!c[12]) insn_o = {7'h00, rs2, rd, 3'b001, rd, OpImm};                              // c.slli
        5'b10_010: if (rd != '0) insn_o = {4'b0, c[3:2], c[12], c[6:4], 2'b0, 5'd2, 3'b010, rd, OpLoad};  // c.lwsp
        5'b10_100: begin
          if (rs2 != '0) insn_o = {7'h00, rs2, c[12] ? rd : 5'd0, 3'b000, rd, OpReg};                     // c.mv, c.add
          else if (rd != '0) insn_o = {12'b0, rd, 3'b000, 4'b0, c[12], OpJalr};                           // c.jr, c.jalr
          else if (c[12]) insn_o = 32'h0010_0073;                                                         // c.ebreak
        end
        5'b10_110: insn_o = {4'b0, c[8:7], c[12], rs2, 5'd2, 3'b010, c[11:9], 2'b0, OpStore};             // c.swsp
        default: ;
      endcase
    end
  end

endmodule
