// SPDX-License-Identifier: Apache-2.0
// All conversions of rtl/fp, of the same bits. There is no clock; the harness wants one.
module tb_fp_convert (
  input  logic        clk_i,
  input  logic        of_int32_en_i,
  input  logic [31:0] x_i,
  output logic [31:0] of_int32_o,
  output logic [31:0] of_fp16_o,
  output logic [31:0] to_int32_o,
  output logic [7:0]  to_int8_o,
  output logic [15:0] to_fp16_o
);

  fp32_of_int32 u_of_int32 (.en_i(of_int32_en_i), .i_i(x_i), .y_o(of_int32_o));
  fp32_of_fp16 u_of_fp16 (.h_i(x_i[15:0]), .y_o(of_fp16_o));
  int32_of_fp32 u_to_int32 (.a_i(x_i), .i_o(to_int32_o));
  int8_of_fp32 u_to_int8 (.a_i(x_i), .i_o(to_int8_o));
  fp16_of_fp32 u_to_fp16 (.a_i(x_i), .h_o(to_fp16_o));

  logic unused;
  assign unused = clk_i;

endmodule
