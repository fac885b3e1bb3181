// SPDX-License-Identifier: Apache-2.0
// exp2, log2, reciprocal and 1/sqrt in fp32: a quadratic polynomial from a table (docs/hardware/floating-point.md). Subnormal
// numbers count as 0 of their sign; results below 2^-126 are 0 of their sign; every NaN is 0x7fc00000. The error is below one
// unit in the last place. Latency 4 cycles in which en_i is high.
//
// An argument is taken apart into a piece of its function, a position in the piece, and an exponent (1); the polynomial's
// coefficients are read (2); its value lies between 1 and 2 (3); the value is given the exponent, or, for a logarithm, multiplied by
// the argument's distance from a power of two and added to the exponent (4).
module fp32_special (
  input  logic              clk_i,
  input  logic              en_i,
  input  cpe_isa_pkg::special_function_t op_i,   // not SpecialNone
  input  logic [31:0]       x_i,
  output logic [31:0]       y_o
);

  // Results that are no polynomial's.
  typedef enum logic [1:0] { Computed, Zero, Infinity, NotANumber } outcome_e;

  typedef struct packed {
    outcome_e    outcome;
    logic        sign;
    logic        log2;
    logic [9:0]  exponent;  // two's complement; of a logarithm its whole part, else biased and without the one before the point
    logic [22:0] mantissa;  // of the argument
  } state_t;

  state_t      state1_q;
  state_t      state2_q;
  state_t      state3_q;
  logic [8:0]  piece_q;
  logic [19:0] position1_q;
  logic [19:0] position2_q;
  logic [63:0] word;
  logic [30:0] value_q;     // 29 places behind the point

  always_ff @(posedge clk_i) begin : take_apart
    logic        zero;
    logic        beyond;     // infinity or NaN
    logic        nan;
    logic        high;       // a mantissa from 1.5 on
    {zero, beyond, nan, high} = '0;
    if (en_i) begin
      outcome_e    outcome;
      logic        sign;
      logic        log2;
      logic [9:0]  exponent;
      logic [7:0]  distance;
      logic [34:0] magnitude;  // of exp2's argument, 27 places behind the point
      logic [35:0] fixed;      // rounded; with its sign, 26 places behind the point
      zero     = x_i[30:23] == '0;
      beyond   = x_i[30:23] == '1;
      nan      = beyond && x_i[22:0] != '0;
      high     = x_i[22];
      outcome  = nan ? NotANumber : Computed;
      sign     = 1'b0;
      log2     = 1'b0;
      exponent = {2'b0, x_i[30:23]};
      // Positions count from the end of a piece, but for exp2. Pieces in the upper half of a mantissa's range are longer, but for
      // the reciprocal.
      position1_q <= high ? {~x_i[16:0], 3'b0} : {~x_i[15:0], 4'b0};
      unique case (op_i)
        cpe_isa_pkg::SpecialExp2: begin
          distance    = 8'd134 - x_i[30:23];
          magnitude   = {1'b1, x_i[22:0], 11'b0} >> (distance > 8'd63 ? 6'd63 : distance[5:0]);
          fixed       = 36'(magnitude) + 36'd1;
          fixed       = x_i[31] ? -{1'b0, fixed[35:1]} : {1'b0, fixed[35:1]};
          piece_q     <= {3'd0, fixed[25:20]};
          position1_q <= fixed[19:0];
          exponent    = fixed[35:26] + 10'd126;
          if (x_i[30:23] > 8'd134 - {7'b0, !x_i[31]} && !nan) outcome = x_i[31] ? Zero : Infinity;
        end
        cpe_isa_pkg::SpecialLog2: begin
          if (!high) piece_q <= {3'd1, x_i[21:16]};
          else       piece_q <= {4'd12, x_i[21:17]};
          log2     = 1'b1;
          exponent = exponent - 10'd127 + {9'b0, high};
          sign     = zero;
          if (zero || x_i == 32'h7f80_0000) outcome = Infinity;
          else if (x_i[31])                 outcome = NotANumber;
        end
        cpe_isa_pkg::SpecialReciprocal: begin
          piece_q     <= {2'd1, x_i[22:16]};
          position1_q <= {~x_i[15:0], 4'b0};
          exponent    = 10'd252 - exponent;
          sign        = x_i[31];
          if (zero)                outcome = Infinity;
          else if (beyond && !nan) outcome = Zero;
        end
        default: begin
          // An odd power of two (an even biased exponent) goes into the square root.
          if (!high) piece_q <= {2'd2, !x_i[23], x_i[21:16]};
          else       piece_q <= x_i[23] ? {4'd13, x_i[21:17]} : {4'd14, x_i[21:17]};
          exponent = (10'd378 - exponent) >> 1;
          if (zero) begin
            outcome = Infinity;
            sign    = x_i[31];
          end else if (x_i[31]) begin
            outcome = NotANumber;
          end else if (beyond && !nan) begin
            outcome = Zero;
          end
        end
      endcase
      state1_q <= {outcome, sign, log2, exponent, x_i[22:0]};
    end
  end

  fp32_special_table u_table (
    .clk_i,
    .en_i,
    .address_i (piece_q),
    .word_o    (word)
  );

  // 1 + c0 + t * (c1 + t * c2); c0, c1, c2 are the word.
  always_ff @(posedge clk_i) begin : evaluate
    logic [34:0] square;
    logic [23:0] slope;
    logic [43:0] rise;
    {square, slope, rise} = '0;
    if (en_i) begin
      square      = {20'b0, word[14:0]} * {15'b0, position2_q};
      slope       = {word[36:15], 2'b0} + {7'b0, square[34:18]};
      rise        = {20'b0, slope} * {24'b0, position2_q};
      state2_q    <= state1_q;
      position2_q <= position1_q;
      state3_q    <= state2_q;
      value_q     <= {2'b01, word[63:37], 2'b0} + {7'b0, rise[43:20]};
    end
  end

  always_ff @(posedge clk_i) begin : finish
    logic [31:0] bits;
    bits = '0;
    if (en_i) begin
      if (state3_q.outcome != Computed) begin
        unique case (state3_q.outcome)
          Zero:     bits = {state3_q.sign, 31'b0};
          Infinity: bits = {state3_q.sign, 31'h7f80_0000};
          default:  bits = 32'h7fc0_0000;
        endcase
      end else if (state3_q.log2) begin : logarithm
        logic [22:0] distance;  // from 1, or, downwards, from 2; 24 places behind the point
        logic [63:0] product;
        logic [63:0] sum;       // 53 places behind the point
        logic [31:0] half;
        logic [15:0] quarter;
        logic [7:0]  eighth;
        logic [3:0]  nibble;
        logic [5:0]  zeros;
        logic [63:0] normal;
        logic        negative;
        distance   = state3_q.mantissa[22] ? -state3_q.mantissa : {state3_q.mantissa[21:0], 1'b0};
        product    = {41'b0, distance} * {33'b0, value_q};
        sum        = {state3_q.exponent[9], state3_q.exponent, 53'b0} + (state3_q.mantissa[22] ? -product : product);
        negative   = sum[63];
        sum        = negative ? -sum : sum;
        zeros[5]   = sum[63:32] == '0;
        half       = zeros[5] ? sum[31:0] : sum[63:32];
        zeros[4]   = half[31:16] == '0;
        quarter    = zeros[4] ? half[15:0] : half[31:16];
        zeros[3]   = quarter[15:8] == '0;
        eighth     = zeros[3] ? quarter[7:0] : quarter[15:8];
        zeros[2]   = eighth[7:4] == '0;
        nibble     = zeros[2] ? eighth[3:0] : eighth[7:4];
        // A table of two bits for each value.
        zeros[1:0] = 2'(32'h0000_55af >> {nibble, 1'b0});
        normal     = sum << zeros;
        bits       = {negative, 8'd136 - {2'b0, zeros}, 23'b0} + {8'b0, normal[63:40]} + {31'b0, normal[39]};
        if (sum == '0) bits = '0;
      end else begin : scaled
        logic [32:0] wide;
        wide = {state3_q.exponent, 23'b0} + {8'b0, 25'((value_q + 31'd32) >> 6)};
        bits = $signed(wide) < $signed(33'h80_0000) ? {state3_q.sign, 31'b0} : {state3_q.sign, wide[30:0]};
      end
      y_o <= bits;
    end
  end

endmodule
