// A signed integer as fp32, to nearest even. Combinational.
module fp32_of_int32 (
  input  logic [31:0] i_i,
  output logic [31:0] y_o
);

  logic [31:0] magnitude;
  logic [15:0] half;
  logic [7:0]  quarter;
  logic [3:0]  nibble;
  logic [4:0]  zeros;
  logic [31:0] normal;
  logic        up;

  always_comb begin
    magnitude  = i_i[31] ? -i_i : i_i;
    zeros[4]   = magnitude[31:16] == '0;
    half       = zeros[4] ? magnitude[15:0] : magnitude[31:16];
    zeros[3]   = half[15:8] == '0;
    quarter    = zeros[3] ? half[7:0] : half[15:8];
    zeros[2]   = quarter[7:4] == '0;
    nibble     = zeros[2] ? quarter[3:0] : quarter[7:4];
    // A table of two bits for each value.
    zeros[1:0] = 2'(32'h0000_55af >> {nibble, 1'b0});
    normal     = magnitude << zeros;
    up         = normal[7:0] > 8'h80 - {7'b0, normal[8]};
    // The one before the point counts the exponent up; so does a carry.
    y_o        = {i_i[31], 8'd157 - {3'b0, zeros}, 23'b0} + {8'b0, normal[31:8]} + {31'b0, up};
    if (i_i == '0) y_o = '0;
  end

endmodule
