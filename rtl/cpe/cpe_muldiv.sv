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

  function automatic logic [4:0] leading_zeros(logic [31:0] x);
    logic [31:0] y;
    logic [4:0]  n;
    y = x;
    n = '0;
    if (y[31:16] == '0) begin n[4] = 1'b1; y = y << 16; end
    if (y[31:24] == '0) begin n[3] = 1'b1; y = y << 8; end
    if (y[31:28] == '0) begin n[2] = 1'b1; y = y << 4; end
    if (y[31:30] == '0) begin n[1] = 1'b1; y = y << 2; end
    if (!y[31]) n[0] = 1'b1;
    leading_zeros = n;
  endfunction

  logic a_negative, b_negative;
  assign a_negative = !funct3_i[0] && a_i[31];
  assign b_negative = !funct3_i[0] && b_i[31];

  always_ff @(posedge clk_i or negedge rst_ni) begin
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

  logic [4:0] distance;
  always_comb begin
    distance = '0;
    if (state_q == StAlign) distance = leading_zeros(divisor_q) - leading_zeros(rest_q);
  end

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
