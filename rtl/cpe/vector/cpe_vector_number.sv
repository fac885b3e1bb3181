// An fp32 as the number that is stored: rounded to nearest even. Integers: what does not fit becomes the nearest that does, a NaN
// the largest. fp16: what is too large becomes infinity, a NaN 0x7e00.
// Combinational. One shifter serves all numbers, and nothing is computed without en_i: that costs a simulator least.
module cpe_vector_number (
  input  logic             en_i,      // else x_i
  input  cpe_pkg::number_t number_i,
  input  logic [31:0]      x_i,
  output logic [31:0]      y_o        // the number at the lower end
);

  logic        half, sign, nan, up;
  logic [7:0]  exponent;
  logic [8:0]  amount;   // negative: the number is too large, or needs no rounding
  logic [63:0] fixed;    // whole units in bits 63:33
  logic [31:0] units;

  always_comb begin
    y_o      = x_i;
    half     = 1'b0;
    sign     = 1'b0;
    nan      = 1'b0;
    up       = 1'b0;
    exponent = '0;
    amount   = '0;
    fixed    = '0;
    units    = '0;
    if (en_i && number_i != cpe_pkg::NumberFp32) begin
      half     = number_i == cpe_pkg::NumberFp16;
      sign     = x_i[31];
      nan      = x_i[30:23] == '1 && x_i[22:0] != '0;
      exponent = {x_i[30:24], x_i[23] | (x_i[30:23] == '0)};
      // The unit of fp16 is that of its subnormal numbers, or of the last place of a normal one.
      if (!half) amount = 9'd157 - {1'b0, exponent};
      else amount = exponent >= 8'd113 ? 9'd20 : 9'd133 - {1'b0, exponent};
      fixed = {x_i[30:23] != '0, x_i[22:0], 40'd0} >> (amount > 9'd63 ? 6'd63 : amount[5:0]);
      up    = fixed[32] && (fixed[33] || fixed[31:0] != '0);
      units = {1'b0, fixed[63:33]} + 32'(up);
      if (half) begin
        y_o = {16'd0, sign, units[14:0] + (exponent >= 8'd113 ? {exponent[4:0] - 5'd17, 10'd0} : 15'd0)};
        if (exponent >= 8'd143) y_o = {16'd0, sign, 15'h7c00};
        if (nan) y_o = 32'h7e00;
      end else if (number_i == cpe_pkg::NumberInt32) begin
        y_o = sign ? -units : units;
        if (exponent >= 8'd158) y_o = sign && !nan ? 32'h8000_0000 : 32'h7fff_ffff;
      end else begin
        y_o = {24'd0, sign ? 8'd0 - units[7:0] : units[7:0]};
        if (exponent >= 8'd158 || units > 32'd127) y_o = sign && !nan ? 32'h80 : 32'h7f;
      end
    end
  end

endmodule
