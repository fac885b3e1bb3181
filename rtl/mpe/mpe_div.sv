// SPDX-License-Identifier: Apache-2.0
// Divider, one quotient bit per cycle; only as many steps as the quotient has bits.
// start_i takes the operands; done_o stands from the cycle in which the result is there until the next start.
module mpe_div (
    input  logic         clk_i,
    input  logic         rst_ni,
    input  logic         start_i,
    input  logic [1:0]   funct_i,    // as in funct3: div, divu, rem, remu
    input  logic         word_i,
    input  logic [63:0]  a_i,
    input  logic [63:0]  b_i,
    output logic         done_o,
    output logic [63:0]  result_o
);

  typedef enum logic [1:0] {
    StDone,
    StAlign,   // bring the divisor's leading one under the dividend's
    StStep
  } state_e;

  state_e       state_q;
  logic [63:0]  rest_q, divisor_q, quotient_q;
  logic [5:0]   steps_q;
  logic         want_rest_q, word_q, negate_q;

  logic [63:0]  a, b;
  logic         is_signed, a_negative, b_negative;
  assign is_signed  = !funct_i[0];
  assign a          = word_i ? {{32{is_signed & a_i[31]}}, a_i[31:0]} : a_i;
  assign b          = word_i ? {{32{is_signed & b_i[31]}}, b_i[31:0]} : b_i;
  assign a_negative = is_signed && a[63];
  assign b_negative = is_signed && b[63];

  function automatic logic [5:0] leading_zeros(logic [63:0] x);
    logic [63:0] y;
    logic [5:0]  n;
    y = x;
    n = '0;
    if (y[63:32] == '0) begin n[5] = 1'b1; y = y << 32; end
    if (y[63:48] == '0) begin n[4] = 1'b1; y = y << 16; end
    if (y[63:56] == '0) begin n[3] = 1'b1; y = y << 8; end
    if (y[63:60] == '0) begin n[2] = 1'b1; y = y << 4; end
    if (y[63:62] == '0) begin n[1] = 1'b1; y = y << 2; end
    if (!y[63]) n[0] = 1'b1;
    leading_zeros = n;
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= StDone;
    else if (start_i) state_q <= StAlign;
    else if (state_q == StAlign) state_q <= rest_q < divisor_q || divisor_q == '0 ? StDone : StStep;
    else if (state_q == StStep && steps_q == '0) state_q <= StDone;
  end

  logic fits;
  assign fits = rest_q >= divisor_q;

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      rest_q      <= a_negative ? -a : a;
      divisor_q   <= b_negative ? -b : b;
      quotient_q  <= b == '0 ? '1 : '0;
      want_rest_q <= funct_i[1];
      word_q      <= word_i;
      negate_q    <= funct_i[1] ? a_negative : (a_negative ^ b_negative) && b != '0;
    end else if (state_q == StAlign) begin
      steps_q   <= leading_zeros(divisor_q) - leading_zeros(rest_q);
      divisor_q <= divisor_q << (leading_zeros(divisor_q) - leading_zeros(rest_q));
    end else if (state_q == StStep) begin
      if (fits) rest_q <= rest_q - divisor_q;
      quotient_q <= {quotient_q[62:0], fits};
      divisor_q  <= divisor_q >> 1;
      steps_q    <= steps_q - 1'b1;
    end
  end

  logic [63:0] magnitude, wide;
  assign magnitude = want_rest_q ? rest_q : quotient_q;
  assign wide      = negate_q ? -magnitude : magnitude;
  assign done_o    = state_q == StDone;
  assign result_o  = word_q ? {{32{wide[31]}}, wide[31:0]} : wide;

endmodule
