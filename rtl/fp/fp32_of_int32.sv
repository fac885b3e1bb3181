// SPDX-License-Identifier: Apache-2.0
// A signed integer as fp32, to nearest even. Combinational.
// Without en_i the result is 0, and nothing is computed, which costs a simulator least.
module fp32_of_int32 (
  input  logic        en_i,
  input  logic [31:0] i_i,
  output logic [31:0] y_o
);

  logic [31:0] magnitude, normal;
  logic [15:0] half;
  logic [7:0]  quarter;
  logic [3:0]  nibble;
  logic [4:0]  zeros;
  logic        up;

  always_comb begin
    magnitude = '0;
    normal    = '0;
    half      = '0;
    quarter   = '0;
    nibble    = '0;
    zeros     = '0;
    up        = 1'b0;
    y_o       = '0;
    if (en_i) begin
      if (i_i != '0) begin
        magnitude = i_i[31] ? -i_i : i_i;
        zeros[4]  = magnitude[31:16] == '0;
        half      = zeros[4] ? magnitude[15:0] : magnitude[31:16];
        zeros[3]  = half[15:8] == '0;
        quarter   = zeros[3] ? half[7:0] : half[15:8];
        zeros[2]  = quarter[7:4] == '0;
        nibble    = zeros[2] ? quarter[3:0] : quarter[7:4];
        zeros[1]  = nibble[3:2] == '0;
        zeros[0]  = zeros[1] ? !nibble[1] : !nibble[3];
        normal    = magnitude << zeros;
        up        = normal[7] && (normal[8] || normal[6:0] != '0);
        // The one before the point counts the exponent up; so does a carry.
        y_o       = {i_i[31], 8'd157 - {3'd0, zeros}, 23'd0} + {8'd0, normal[31:8]} + 32'(up);
      end
    end
  end

endmodule
