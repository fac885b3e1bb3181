// Compares two fp32 as fp32_order does, but only with en_i: without it nothing is computed and nothing meant.
module cpe_vector_order (
  input  logic        en_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic        less_o,
  output logic        equal_o,
  output logic [31:0] min_o,
  output logic [31:0] max_o
);

  logic        a_nan, b_nan, below, zeros;

  always_comb begin
    less_o  = 1'b0;
    equal_o = 1'b0;
    min_o   = a_i;
    max_o   = b_i;
    a_nan   = 1'b0;
    b_nan   = 1'b0;
    below   = 1'b0;
    zeros   = 1'b0;
    if (en_i) begin
      a_nan   = a_i[30:0] > 31'h7f80_0000;
      b_nan   = b_i[30:0] > 31'h7f80_0000;
      zeros   = a_i[30:0] == '0 && b_i[30:0] == '0;
      // As signed magnitudes, with -0 below +0.
      below   = a_i[31] != b_i[31] ? a_i[31] : a_i[31] ? a_i[30:0] > b_i[30:0] : a_i[30:0] < b_i[30:0];
      less_o  = !a_nan && !b_nan && below && !zeros;
      equal_o = !a_nan && !b_nan && (a_i == b_i || zeros);
      min_o   = below ? a_i : b_i;
      max_o   = below ? b_i : a_i;
      if (a_nan) {min_o, max_o} = b_nan ? {2{cpe_vector_pkg::Nan}} : {2{b_i}};
      else if (b_nan) {min_o, max_o} = {2{a_i}};
    end
  end

endmodule
