// The arithmetic that the serial vector unit and the drain of the serial systolic unit share, in cycles in which they do not need it both:
// the vector unit goes first, and needs it in less than half of its cycles.
//
// Answers are combinational, but for y, which follows its request by three cycles, and stands for one.
module cpe_math (
  input  logic                   clk_i,
  input  cpe_math_pkg::request_t vector_i,
  input  cpe_math_pkg::product_t vector_product_i,
  output cpe_math_pkg::answer_t  vector_o,
  input  cpe_math_pkg::request_t drain_i,
  input  cpe_math_pkg::product_t drain_product_i,
  output cpe_math_pkg::answer_t  drain_o
);

  cpe_math_pkg::request_t request;
  cpe_math_pkg::product_t product;
  logic [31:0]            of_whole, smallest, largest, y;
  logic [15:0]            as_fp16;
  logic [7:0]             as_int8;
  logic                   less, equal;

  assign request  = vector_i.uses ? vector_i : drain_i;
  assign product  = vector_i.uses ? vector_product_i : drain_product_i;
  assign vector_o = {vector_i.uses, of_whole, as_fp16, as_int8, less, equal, smallest, largest, y};
  assign drain_o  = {drain_i.uses && !vector_i.uses, of_whole, as_fp16, as_int8, less, equal, smallest, largest, y};

  fp32_of_int32 u_of_whole (
    .i_i(request.whole),
    .y_o(of_whole)
  );
  fp16_of_fp32 u_as_fp16 (
    .a_i(request.value),
    .h_o(as_fp16)
  );
  int8_of_fp32 u_as_int8 (
    .a_i(request.value),
    .i_o(as_int8)
  );
  fp32_order u_order (
    .a_i    (request.left),
    .b_i    (request.right),
    .less_o (less),
    .equal_o(equal),
    .min_o  (smallest),
    .max_o  (largest)
  );
  fp32_fma u_fma (
    .clk_i,
    .en_i(1'b1),
    .a_i (product.from_whole ? of_whole : product.a),
    .b_i (product.b),
    .c_i (product.c),
    .y_o (y)
  );

endmodule
