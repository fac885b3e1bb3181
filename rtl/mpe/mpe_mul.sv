// SPDX-License-Identifier: Apache-2.0
// Pipelined 64-bit multiplier: partial products in the cycle of start_i, the result in the next.
// A new multiplication can start every cycle; the result stays until then.
module mpe_mul (
    input  logic         clk_i,
    input  logic         start_i,
    input  logic [1:0]   funct_i,   // as in funct3: mul, mulh, mulhsu, mulhu
    input  logic         word_i,
    input  logic [63:0]  a_i,
    input  logic [63:0]  b_i,
    output logic [63:0]  result_o
);

  logic [63:0] low_q, mid1_q, mid2_q, high_q;
  logic [63:0] correction_q;  // what an unsigned product has too much in its upper half
  logic        upper_q, word_q;

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      low_q        <= {32'b0, a_i[31:0]} * {32'b0, b_i[31:0]};
      mid1_q       <= {32'b0, a_i[63:32]} * {32'b0, b_i[31:0]};
      mid2_q       <= {32'b0, a_i[31:0]} * {32'b0, b_i[63:32]};
      high_q       <= {32'b0, a_i[63:32]} * {32'b0, b_i[63:32]};
      correction_q <= (a_i[63] && funct_i != 2'd3 ? b_i : '0) + (b_i[63] && funct_i == 2'd1 ? a_i : '0);
      upper_q      <= funct_i != 2'd0;
      word_q       <= word_i;
    end
  end

  logic [63:0] mid, lower, upper;
  assign mid   = {32'b0, low_q[63:32]} + {32'b0, mid1_q[31:0]} + {32'b0, mid2_q[31:0]};
  assign lower = {mid[31:0], low_q[31:0]};
  assign upper = high_q + {32'b0, mid1_q[63:32]} + {32'b0, mid2_q[63:32]} + {32'b0, mid[63:32]} - correction_q;

  assign result_o = upper_q ? upper : word_q ? {{32{lower[31]}}, lower[31:0]} : lower;

endmodule
