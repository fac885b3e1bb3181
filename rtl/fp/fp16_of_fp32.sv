// SPDX-License-Identifier: Apache-2.0
// An fp32 number as fp16, to nearest even: subnormal results, infinity for what is too large, 0x7e00 for every NaN. Combinational.
module fp16_of_fp32 (
  input  logic [31:0] a_i,
  output logic [15:0] h_o
);

  logic [7:0]  distance;
  logic [63:0] fixed;    // in 2^-24, the unit of subnormal results; 24 bits behind the point
  logic [30:0] rounded;

  always_comb begin
    distance = 8'd126 - a_i[30:23];
    fixed    = '0;
    rounded  = '0;
    h_o      = {a_i[31], 15'h7c00};
    if (a_i[30:0] > 31'h7f80_0000) begin
      h_o = 16'h7e00;
    end else if (a_i[30:23] < 8'd113) begin
      // Below one half bits are lost that do not matter.
      fixed = {16'b0, 1'b1, a_i[22:0], 24'b0} >> (distance > 8'd63 ? 6'd63 : distance[5:0]);
      h_o   = {a_i[31], fixed[38:24] + {14'b0, fixed[23:0] > 24'h80_0000 - {23'b0, fixed[24]}}};
    end else if (a_i[30:23] < 8'd143) begin
      // The last place goes up where the rest is more than a half, or a half behind an odd place; so may the exponent.
      rounded = a_i[30:0] - 31'h3800_0000 + 31'h0fff + {30'b0, a_i[13]};
      h_o     = {a_i[31], rounded[27:13]};
    end
  end

endmodule
