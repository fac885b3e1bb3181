// SPDX-License-Identifier: Apache-2.0
// y = a * b + c in fp32, rounded once, to nearest even; subnormals in and out; every NaN result is 0x7fc00000.
// Latency 3 cycles in which en_i is high: the product (1), the sum (2), rounding (3).
//
// Both summands are laid into 64 bits, their ones before the point at bit 61, by the larger of the two exponents; the other one is
// shifted right, and a one that leaves at the lower end stays there as bit 0, where it counts as "not exactly". That loses nothing:
// of the product 15 places may go unharmed, of the addend 38, and where more go the sum has more than 24 places above them, even
// when a factor is subnormal and the product begins 23 places lower.
//
// What is computed lies within the clocked block and so within its condition: a simulator does none of it for a lane that stands
// still.
module fp32_fma (
  input  logic        clk_i,
  input  logic        en_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  input  logic [31:0] c_i,
  output logic [31:0] y_o
);

  logic [47:0] product_q;           // two places before the point
  logic        sign1_q;             // of the product
  logic [9:0]  exponent1_q;         // of the product, biased, two's complement
  logic [23:0] addend_q;            // one place before the point
  logic        addend_sign_q;
  logic [7:0]  addend_exponent_q;   // 1 also of subnormal numbers and of 0
  logic        special1_q;          // the result is an infinity of this sign or, when invalid, a NaN
  logic        invalid1_q;
  logic        infinity_sign_q;

  logic [63:0] sum_q;               // magnitude
  logic        sign2_q;
  logic [8:0]  exponent2_q;         // of bit 61; 1 or more
  logic        special2_q;
  logic        invalid2_q;

  always_ff @(posedge clk_i) begin : multiply
    logic [47:0] product;
    logic        a_normal;
    logic        b_normal;
    logic        c_normal;
    logic        a_beyond;   // infinity or NaN
    logic        b_beyond;
    logic        c_beyond;
    logic        sign;
    {product, a_normal, b_normal, c_normal, a_beyond, b_beyond, c_beyond, sign} = '0;
    if (en_i) begin
      a_normal = a_i[30:23] != '0;
      b_normal = b_i[30:23] != '0;
      c_normal = c_i[30:23] != '0;
      a_beyond = a_i[30:23] == '1;
      b_beyond = b_i[30:23] == '1;
      c_beyond = c_i[30:23] == '1;
      sign     = a_i[31] ^ b_i[31];
      product  = {24'b0, a_normal, a_i[22:0]} * {24'b0, b_normal, b_i[22:0]};

      product_q         <= product;
      sign1_q           <= sign;
      // Subnormal numbers have the exponent of the smallest normal ones. A product of 0 must not push the addend aside.
      exponent1_q       <= product == '0 ? '0
                         : {2'b0, a_i[30:24], a_i[23] | !a_normal} + {2'b0, b_i[30:24], b_i[23] | !b_normal} - 10'd127;
      addend_q          <= {c_normal, c_i[22:0]};
      addend_sign_q     <= c_i[31];
      addend_exponent_q <= {c_i[30:24], c_i[23] | !c_normal};

      special1_q        <= a_beyond || b_beyond || c_beyond;
      if (a_beyond || b_beyond || c_beyond) begin
        invalid1_q      <= a_i[30:0] > 31'h7f80_0000 || b_i[30:0] > 31'h7f80_0000 || c_i[30:0] > 31'h7f80_0000
                        || ((a_beyond || b_beyond) && (product == '0 || (c_beyond && sign != c_i[31])));
        infinity_sign_q <= a_beyond || b_beyond ? sign : c_i[31];
      end
    end
  end

  always_ff @(posedge clk_i) begin : add
    logic [9:0]  distance;
    logic        addend_first;
    logic [63:0] product;
    logic [63:0] addend;
    logic [63:0] first;      // the summand with the larger exponent
    logic [63:0] second;
    logic [9:0]  amount;
    logic [5:0]  shift;
    logic [63:0] moved;
    logic        subtract;
    logic [63:0] sum;
    logic        negative;
    {distance, addend_first, product, addend, first, second, amount, shift, moved, subtract, sum, negative} = '0;
    if (en_i) begin
      distance     = exponent1_q - {2'b0, addend_exponent_q};
      addend_first = distance[9];
      product      = {1'b0, product_q, 15'b0};
      addend       = {2'b0, addend_q, 38'b0};
      first        = addend_first ? addend : product;
      second       = addend_first ? product : addend;
      amount       = addend_first ? -distance : distance;
      shift        = amount > 10'd63 ? 6'd63 : amount[5:0];
      moved        = second >> shift;
      moved[0]     = moved[0] | ((second & ~(64'hffff_ffff_ffff_ffff << shift)) != '0);
      subtract     = sign1_q ^ addend_sign_q;
      sum          = first + (moved ^ {64{subtract}}) + {63'b0, subtract};
      // The one with the larger exponent may still be the smaller number. (A sum of equal signs may reach bit 63.)
      negative     = subtract && sum[63];

      sum_q        <= negative ? -sum : sum;
      exponent2_q  <= addend_first ? {1'b0, addend_exponent_q} : exponent1_q[8:0];
      sign2_q      <= special1_q ? infinity_sign_q
                    : subtract && sum == '0 ? 1'b0
                    : (addend_first ? addend_sign_q : sign1_q) ^ negative;
      special2_q   <= special1_q;
      invalid2_q   <= invalid1_q;
    end
  end

  always_ff @(posedge clk_i) begin : round
    logic [63:0] stop;
    logic [31:0] half;
    logic [15:0] quarter;
    logic [7:0]  eighth;
    logic [3:0]  nibble;
    logic [5:0]  zeros;
    logic [63:0] normal;
    logic [31:0] place;
    logic [39:0] rest;
    logic [31:0] magnitude;
    {stop, half, quarter, eighth, nibble, zeros, normal, place, rest, magnitude} = '0;
    if (en_i) begin
      // Shifts up to the first one, but not beyond the smallest exponent.
      stop       = sum_q | (64'h4000_0000_0000_0000 >> exponent2_q);
      zeros[5]   = stop[63:32] == '0;
      half       = zeros[5] ? stop[31:0] : stop[63:32];
      zeros[4]   = half[31:16] == '0;
      quarter    = zeros[4] ? half[15:0] : half[31:16];
      zeros[3]   = quarter[15:8] == '0;
      eighth     = zeros[3] ? quarter[7:0] : quarter[15:8];
      zeros[2]   = eighth[7:4] == '0;
      nibble     = zeros[2] ? eighth[3:0] : eighth[7:4];
      // A table of two bits for each value.
      zeros[1:0] = 2'(32'h0000_55af >> {nibble, 1'b0});
      normal     = sum_q << zeros;
      // The one before the point, if there is one, counts the exponent up; so does a carry.
      place      = ({23'b0, exponent2_q} + 32'd1 - {26'b0, zeros}) << 23;
      rest       = normal[39:0] + {39'b0, normal[40]};
      magnitude  = place + {8'b0, normal[63:40]} + {31'b0, rest > 40'h80_0000_0000};
      if (special2_q || magnitude >= 32'h7f80_0000) begin
        y_o <= special2_q && invalid2_q ? 32'h7fc0_0000 : {sign2_q, 31'h7f80_0000};
      end else begin
        y_o <= {sign2_q, sum_q == '0 ? 31'b0 : magnitude[30:0]};
      end
    end
  end

endmodule
