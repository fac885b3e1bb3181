// SPDX-License-Identifier: Apache-2.0
// The integer of 8 bits nearest to an fp32 number, halves to even; what does not fit becomes the nearest that does, a NaN the
// largest. Combinational.
module int8_of_fp32 (
  input  logic [31:0] a_i,
  output logic [7:0]  i_o
);

  logic [7:0]  distance;   // from numbers that use 8 bits before the point
  logic [31:0] fixed;      // 24 bits behind the point
  logic [8:0]  magnitude;
  logic [8:0]  limit;

  always_comb begin
    distance  = 8'd134 - a_i[30:23];
    // Below one half bits are lost that do not matter.
    fixed     = {1'b1, a_i[22:0], 8'b0} >> (distance > 8'd31 ? 5'd31 : distance[4:0]);
    magnitude = {1'b0, fixed[31:24]} + {8'b0, fixed[23:0] > 24'h80_0000 - {23'b0, fixed[24]}};
    limit     = 9'd127 + {8'b0, a_i[31]};
    if (a_i[30:23] > 8'd134 || magnitude > limit) magnitude = limit;
    i_o       = a_i[31] ? -magnitude[7:0] : magnitude[7:0];
    if (a_i[30:0] > 31'h7f80_0000) i_o = 8'h7f;
  end

endmodule
