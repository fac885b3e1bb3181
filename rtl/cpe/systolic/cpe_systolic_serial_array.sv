// SPDX-License-Identifier: Apache-2.0
// The array of cpe_systolic_serial and its accumulators: eight multipliers, so one sum of one row in a cycle.
//
// What a tile needs is written byte by byte: weights with their k and column, scales with their column.
// multiply_i: column_i's sum of 8 products with row_i, times its scale when scaled_i, goes to the accumulator of half_i, row and column,
//   or overwrites it (first_i). It is in the memory from the second cycle on.
// read_i: that accumulator is at sum_o in the next cycle, until the next read or multiplication.
// Illegal: an accumulator that is read, or added to, in the cycle after a multiplication for it; both in one cycle.
module cpe_systolic_serial_array (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        awake_i,

  input  logic        weight_we_i,
  input  logic        scale_we_i,
  input  logic [2:0]  k_i,
  input  logic [2:0]  column_i,
  input  logic [7:0]  byte_i,

  input  logic        multiply_i,
  input  logic        read_i,
  input  logic [63:0] row_i,       // k in bits 8k+7:8k
  input  logic        half_i,
  input  logic [7:0]  sum_row_i,
  input  logic        first_i,
  input  logic        scaled_i,
  output logic [31:0] sum_o
);

  // --- Products -----------------------------------------------------------------------------------------------------

  logic [127:0] products_q;

  for (genvar k = 0; k < 8; k++) begin : g_k
    logic [7:0] weights_q [8];

    always_ff @(posedge clk_i) begin
      if (weight_we_i && k_i == 3'(k)) weights_q[column_i] <= byte_i;
    end
    always_ff @(posedge clk_i) begin
      if (multiply_i) products_q[16*k +: 16] <= 16'($signed(row_i[8*k +: 8])) * 16'($signed(weights_q[column_i]));
    end
  end

  // --- Sums ---------------------------------------------------------------------------------------------------------

  logic [7:0]         scales_q [8];
  logic               sum_q, first_q;    // products are there
  logic [7:0]         scale_q;
  logic [11:0]        place, place_q;
  logic signed [18:0] products;
  logic signed [27:0] scaled;

  assign place = {half_i, sum_row_i, column_i};

  always_ff @(posedge clk_i) begin
    if (scale_we_i) scales_q[column_i] <= byte_i;
  end

  always_ff @(posedge clk_i) begin
    if (awake_i) begin
      sum_q <= multiply_i && rst_ni;
      if (multiply_i) begin
        first_q <= first_i;
        place_q <= place;
        scale_q <= scaled_i ? scales_q[column_i] : 8'd1;
      end
    end
  end

  always_comb begin
    products = '0;
    for (int unsigned k = 0; k < 8; k++) products = products + 19'($signed(products_q[16*k +: 16]));
    scaled = 28'(products) * 28'($signed({1'b0, scale_q}));
  end

  ram_1r1w #(.Depth(4096), .Width(32)) u_sums (
    .clk_i,
    .re_i   (multiply_i || read_i),
    .raddr_i(place),
    .rdata_o(sum_o),
    .we_i   (sum_q),
    .waddr_i(place_q),
    .wdata_i((first_q ? '0 : sum_o) + 32'(scaled))
  );

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && sum_q) begin
      assert (!(multiply_i || read_i) || place != place_q) else $error("accumulator %03x is not there yet", place);
    end
  end
`endif

endmodule
