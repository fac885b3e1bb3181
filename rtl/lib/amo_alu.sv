// SPDX-License-Identifier: Apache-2.0
// What an atomic memory operation writes, from the old value and the operand. Purely combinational.
//
// size_i is 2 (words) or 3 (double words), the sizes that atomics have. Words travel in the lower half; the upper half
// of both inputs is ignored and that of the result is undefined. Operations of op_e other than the atomics answer the operand.
module amo_alu (
  input  mbus_pkg::op_e op_i,
  input  logic [2:0]    size_i,
  input  logic [63:0]   old_i,
  input  logic [63:0]   operand_i,
  output logic [63:0]   new_o
);

  // Words that are extended alike compare as their extensions do, signed or not.
  logic [63:0] a, b;
  logic        is_word, less_signed, less;

  assign is_word     = size_i == 3'd2;
  assign a           = is_word ? {{32{old_i[31]}}, old_i[31:0]} : old_i;
  assign b           = is_word ? {{32{operand_i[31]}}, operand_i[31:0]} : operand_i;
  assign less_signed = op_i == mbus_pkg::OpMin || op_i == mbus_pkg::OpMax;
  assign less        = {a[63] ^ less_signed, a[62:0]} < {b[63] ^ less_signed, b[62:0]};

  always_comb begin
    unique case (op_i)
      mbus_pkg::OpAdd:                   new_o = a + b;
      mbus_pkg::OpXor:                   new_o = a ^ b;
      mbus_pkg::OpAnd:                   new_o = a & b;
      mbus_pkg::OpOr:                    new_o = a | b;
      mbus_pkg::OpMin, mbus_pkg::OpMinu: new_o = less ? a : b;
      mbus_pkg::OpMax, mbus_pkg::OpMaxu: new_o = less ? b : a;
      default:                           new_o = b;
    endcase
  end

endmodule
