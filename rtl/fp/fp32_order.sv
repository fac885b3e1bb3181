// SPDX-License-Identifier: Apache-2.0
// Compares two fp32 numbers. less and equal are false when one is a NaN; -0 equals +0. min and max ignore a NaN; of two they make
// 0x7fc00000; for them -0 is below +0. Combinational.
module fp32_order (
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic        less_o,
  output logic        equal_o,
  output logic [31:0] min_o,
  output logic [31:0] max_o
);

  logic        a_nan;
  logic        b_nan;
  logic        zeros;
  logic        below;  // as integers in the order of the numbers

  always_comb begin
    a_nan   = a_i[30:0] > 31'h7f80_0000;
    b_nan   = b_i[30:0] > 31'h7f80_0000;
    zeros   = (a_i[30:0] | b_i[30:0]) == '0;
    below   = $signed({a_i[31], a_i[30:0] ^ {31{a_i[31]}}}) < $signed({b_i[31], b_i[30:0] ^ {31{b_i[31]}}});
    less_o  = below && !zeros && !a_nan && !b_nan;
    equal_o = (a_i == b_i || zeros) && !a_nan && !b_nan;
    min_o   = a_nan && b_nan ? 32'h7fc0_0000 : !a_nan && (b_nan || below) ? a_i : b_i;
    max_o   = a_nan && b_nan ? 32'h7fc0_0000 : !a_nan && (b_nan || !below) ? a_i : b_i;
  end

endmodule
