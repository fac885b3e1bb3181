// The sum of a product and a number, rounded to fp32: what fp32_fma and fp32_add have in common.
// Latency 2 cycles in which en_i is high.
//
// Both summands are laid into 64 bits, their ones before the point at bit 61, by the larger of the two exponents; the other one is
// shifted right, and a one that leaves at the lower end stays there as bit 0. That loses nothing: of the product at most 15 places
// may go without loss, of the addend 38, and where more go the sum has more than 24 places above them, even when a factor is
// subnormal and the product begins 23 places lower.
module fp32_sum (
  input  logic        clk_i,
  input  logic        en_i,
  input  logic [47:0] a_i,              // two places before the point
  input  logic        a_sign_i,
  input  logic [9:0]  a_exponent_i,     // biased, two's complement
  input  logic [23:0] b_i,              // one place before the point
  input  logic        b_sign_i,
  input  logic [7:0]  b_exponent_i,     // biased; 1 also of subnormal numbers and of 0
  input  logic        special_i,        // the result is an infinity of this sign or, when invalid, a NaN
  input  logic        invalid_i,
  input  logic        infinity_sign_i,
  output logic [31:0] y_o
);

  logic [63:0] sum_q;       // magnitude
  logic        sign_q;
  logic [8:0]  exponent_q;  // of bit 61; 1 or more
  logic        special_q;
  logic        invalid_q;

  always_ff @(posedge clk_i) begin
    if (en_i) begin : add
      logic [9:0]  distance;
      logic        a_below;
      logic [63:0] a;
      logic [63:0] b;
      logic [63:0] first;    // the summand with the larger exponent
      logic [63:0] second;
      logic [63:0] moved;
      logic [9:0]  amount;
      logic [5:0]  shift;
      logic        subtract;
      logic [63:0] sum;
      logic        negative;
      distance = a_exponent_i - {2'b0, b_exponent_i};
      a_below  = distance[9];
      a        = {1'b0, a_i, 15'b0};
      b        = {2'b0, b_i, 38'b0};
      first    = a_below ? b : a;
      second   = a_below ? a : b;
      amount   = a_below ? -distance : distance;
      shift    = amount > 10'd63 ? 6'd63 : amount[5:0];
      moved    = second >> shift;
      moved[0] = moved[0] | ((second & ~(64'hffff_ffff_ffff_ffff << shift)) != '0);
      subtract = a_sign_i ^ b_sign_i;
      sum      = first + (moved ^ {64{subtract}}) + {63'b0, subtract};
      // The one with the larger exponent may still be the smaller number. (A sum of equal signs may reach bit 63.)
      negative = subtract && sum[63];

      sum_q      <= negative ? -sum : sum;
      exponent_q <= a_below ? {1'b0, b_exponent_i} : a_exponent_i[8:0];
      sign_q     <= special_i ? infinity_sign_i
                  : subtract && sum == '0 ? 1'b0
                  : (a_below ? b_sign_i : a_sign_i) ^ negative;
      special_q  <= special_i;
      invalid_q  <= invalid_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_i) begin : round
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
      // Shifts up to the first one, but not beyond the smallest exponent.
      stop     = sum_q | (64'h4000_0000_0000_0000 >> exponent_q);
      zeros[5] = stop[63:32] == '0;
      half     = zeros[5] ? stop[31:0] : stop[63:32];
      zeros[4] = half[31:16] == '0;
      quarter  = zeros[4] ? half[15:0] : half[31:16];
      zeros[3] = quarter[15:8] == '0;
      eighth   = zeros[3] ? quarter[7:0] : quarter[15:8];
      zeros[2] = eighth[7:4] == '0;
      nibble   = zeros[2] ? eighth[3:0] : eighth[7:4];
      // A table of two bits for each value.
      zeros[1:0] = 2'(32'h0000_55af >> {nibble, 1'b0});
      normal     = sum_q << zeros;

      // The one before the point, if there is one, counts the exponent up; so does a carry.
      place     = ({23'b0, exponent_q} + 32'd1 - {26'b0, zeros}) << 23;
      rest      = normal[39:0] + {39'b0, normal[40]};
      magnitude = place + {8'b0, normal[63:40]} + {31'b0, rest > 40'h80_0000_0000};
      if (special_q || magnitude >= 32'h7f80_0000) begin
        y_o <= invalid_q && special_q ? 32'h7fc0_0000 : {sign_q, 31'h7f80_0000};
      end else if (sum_q == '0) begin
        y_o <= {sign_q, 31'b0};
      end else begin
        y_o <= {sign_q, magnitude[30:0]};
      end
    end
  end

endmodule
