// SPDX-License-Identifier: Apache-2.0
// The integer nearest to an fp32 number, halves to even; what does not fit becomes the nearest that does, a NaN the largest.
// Combinational.
module int32_of_fp32 (
  input  logic [31:0] a_i,
  output logic [31:0] i_o
);

  logic [7:0]  distance;   // from numbers that use all 32 bits before the point
  logic [63:0] fixed;      // 32 bits behind the point
  logic [31:0] magnitude;

  always_comb begin
    distance  = 8'd158 - a_i[30:23];
    // Far below one half bits are lost that do not matter.
    fixed     = {1'b1, a_i[22:0], 40'b0} >> (distance > 8'd63 ? 6'd63 : distance[5:0]);
    magnitude = fixed[63:32] + {31'b0, fixed[31:0] > 32'h8000_0000 - {31'b0, fixed[32]}};
    i_o       = a_i[31] ? -magnitude : magnitude;
    if (a_i[30:23] >= 8'd158) begin
      i_o = a_i[31] && a_i[30:0] <= 31'h7f80_0000 ? 32'h8000_0000 : 32'h7fff_ffff;
    end
  end

endmodule
