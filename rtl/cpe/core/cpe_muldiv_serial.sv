// SPDX-License-Identifier: Apache-2.0
// cpe_muldiv where area counts: a division takes 34 cycles, whatever the quotient. The multiplier shifts, too: to the left by n is
// times 2^n, to the right the upper half of the product with 2^(32 - n).
module cpe_muldiv_serial (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        start_i,    // a division that may begin
  input  logic [2:0]  funct3_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  input  logic        shift_i,       // not a product:
  input  logic        arithmetic_i,
  input  logic [4:0]  amount_i,
  output logic [31:0] product_o,     // or what is shifted
  output logic        done_o,
  output logic [31:0] quotient_o  // or remainder
);

  // --- Products -------------------------------------------------------------------------------------------------------

  logic               right, whole;  // to the right; by 0 bits
  logic [4:0]         exponent;
  logic [31:0]        power;
  logic signed [32:0] factor_a;
  logic signed [33:0] factor_b;
  logic signed [66:0] product;
  logic               unused;

  assign right    = funct3_i[2];
  assign whole    = right && amount_i == '0;
  assign exponent = right ? -amount_i : amount_i;
  assign power    = {31'd0, !whole} << exponent;
  assign factor_a = {a_i[31] && (shift_i ? arithmetic_i : funct3_i[1:0] != 2'b11), a_i};
  assign factor_b = shift_i ? {1'b0, whole, power} : {{2{b_i[31] && !funct3_i[1]}}, b_i};
  assign product  = factor_a * factor_b;
  assign unused   = ^product[66:64];

  assign product_o = (shift_i ? !right : funct3_i[1:0] == 2'b00) ? product[31:0] : product[63:32];

  // --- Quotients ------------------------------------------------------------------------------------------------------

  logic        active_q, done_q;
  logic [4:0]  steps_q;
  logic [31:0] rest_q, divisor_q, quotient_q;  // the dividend leaves at the top of quotient_q
  logic [32:0] rest;
  logic        fits, a_negative, b_negative, negate;
  logic [31:0] result;

  assign a_negative = !funct3_i[0] && a_i[31];
  assign b_negative = !funct3_i[0] && b_i[31];
  assign rest       = {rest_q, quotient_q[31]} - {1'b0, divisor_q};
  assign fits       = !rest[32];

  // Operands stay while the instruction waits.
  assign negate     = funct3_i[1] ? a_negative : (a_negative ^ b_negative) && b_i != '0;
  assign result     = funct3_i[1] ? rest_q : quotient_q;
  assign quotient_o = negate ? -result : result;
  assign done_o     = done_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      done_q   <= 1'b0;
    end else begin
      active_q <= active_q ? steps_q != '1 : start_i && !done_q;
      done_q   <= active_q && steps_q == '1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (active_q) begin
      steps_q    <= steps_q + 5'd1;
      rest_q     <= fits ? rest[31:0] : {rest_q[30:0], quotient_q[31]};
      quotient_q <= {quotient_q[30:0], fits};
    end else if (!done_q) begin
      steps_q    <= '0;
      rest_q     <= '0;
      quotient_q <= a_negative ? -a_i : a_i;
      divisor_q  <= b_negative ? -b_i : b_i;
    end
  end

endmodule
