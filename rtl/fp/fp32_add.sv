// SPDX-License-Identifier: Apache-2.0
// y = a + b in fp32, to nearest even; subnormals in and out; every NaN result is 0x7fc00000.
// Latency 3 cycles in which en_i is high: the larger number goes first (1), the smaller one is shifted and added (2), the sum is
// rounded (3).
//
// What is computed lies within the clocked block and so within its condition: a simulator does none of it for an adder that stands
// still.
module fp32_add (
  input  logic        clk_i,
  input  logic        en_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] y_o
);

  logic [23:0] large_q;      // mantissa of the larger number
  logic [23:0] small_q;
  logic [4:0]  shift_q;      // of the smaller one
  logic        subtract_q;
  logic [31:0] sum_q;        // the one before the point of the larger number is bit 30

  logic        sign1_q;      // of the larger number
  logic        sign2_q;      // of the sum
  logic [7:0]  exponent1_q;  // of the larger number; 1 also of subnormal numbers and of 0
  logic [7:0]  exponent2_q;
  logic        special1_q;   // an infinity or, when invalid, a NaN
  logic        special2_q;
  logic        invalid1_q;
  logic        invalid2_q;

  always_ff @(posedge clk_i) begin : sort
    logic        b_first;
    logic [30:0] first;
    logic [30:0] second;
    logic        first_normal;
    logic        second_normal;
    logic [7:0]  exponent;
    logic [7:0]  distance;
    {b_first, first, second, first_normal, second_normal, exponent, distance} = '0;
    if (en_i) begin
      b_first       = b_i[30:0] > a_i[30:0];
      first         = b_first ? b_i[30:0] : a_i[30:0];
      second        = b_first ? a_i[30:0] : b_i[30:0];
      first_normal  = first[30:23] != '0;
      second_normal = second[30:23] != '0;
      // Subnormal numbers have the exponent of the smallest normal ones.
      exponent      = {first[30:24], first[23] | !first_normal};
      distance      = exponent - {second[30:24], second[23] | !second_normal};
      large_q       <= {first_normal, first[22:0]};
      small_q       <= {second_normal, second[22:0]};
      shift_q       <= distance > 8'd31 ? 5'd31 : distance[4:0];
      subtract_q    <= a_i[31] ^ b_i[31];
      sign1_q       <= b_first ? b_i[31] : a_i[31];
      exponent1_q   <= exponent;
      special1_q    <= first[30:23] == '1;
      invalid1_q    <= first > 31'h7f80_0000 || (second == 31'h7f80_0000 && a_i[31] != b_i[31]);
    end
  end

  always_ff @(posedge clk_i) begin : add
    logic [31:0] small_one;
    logic [31:0] moved;
    logic [31:0] sum;
    {small_one, moved, sum} = '0;
    if (en_i) begin
      // A one that leaves at the lower end stays there as bit 0, where it counts as "not exactly".
      small_one   = {1'b0, small_q, 7'b0};
      moved       = small_one >> shift_q;
      moved[0]    = moved[0] | ((small_one & ~(32'hffff_ffff << shift_q)) != '0);
      sum         = {1'b0, large_q, 7'b0} + (moved ^ {32{subtract_q}}) + {31'b0, subtract_q};
      sum_q       <= sum;
      sign2_q     <= sign1_q && (special1_q || !subtract_q || sum != '0);
      exponent2_q <= exponent1_q;
      special2_q  <= special1_q;
      invalid2_q  <= invalid1_q;
    end
  end

  always_ff @(posedge clk_i) begin : round
    logic [31:0] stop;
    logic [15:0] half;
    logic [7:0]  quarter;
    logic [3:0]  nibble;
    logic [4:0]  zeros;
    logic [31:0] normal;
    logic [31:0] place;
    logic [31:0] magnitude;
    {stop, half, quarter, nibble, zeros, normal, place, magnitude} = '0;
    if (en_i) begin
      // Shifts up to the first one, but not beyond the smallest exponent.
      stop       = sum_q | (32'h8000_0000 >> exponent2_q);
      zeros[4]   = stop[31:16] == '0;
      half       = zeros[4] ? stop[15:0] : stop[31:16];
      zeros[3]   = half[15:8] == '0;
      quarter    = zeros[3] ? half[7:0] : half[15:8];
      zeros[2]   = quarter[7:4] == '0;
      nibble     = zeros[2] ? quarter[3:0] : quarter[7:4];
      // A table of two bits for each value.
      zeros[1:0] = 2'(32'h0000_55af >> {nibble, 1'b0});
      normal     = sum_q << zeros;
      // The one before the point, if there is one, counts the exponent up; so does a carry.
      place      = {1'b0, exponent2_q - {3'b0, zeros}, 23'b0};
      magnitude  = place + {8'b0, normal[31:8]} + {31'b0, normal[7:0] > 8'h80 - {7'b0, normal[8]}};
      if (special2_q || magnitude >= 32'h7f80_0000) begin
        y_o <= special2_q && invalid2_q ? 32'h7fc0_0000 : {sign2_q, 31'h7f80_0000};
      end else begin
        y_o <= {sign2_q, sum_q == '0 ? 31'b0 : magnitude[30:0]};
      end
    end
  end

endmodule
