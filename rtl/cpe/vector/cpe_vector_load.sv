// An element as fp32: exact, but for int32, which is rounded to nearest even; every NaN becomes 0x7fc00000 when it was fp16.
// Combinational. One normaliser serves all numbers, and nothing is computed without en_i: that costs a simulator least.
module cpe_vector_load (
  input  logic             en_i,      // else raw_i
  input  cpe_pkg::number_t number_i,
  input  logic [31:0]      raw_i,     // the element at the lower end
  output logic [31:0]      y_o
);

  logic        half, sign;
  logic [31:0] magnitude, normal;
  logic [15:0] upper;
  logic [7:0]  byte_up;
  logic [3:0]  nibble;
  logic [4:0]  zeros;
  logic [7:0]  exponent;   // of bit 31 of the magnitude, biased
  logic        up;

  always_comb begin
    y_o       = raw_i;
    half      = 1'b0;
    sign      = 1'b0;
    magnitude = '0;
    normal    = '0;
    upper     = '0;
    byte_up   = '0;
    nibble    = '0;
    zeros     = '0;
    exponent  = '0;
    up        = 1'b0;
    if (en_i && number_i != cpe_pkg::NumberFp32) begin
      half      = number_i == cpe_pkg::NumberFp16;
      sign      = number_i == cpe_pkg::NumberInt32 ? raw_i[31] : half ? raw_i[15] : raw_i[7];
      magnitude = raw_i;
      if (number_i == cpe_pkg::NumberInt8) magnitude = {{24{sign}}, raw_i[7:0]};
      if (sign) magnitude = -magnitude;
      exponent  = 8'd158;
      if (half) begin
        magnitude = {raw_i[14:10] != '0, raw_i[9:0], 21'd0};
        exponent  = {3'd0, raw_i[14:11], raw_i[10] | (raw_i[14:10] == '0)} + 8'd112;
      end
      zeros[4] = magnitude[31:16] == '0;
      upper    = zeros[4] ? magnitude[15:0] : magnitude[31:16];
      zeros[3] = upper[15:8] == '0;
      byte_up  = zeros[3] ? upper[7:0] : upper[15:8];
      zeros[2] = byte_up[7:4] == '0;
      nibble   = zeros[2] ? byte_up[3:0] : byte_up[7:4];
      zeros[1] = nibble[3:2] == '0;
      zeros[0] = zeros[1] ? !nibble[1] : !nibble[3];
      normal   = magnitude << zeros;
      up       = normal[7] && (normal[8] || normal[6:0] != '0);
      y_o      = {sign, exponent - {3'd0, zeros}, normal[30:8]} + 32'(up);
      if (magnitude == '0) y_o = {sign, 31'd0};
      if (half && raw_i[14:10] == '1) y_o = raw_i[9:0] == '0 ? {sign, 31'h7f80_0000} : cpe_vector_pkg::Nan;
    end
  end

endmodule
