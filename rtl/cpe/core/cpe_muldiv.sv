// SPDX-License-Identifier: Apache-2.0
// Multiplication in the same cycle; division, one quotient bit a cycle and only as many as the quotient has.
// start_i takes the operands of a division when none is under way; done_o stands for one cycle, with the result.
module cpe_muldiv (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        mul_i,      // the instruction is a multiplication
  input  logic        start_i,    // ... a division that may begin
  input  logic [2:0]  funct3_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] product_o,
  output logic        done_o,
  output logic [31:0] quotient_o  // or remainder
);

  logic signed [32:0] factor_a, factor_b;
  logic signed [63:0] product;

  always_comb begin
    factor_a  = '0;
    factor_b  = '0;
    product   = '0;
    product_o = '0;
    if (mul_i) begin
      factor_a  = $signed({a_i[31] && funct3_i[1:0] != 2'b11, a_i});
      factor_b  = $signed({b_i[31] && !funct3_i[1], b_i});
      product   = factor_a * factor_b;
      product_o = funct3_i[1:0] == 2'b00 ? product[31:0] : product[63:32];
    end
  end

  typedef enum logic [1:0] {
    StIdle,
    StAlign,  // bring the divisor's leading one under the dividend's
    StStep,
    StDone
  } state_e;

  state_e      state_q, state, next;
  logic [31:0] rest_q, divisor_q, quotient_q;
  logic [4:0]  steps_q;
  logic        want_rest_q, negate_q;

  /* verilator lint_off BLKSEQ */
  // Values first, then registers: without a division a simulator does nothing.
  always_ff @(posedge clk_i) begin : divide
    logic [31:0] rest, divisor, quotient, leading_rest, leading_divisor;
    logic [4:0]  distance, left;
    logic        fits, is_small, is_last, a_negative, b_negative;
    if (!rst_ni || start_i || state_q != StIdle) begin
      state = state_q;
      next  = StIdle;
      a_negative = !funct3_i[0] && a_i[31];
      b_negative = !funct3_i[0] && b_i[31];
      rest    = rest_q - divisor_q;
      fits    = rest_q >= divisor_q;
      is_small = rest_q < divisor_q || divisor_q == '0;
      is_last = steps_q == '0;
      left    = steps_q - 1'b1;
      quotient = {quotient_q[30:0], fits};
      // How far the dividend's leading one is above the divisor's.
      leading_rest    = rest_q;
      leading_divisor = divisor_q;
      distance        = '0;
      if (state == StAlign) begin
        for (int unsigned i = 0; i < 5; i++) begin
          if (leading_rest >> (16 >> i) != '0) begin
            leading_rest = leading_rest >> (16 >> i);
            distance     = distance + 5'(16 >> i);
          end
          if (leading_divisor >> (16 >> i) != '0) begin
            leading_divisor = leading_divisor >> (16 >> i);
            distance        = distance - 5'(16 >> i);
          end
        end
      end
      divisor = state == StAlign ? divisor_q << distance : divisor_q >> 1;
      unique case (state)
        StIdle: begin
          next         = StAlign;
          rest_q      <= a_negative ? -a_i : a_i;
          divisor_q   <= b_negative ? -b_i : b_i;
          quotient_q  <= b_i == '0 ? '1 : '0;
          want_rest_q <= funct3_i[1];
          negate_q    <= funct3_i[1] ? a_negative : (a_negative ^ b_negative) && b_i != '0;
        end
        StAlign: begin
          next       = is_small ? StDone : StStep;
          steps_q   <= distance;
          divisor_q <= divisor;
        end
        StStep: begin
          next = is_last ? StDone : StStep;
          if (fits) rest_q <= rest;
          quotient_q <= quotient;
          divisor_q  <= divisor;
          steps_q    <= left;
        end
        default: ;
      endcase
      state_q <= rst_ni ? next : StIdle;
    end
  end
  /* verilator lint_on BLKSEQ */

  always_comb begin
    done_o     = state_q == StDone;
    quotient_o = '0;
    if (state_q == StDone) begin
      quotient_o = want_rest_q ? rest_q : quotient_q;
      if (negate_q) quotient_o = -quotient_o;
    end
  end

endmodule
