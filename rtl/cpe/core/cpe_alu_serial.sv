// SPDX-License-Identifier: Apache-2.0
// cpe_alu where area counts: one adder that also subtracts and compares, and another one for addresses. What is shifted comes from the
// multiplier. Combinational.
module cpe_alu_serial (
  input  cpe_core_pkg::kind_t kind_i,
  input  cpe_core_pkg::alu_t  op_i,
  input  logic [2:0]          funct3_i,
  input  logic [31:0]         a_i,
  input  logic [31:0]         b_i,
  input  logic [31:0]         imm_i,
  input  logic [31:0]         pc_i,
  input  logic [31:0]         product_i,
  output logic [31:0]         result_o,
  output logic                taken_o,
  output logic [31:0]         address_o
);

  logic        branch, from_pc, subtract, below, differ, is_signed;
  logic [31:0] b, sum;
  logic        no_borrow;

  assign branch  = kind_i == cpe_core_pkg::KindBranch;
  assign b       = b_i | (branch ? '0 : imm_i);

  // --- Sums, order ----------------------------------------------------------------------------------------------------

  assign subtract         = branch || op_i != cpe_core_pkg::AluAdd;
  assign {no_borrow, sum} = {1'b0, a_i} + {1'b0, b ^ {32{subtract}}} + 33'(subtract);

  assign is_signed = branch ? !funct3_i[1] : op_i == cpe_core_pkg::AluSlt;
  assign below     = a_i[31] == b[31] ? !no_borrow : is_signed ? a_i[31] : b[31];
  assign differ    = sum != '0;

  always_comb begin
    case (kind_i)
      cpe_core_pkg::KindBranch:                      taken_o = (funct3_i[2] ? below : !differ) ^ funct3_i[0];
      cpe_core_pkg::KindJal, cpe_core_pkg::KindJalr: taken_o = 1'b1;
      default:                                       taken_o = 1'b0;
    endcase
  end

  // --- Addresses --------------------------------------------------------------------------------------------------------

  // Of an instruction that computes, only the sum with pc is wanted.
  assign from_pc = branch || kind_i == cpe_core_pkg::KindJal || kind_i == cpe_core_pkg::KindAlu;

  always_comb begin
    address_o = (from_pc ? pc_i : a_i) + imm_i;
    if (kind_i == cpe_core_pkg::KindJalr) address_o[0] = 1'b0;
  end

  // --- Result ----------------------------------------------------------------------------------------------------------

  always_comb begin
    result_o = '0;
    case (op_i)
      cpe_core_pkg::AluAdd, cpe_core_pkg::AluSub:  result_o = sum;
      cpe_core_pkg::AluSlt, cpe_core_pkg::AluSltu: result_o[0] = below;
      cpe_core_pkg::AluXor:                        result_o = a_i ^ b;
      cpe_core_pkg::AluOr:                         result_o = a_i | b;
      cpe_core_pkg::AluAnd:                        result_o = a_i & b;
      cpe_core_pkg::AluUpper:                      result_o = b;
      cpe_core_pkg::AluPc:                         result_o = address_o;
      default:                                     result_o = product_i;
    endcase
  end

endmodule
