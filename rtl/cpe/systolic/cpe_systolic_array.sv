// SPDX-License-Identifier: Apache-2.0
// The multipliers of the systolic unit: 8 k x 8 columns hold weights; a row of activations meets all of them in one cycle, and each
// column adds its 8 products. int4 weights have a scale for each column's sum.
//
// A row enters with enter_i; its sums are at sum_* three cycles later. One row per cycle. With swap_i it is the first one for new
//   weights, which are taken over in the same cycle.
// place_i: its row of the accumulators, of both halves; first_i: it overwrites them.
// weights_i: column n in bits 64n+63:64n, in there k in bits 8k+7:8k. Columns 0 to 3 see row0_i, columns 4 to 7 row1_i.
module cpe_systolic_array (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   awake_i,

  input  logic                   enter_i,
  input  logic                   swap_i,
  input  logic [8:0]             place_i,
  input  logic                   first_i,
  input  logic [63:0]            row0_i,
  input  logic [63:0]            row1_i,
  input  logic [511:0]           weights_i,
  input  logic                   scaled_i,
  input  logic [63:0]            scales_i,

  output logic                   sum_valid_o,
  output logic [8:0]             sum_place_o,
  output logic                   sum_first_o,
  output logic [255:0]           sum_data_o
);

  logic         multiply_q, scale_q, sum_q;  // is there a row
  logic [8:0]   multiply_place_q, scale_place_q, sum_place_q;
  logic         multiply_first_q, scale_first_q, sum_first_q;
  logic         scaled_q, scale_scaled_q;
  logic [63:0]  scales_q, scale_scales_q;
  logic [63:0]  row0_q, row1_q;
  logic [7:0]   weights_q [64];              // of k and column n at 8k + n
  logic [18:0]  products_q [8];              // of columns
  logic [27:0]  total_q [8];

  // Stages from the last to the first, so that each reads what the one before it held; nobody else reads that at an edge, but for where
  // the sums go. Assignments that take effect at once save the simulator a delayed copy of everything, and a compiler multiplies eight
  // columns at once when their weights lie side by side.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin : p_array
    logic [31:0] products, total;
    {products, total} = '0;
    if (awake_i) begin
      if (scale_q) begin
        sum_place_q <= scale_place_q;
        sum_first_q <= scale_first_q;
        for (int unsigned n = 0; n < 8; n++) begin
          total = 32'($signed(products_q[n]));
          if (scale_scaled_q) total = total * {24'd0, scale_scales_q[8*n +: 8]};
          total_q[n] = total[27:0];
        end
      end
      if (multiply_q) begin
        scale_place_q  = multiply_place_q;
        scale_first_q  = multiply_first_q;
        scale_scaled_q = scaled_q;
        if (scaled_q) scale_scales_q = scales_q;
        for (int unsigned n = 0; n < 8; n++) begin
          products = '0;
          for (int unsigned k = 0; k < 8; k++) begin
            products = products + 32'($signed(n < 4 ? row0_q[8*k +: 8] : row1_q[8*k +: 8])) * 32'($signed(weights_q[8*k + n]));
          end
          products_q[n] = products[18:0];
        end
      end
      if (enter_i) begin
        multiply_place_q = place_i;
        multiply_first_q = first_i;
        row0_q           = row0_i;
        row1_q           = row1_i;
        if (swap_i) begin
          for (int unsigned n = 0; n < 8; n++) begin
            for (int unsigned k = 0; k < 8; k++) weights_q[8*k + n] = weights_i[64*n + 8*k +: 8];
          end
          scaled_q  = scaled_i;
          if (scaled_i) scales_q = scales_i;
        end
      end
      sum_q      <= scale_q && rst_ni;
      scale_q    = multiply_q && rst_ni;
      multiply_q = enter_i && rst_ni;
    end
  end
  /* verilator lint_on BLKSEQ */

  always_comb begin
    sum_data_o = '0;
    if (sum_q) for (int unsigned n = 0; n < 8; n++) sum_data_o[32*n +: 32] = 32'($signed(total_q[n]));
  end

  assign sum_valid_o = sum_q;
  assign sum_place_o = sum_place_q;
  assign sum_first_o = sum_first_q;

endmodule
