// The multipliers of the systolic unit: 8 k x 8 columns hold weights; a row of activations meets all of them in one cycle, and each
// column adds its 8 products. int4 weights have a scale for each column's sum.
//
// A row enters with enter_i; its sums are at sum_* three cycles later. One row per cycle. With place_i.swap it is the first one for
//   new weights, which are taken over in the same cycle.
// Columns 0 to 3 see row_i[63:0], columns 4 to 7 row_i[127:64].
module cpe_systolic_array (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   enter_i,
  input  cpe_systolic_pkg::row_t place_i,
  input  logic [127:0]           row_i,
  input  logic [511:0]           weights_i,
  input  logic                   scaled_i,
  input  logic [63:0]            scales_i,

  output logic                   sum_valid_o,
  output logic                   sum_half_o,
  output logic [7:0]             sum_row_o,
  output logic                   sum_first_o,
  output logic [255:0]           sum_data_o
);

  logic         multiply_q, scale_q, sum_q;  // is there a row
  logic [9:0]   multiply_place_q, scale_place_q, sum_place_q;
  logic         scaled_q, scale_scaled_q;
  logic [63:0]  scales_q, scale_scales_q;
  logic [127:0] row_q;
  logic [511:0] weights_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      multiply_q <= 1'b0;
      scale_q    <= 1'b0;
      sum_q      <= 1'b0;
    end else begin
      multiply_q <= enter_i;
      scale_q    <= multiply_q;
      sum_q      <= scale_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (enter_i) begin
      multiply_place_q <= {place_i.half, place_i.row, place_i.first};
      row_q            <= row_i;
      if (place_i.swap) begin
        weights_q <= weights_i;
        scaled_q  <= scaled_i;
        if (scaled_i) scales_q <= scales_i;
      end
    end
    if (multiply_q) begin
      scale_place_q  <= multiply_place_q;
      scale_scaled_q <= scaled_q;
      if (scaled_q) scale_scales_q <= scales_q;
    end
    if (scale_q) sum_place_q <= scale_place_q;
  end

  for (genvar n = 0; n < 8; n++) begin : g_column
    logic signed [18:0] products_q;
    logic signed [27:0] scaled_products;
    logic signed [27:0] total_q;

    cpe_systolic_column u_column (
      .clk_i,
      .en_i(multiply_q),
      .row_i(row_q[64*(n / 4) +: 64]),
      .weights_i({weights_q[448 + 8*n +: 8], weights_q[384 + 8*n +: 8], weights_q[320 + 8*n +: 8], weights_q[256 + 8*n +: 8],
                  weights_q[192 + 8*n +: 8], weights_q[128 + 8*n +: 8], weights_q[64 + 8*n +: 8], weights_q[8*n +: 8]}),
      .sum_o(products_q)
    );

    always_comb begin
      scaled_products = '0;
      if (scale_q) begin
        scaled_products = 28'(products_q);
        if (scale_scaled_q) scaled_products = 28'(products_q) * $signed({20'd0, scale_scales_q[8*n +: 8]});
      end
    end

    always_ff @(posedge clk_i) begin
      if (scale_q) total_q <= scaled_products;
    end

    assign sum_data_o[32*n +: 32] = {{4{total_q[27]}}, total_q};
  end

  assign sum_valid_o = sum_q;
  assign {sum_half_o, sum_row_o, sum_first_o} = sum_place_q;

endmodule
