// SPDX-License-Identifier: Apache-2.0
// The special functions side by side, each with a unit of its own, on the same arguments; and one that changes its function.
module tb_fp_special (
  input  logic        clk_i,
  input  logic        en_i,
  input  logic [2:0]  op_i,
  input  logic [31:0] x_i,
  output logic [31:0] exp2_o,
  output logic [31:0] log2_o,
  output logic [31:0] reciprocal_o,
  output logic [31:0] root_o,
  output logic [31:0] any_o
);

  fp32_special u_exp2 (.clk_i, .en_i, .op_i(cpe_isa_pkg::SpecialExp2), .x_i, .y_o(exp2_o));
  fp32_special u_log2 (.clk_i, .en_i, .op_i(cpe_isa_pkg::SpecialLog2), .x_i, .y_o(log2_o));
  fp32_special u_reciprocal (.clk_i, .en_i, .op_i(cpe_isa_pkg::SpecialReciprocal), .x_i, .y_o(reciprocal_o));
  fp32_special u_root (.clk_i, .en_i, .op_i(cpe_isa_pkg::SpecialRoot), .x_i, .y_o(root_o));
  fp32_special u_any (.clk_i, .en_i, .op_i, .x_i, .y_o(any_o));

endmodule
