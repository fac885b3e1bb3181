// SPDX-License-Identifier: Apache-2.0
// What the drain makes of a scaled sum: clamps it, and makes it the number that is stored, to nearest even. min and max as fp32_order has
// them, numbers as fp16_of_fp32 and int8_of_fp32 do; but nothing is computed without en_i, which costs a simulator least.
// Combinational.
module cpe_systolic_drain_result (
  input  logic             en_i,
  input  cpe_isa_pkg::number_t number_i,   // not int32
  input  logic             clamp_i,
  input  logic [31:0]      least_i,
  input  logic [31:0]      largest_i,
  input  logic [31:0]      x_i,        // a NaN is 0x7fc00000
  output logic [31:0]      y_o         // in its lowest bits
);

  logic [31:0] value;
  logic        half, nan, up;
  logic [7:0]  exponent;
  logic [8:0]  amount;                 // negative: too large
  logic [63:0] fixed;                  // units of the result in bits 63:40
  logic [23:0] units;

  always_comb begin
    value    = '0;
    half     = 1'b0;
    nan      = 1'b0;
    up       = 1'b0;
    exponent = '0;
    amount   = '0;
    fixed    = '0;
    units    = '0;
    y_o      = '0;
    if (en_i) begin
      value = x_i;
      if (clamp_i) begin
        // A bound that is a NaN is none; a value that is one becomes the bound. Else in the order of the numbers, as integers.
        if (least_i[30:0] <= 31'h7f80_0000
            && (value[30:0] > 31'h7f80_0000
                || $signed({value[31], value[30:0] ^ {31{value[31]}}}) < $signed({least_i[31], least_i[30:0] ^ {31{least_i[31]}}})))
          value = least_i;
        if (largest_i[30:0] <= 31'h7f80_0000
            && (value[30:0] > 31'h7f80_0000
                || $signed({largest_i[31], largest_i[30:0] ^ {31{largest_i[31]}}}) < $signed({value[31], value[30:0] ^ {31{value[31]}}})))
          value = largest_i;
      end
      y_o = value;
      if (number_i != cpe_isa_pkg::NumberFp32) begin
        half     = number_i == cpe_isa_pkg::NumberFp16;
        nan      = value[30:0] > 31'h7f80_0000;
        exponent = value[30:23];
        // The last place: of int8 the one of integers, of fp16 the 11th of a normal number, the smallest number's else.
        if (!half) amount = 9'd150 - {1'b0, exponent};
        else if (exponent >= 8'd113) amount = 9'd13;
        else amount = 9'd126 - {1'b0, exponent};
        // Numbers below 2^-126 are far below a half.
        fixed = {exponent != '0, value[22:0], 40'd0} >> (amount > 9'd63 ? 6'd63 : amount[5:0]);
        up    = fixed[39] && (fixed[40] || fixed[38:0] != '0);
        units = fixed[63:40] + 24'(up);
        if (half) begin
          y_o = {16'd0, value[31], units[14:0] + (exponent >= 8'd113 ? {exponent[4:0] - 5'd17, 10'd0} : 15'd0)};
          if (exponent >= 8'd143) y_o = {16'd0, value[31], 15'h7c00};
          if (nan) y_o = 32'h7e00;
        end else begin
          y_o = {24'd0, value[31] ? 8'd0 - units[7:0] : units[7:0]};
          if (exponent >= 8'd135 || units > 24'd127) y_o = value[31] && !nan ? 32'h80 : 32'h7f;
        end
      end
    end
  end

endmodule
