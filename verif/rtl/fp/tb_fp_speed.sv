// SPDX-License-Identifier: Apache-2.0
// As many fma lanes as a vector unit has, for measuring.
module tb_fp_speed #(
  parameter int unsigned Lanes = 8
) (
  input  logic                clk_i,
  input  logic                en_i,
  input  logic [32*Lanes-1:0] a_i,
  input  logic [32*Lanes-1:0] b_i,
  input  logic [32*Lanes-1:0] c_i,
  output logic [32*Lanes-1:0] y_o
);

  for (genvar i = 0; i < Lanes; i++) begin : g_lane
    fp32_fma u_fma (
      .clk_i,
      .en_i,
      .a_i (a_i[32*i +: 32]),
      .b_i (b_i[32*i +: 32]),
      .c_i (c_i[32*i +: 32]),
      .y_o (y_o[32*i +: 32])
    );
  end

endmodule
