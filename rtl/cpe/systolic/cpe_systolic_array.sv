// The multipliers of the systolic unit: 8 k x 8 columns hold weights; a row of activations meets all of them in one cycle, and each
// column adds its 8 products. int4 weights have a scale for each column's sum.
//
// A row enters with enter_i; its sums are at sum_* three cycles later. One row per cycle. With place_i.swap it is the first one for
//   new weights, which are taken over in the same cycle.
// weights_i: column n in bits 64n+63:64n, in there k in bits 8k+7:8k. Columns 0 to 3 see row0_i, columns 4 to 7 row1_i.
module cpe_systolic_array (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   awake_i,

  input  logic                   enter_i,
  input  cpe_systolic_pkg::row_t place_i,
  input  logic [63:0]            row0_i,
  input  logic [63:0]            row1_i,
  input  logic [511:0]           weights_i,
  input  logic                   scaled_i,
  input  logic [63:0]            scales_i,

  output logic                   sum_valid_o,
  output logic                   sum_half_o,
  output logic [7:0]             sum_row_o,
  output logic                   sum_first_o,
  output logic [255:0]           sum_data_o
);

  logic        multiply_q, scale_q, sum_q;  // is there a row
  logic [9:0]  multiply_place_q, scale_place_q, sum_place_q;
  logic        scaled_q, scale_scaled_q;
  logic [63:0] scales_q, scale_scales_q;
  logic [63:0] row0_q, row1_q;
  logic        swap;

  assign swap = enter_i && place_i.swap;

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
    if (awake_i) begin
      multiply_place_q <= {place_i.half, place_i.row, place_i.first};
      scale_place_q    <= multiply_place_q;
      sum_place_q      <= scale_place_q;
      scale_scaled_q   <= scaled_q;
      if (enter_i) begin
        row0_q <= row0_i;
        row1_q <= row1_i;
      end
      if (swap) begin
        scaled_q <= scaled_i;
        if (scaled_i) scales_q <= scales_i;
      end
      if (scaled_q) scale_scales_q <= scales_q;
    end
  end

  for (genvar n = 0; n < 8; n++) begin : g_column
    logic [63:0]        weights_q, row;
    logic signed [31:0] products, total;
    logic signed [18:0] products_q;
    logic signed [27:0] total_q;

    assign row = n < 4 ? row0_q : row1_q;

    always_comb begin
      products = '0;
      total    = '0;
      if (awake_i) begin
        if (multiply_q) begin
          for (int unsigned k = 0; k < 8; k++) products = products + 32'($signed(row[8*k +: 8])) * 32'($signed(weights_q[8*k +: 8]));
        end
        total = 32'(products_q);
        if (scale_scaled_q) total = total * $signed({24'd0, scale_scales_q[8*n +: 8]});
      end
    end

    always_ff @(posedge clk_i) begin
      if (awake_i) begin
        if (swap) weights_q <= weights_i[64*n +: 64];
        if (multiply_q) products_q <= products[18:0];
        total_q <= total[27:0];
      end
    end

    assign sum_data_o[32*n +: 32] = {{4{total_q[27]}}, total_q};
  end

  assign sum_valid_o = sum_q;
  assign {sum_half_o, sum_row_o, sum_first_o} = sum_place_q;

endmodule
