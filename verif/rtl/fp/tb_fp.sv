// SPDX-License-Identifier: Apache-2.0
// The arithmetic of rtl/fp that is not a table, side by side on the same operands.
module tb_fp (
  input  logic        clk_i,
  input  logic        en_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  input  logic [31:0] c_i,
  output logic [31:0] fma_o,
  output logic [31:0] add_o,
  output logic        less_o,
  output logic        equal_o,
  output logic [31:0] min_o,
  output logic [31:0] max_o
);

  fp32_fma u_fma (.clk_i, .en_i, .a_i, .b_i, .c_i, .y_o(fma_o));
  fp32_add u_add (.clk_i, .en_i, .a_i, .b_i, .y_o(add_o));
  fp32_order u_order (.a_i, .b_i, .less_o, .equal_o, .min_o, .max_o);

endmodule
