// Somebody else who uses the arithmetic that units share (cpe_math), at random.
module math_noise (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  output cpe_math_pkg::request_t request_o,
  output cpe_math_pkg::product_t product_o
);

  logic [31:0] noise_q;
  always_ff @(posedge clk_i) noise_q <= rst_ni ? {noise_q[30:0], noise_q[31] ^ noise_q[21] ^ noise_q[1] ^ noise_q[0]} : 32'h1234_5678;

  assign request_o = {noise_q[5] && noise_q[9], {4{noise_q}}};
  assign product_o = {97{noise_q[7]}};

endmodule
