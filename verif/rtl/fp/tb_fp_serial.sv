// SPDX-License-Identifier: Apache-2.0
// The serial arithmetic, with all operands there.
module tb_fp_serial (
  input  logic        clk_i,
  input  logic        valid_i,
  input  logic [4:0]  op_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  input  logic [31:0] c_i,
  output logic        done_o,
  output logic [31:0] y_o
);

  logic [1:0]  which;
  logic [31:0] operand;

  assign operand = which == 2'd0 ? a_i : which == 2'd1 ? b_i : c_i;

  fp32_serial u_serial (
    .clk_i,
    .valid_i,
    .op_i,
    .which_o  (which),
    .operand_i(operand),
    .done_o,
    .y_o
  );

endmodule
