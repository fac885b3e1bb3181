// y = a * b + c in fp32, rounded once, to nearest even; subnormals in and out; every NaN result is 0x7fc00000.
// Latency 3 cycles in which en_i is high.
//
// Multiplies; the rest is fp32_sum's work. What is computed lies within the clocked block and so within its condition:
// a simulator does none of it for a lane that stands still.
module fp32_fma (
  input  logic        clk_i,
  input  logic        en_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  input  logic [31:0] c_i,
  output logic [31:0] y_o
);

  logic [47:0]       product_q;    // bits 47:46 before the point
  logic              sign_q;       // of the product
  logic [9:0]        exponent_q;   // of the product, two's complement
  logic [23:0]       addend_q;
  logic              addend_sign_q;
  logic [7:0]        addend_exponent_q;
  logic              special_q;    // the result is known: infinity or, when invalid, a NaN
  logic              invalid_q;
  logic              infinity_sign_q;

  always_ff @(posedge clk_i) begin
    if (en_i) begin : multiply
      logic [47:0] product;
      logic        a_normal;
      logic        b_normal;
      logic        c_normal;
      logic        sign;
      a_normal = a_i[30:23] != '0;
      b_normal = b_i[30:23] != '0;
      c_normal = c_i[30:23] != '0;
      sign     = a_i[31] ^ b_i[31];
      product  = {24'b0, a_normal, a_i[22:0]} * {24'b0, b_normal, b_i[22:0]};

      product_q         <= product;
      sign_q            <= sign;
      // Subnormal numbers have the exponent of the smallest normal ones. A product of 0 must not push the addend aside.
      exponent_q        <= product == '0 ? '0
                         : {2'b0, a_i[30:24], a_i[23] | !a_normal} + {2'b0, b_i[30:24], b_i[23] | !b_normal} - 10'd127;
      addend_q          <= {c_normal, c_i[22:0]};
      addend_sign_q     <= c_i[31];
      addend_exponent_q <= {c_i[30:24], c_i[23] | !c_normal};

      special_q <= a_i[30:23] == '1 || b_i[30:23] == '1 || c_i[30:23] == '1;
      if (a_i[30:23] == '1 || b_i[30:23] == '1 || c_i[30:23] == '1) begin : beyond
        logic infinite;
        infinite        = a_i[30:23] == '1 || b_i[30:23] == '1;
        invalid_q       <= (a_i[30:23] == '1 && a_i[22:0] != '0) || (b_i[30:23] == '1 && b_i[22:0] != '0)
                        || (c_i[30:23] == '1 && c_i[22:0] != '0) || (infinite && product == '0)
                        || (infinite && c_i[30:23] == '1 && sign != c_i[31]);
        infinity_sign_q <= infinite ? sign : c_i[31];
      end
    end
  end

  fp32_sum u_sum (
    .clk_i,
    .en_i,
    .a_i               (product_q),
    .a_sign_i          (sign_q),
    .a_exponent_i      (exponent_q),
    .b_i               (addend_q),
    .b_sign_i          (addend_sign_q),
    .b_exponent_i      (addend_exponent_q),
    .special_i         (special_q),
    .invalid_i         (invalid_q),
    .infinity_sign_i   (infinity_sign_q),
    .y_o
  );

endmodule
