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

  state_e      state_q;
  logic [31:0] rest_q, divisor_q, quotient_q;
  logic [4:0]  steps_q;
  logic        want_rest_q, negate_q;

  logic a_negative, b_negative;
  assign a_negative = !funct3_i[0] && a_i[31];
  assign b_negative = !funct3_i[0] && b_i[31];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StIdle;
    end else if (start_i || state_q != StIdle) begin
      unique case (state_q)
        StIdle:  state_q <= StAlign;
        StAlign: state_q <= rest_q < divisor_q || divisor_q == '0 ? StDone : StStep;
        StStep:  if (steps_q == '0) state_q <= StDone;
        default: state_q <= StIdle;
      endcase
    end
  end

  // How far the dividend's leading one is above the divisor's.
  logic [4:0] distance;
  logic [5:0] divisor_zeros, rest_zeros;
  zero_count #(
    .Width(32)
  ) u_divisor_zeros (
    .data_i (divisor_q),
    .count_o(divisor_zeros)
  );
  zero_count #(
    .Width(32)
  ) u_rest_zeros (
    .data_i (rest_q),
    .count_o(rest_zeros)
  );
  assign distance = divisor_zeros[4:0] - rest_zeros[4:0];

  always_ff @(posedge clk_i) begin
    if (start_i && state_q == StIdle) begin
      rest_q      <= a_negative ? -a_i : a_i;
      divisor_q   <= b_negative ? -b_i : b_i;
      quotient_q  <= b_i == '0 ? '1 : '0;
      want_rest_q <= funct3_i[1];
      negate_q    <= funct3_i[1] ? a_negative : (a_negative ^ b_negative) && b_i != '0;
    end else if (state_q == StAlign) begin
      steps_q   <= distance;
      divisor_q <= divisor_q << distance;
    end else if (state_q == StStep) begin
      if (rest_q >= divisor_q) rest_q <= rest_q - divisor_q;
      quotient_q <= {quotient_q[30:0], rest_q >= divisor_q};
      divisor_q  <= divisor_q >> 1;
      steps_q    <= steps_q - 1'b1;
    end
  end

  always_comb begin
    done_o     = state_q == StDone;
    quotient_o = '0;
    if (state_q == StDone) begin
      quotient_o = want_rest_q ? rest_q : quotient_q;
      if (negate_q) quotient_o = -quotient_o;
    end
  end

endmodule
