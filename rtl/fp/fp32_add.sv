// y = a + b in fp32, to nearest even; subnormals in and out; every NaN result is 0x7fc00000.
// Latency 3 cycles in which en_i is high.
module fp32_add (
  input  logic        clk_i,
  input  logic        en_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] y_o
);

  logic [31:0] a_q;
  logic [31:0] b_q;
  logic        special_q;
  logic        invalid_q;
  logic        infinity_sign_q;

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      a_q       <= a_i;
      b_q       <= b_i;
      special_q <= a_i[30:23] == '1 || b_i[30:23] == '1;
      if (a_i[30:23] == '1 || b_i[30:23] == '1) begin
        invalid_q       <= (a_i[30:23] == '1 && a_i[22:0] != '0) || (b_i[30:23] == '1 && b_i[22:0] != '0)
                        || (a_i[30:23] == b_i[30:23] && a_i[31] != b_i[31]);
        infinity_sign_q <= a_i[30:23] == '1 ? a_i[31] : b_i[31];
      end
    end
  end

  fp32_sum u_sum (
    .clk_i,
    .en_i,
    .a_i               ({1'b0, a_q[30:23] != '0, a_q[22:0], 23'b0}),
    .a_sign_i          (a_q[31]),
    .a_exponent_i      ({2'b0, a_q[30:24], a_q[23] | (a_q[30:23] == '0)}),
    .b_i               ({b_q[30:23] != '0, b_q[22:0]}),
    .b_sign_i          (b_q[31]),
    .b_exponent_i      ({b_q[30:24], b_q[23] | (b_q[30:23] == '0)}),
    .special_i         (special_q),
    .invalid_i         (invalid_q),
    .infinity_sign_i   (infinity_sign_q),
    .y_o
  );

endmodule
