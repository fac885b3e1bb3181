// SPDX-License-Identifier: Apache-2.0
// Reads activations for the systolic unit, in the order of the loops: column tiles, in each its k tiles, in each all rows.
//
// row0_o is for columns 0 to 3 of the array, row1_o for the others (the same, but with sparse weights): k in bits 8k+7:8k. They are
//   there when they are taken.
// With sparse weights it takes each tile's indices from the loader. Runs with and without do not overlap here.
// outside_o: the row that is not there lies outside of local memory; address_o has its address.
// Cuts: all paths from and to memory.
module cpe_systolic_feed #(
  parameter bit Sparse = 1'b1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   awake_i,
  input  logic                   stop_i,

  input  logic                   run_valid_i,
  input  cpe_systolic_pkg::run_t run_i,
  output logic                   run_take_o,

  output logic                   x_valid_o,
  input  logic                   x_ready_i,
  output logic [16:5]            x_addr_o,
  input  logic [255:0]           x_rdata_i,

  input  logic                   index_valid_i,
  output logic                   index_ready_o,
  input  logic [63:0]            index_i,

  output logic                   row_valid_o,
  input  logic                   row_take_i,
  output logic [63:0]            row0_o,
  output logic [63:0]            row1_o,
  output logic                   outside_o,
  output logic [17:0]            address_o
);

  // --- Which tiles --------------------------------------------------------------------------------------------------

  logic        active_q, sparse_q;
  logic [17:0] first_q, tile_q;        // addresses: of the first k tile, of the one at hand
  logic [15:0] k_stride_q, row_stride_q, k_tiles_q, k_left_q, column_left_q;
  logic [8:0]  rows_q;
  logic        tile_ready, step, run_take, idle;
  logic        same_kind;              // the next run's weights are sparse, too, or not either
  logic        dense_awake, dense_start, dense_take, sparse_awake, sparse_start, sparse_take;

  always_comb begin
    step         = 1'b0;
    run_take     = 1'b0;
    dense_awake  = 1'b0;
    dense_start  = 1'b0;
    sparse_awake = 1'b0;
    sparse_start = 1'b0;
    if (awake_i) begin
      dense_awake  = !sparse_q || !rst_ni;
      sparse_awake = sparse_q || !rst_ni;
      if (active_q && !stop_i) begin
        step = tile_ready;
        if (step) begin
          dense_start  = !sparse_q;
          sparse_start = sparse_q;
        end
      end
      if (run_valid_i && !stop_i) begin
        if (!active_q) begin
          run_take = same_kind || idle;
        end else if (step) begin
          if (k_left_q == 16'd1 && column_left_q == 16'd1) run_take = same_kind;
        end
      end
    end
  end

  assign same_kind  = (Sparse && run_i.mode.weights == cpe_isa_pkg::WeightsSparse) == sparse_q;
  assign run_take_o = run_take;

  always_ff @(posedge clk_i) begin : p_tiles
    logic sparse;
    sparse = 1'b0;
    if (awake_i) begin
      if (step) begin
        if (k_left_q == 16'd1) begin
          if (column_left_q == 16'd1) active_q <= 1'b0;
          tile_q        <= first_q;
          k_left_q      <= k_tiles_q;
          column_left_q <= column_left_q - 1'b1;
        end else begin
          tile_q   <= tile_q + {2'd0, k_stride_q};
          k_left_q <= k_left_q - 1'b1;
        end
      end
      if (run_take) begin
        sparse        = Sparse && run_i.mode.weights == cpe_isa_pkg::WeightsSparse;
        active_q      <= 1'b1;
        sparse_q      <= sparse;
        tile_q        <= run_i.activations;
        k_left_q      <= run_i.k_tiles;
        column_left_q <= run_i.column_tiles;
        first_q       <= run_i.activations;
        k_stride_q    <= sparse ? '0 : run_i.activations_k;
        row_stride_q  <= run_i.activations_row;
        k_tiles_q     <= run_i.k_tiles;
        rows_q        <= run_i.rows;
      end
      if (stop_i || !rst_ni) begin
        active_q <= 1'b0;
        if (!rst_ni) sparse_q <= 1'b0;
      end
    end
  end

  // --- Their rows -----------------------------------------------------------------------------------------------------

  logic         dense_ready, dense_request, dense_valid, dense_outside, dense_idle;
  logic [16:5]  dense_word;
  logic [63:0]  dense_row;
  logic [17:0]  dense_address;

  cpe_systolic_rows u_rows (
    .clk_i,
    .rst_ni,
    .awake_i(dense_awake),
    .stop_i,
    .start_i(dense_start),
    .start_ready_o(dense_ready),
    .start_address_i(tile_q),
    .start_stride_i(row_stride_q),
    .start_rows_i(rows_q),
    .start_tag_i(1'b0),
    .p_valid_o(dense_request),
    .p_ready_i(x_ready_i),
    .p_addr_o(dense_word),
    .p_rdata_i(x_rdata_i),
    .valid_o(dense_valid),
    .take_i(dense_take),
    .tag_o(),
    .row_o(dense_row),
    .outside_o(dense_outside),
    .address_o(dense_address),
    .full_o(),
    .idle_o(dense_idle)
  );

  if (Sparse) begin : g_sparse
    logic         ready, request, valid, outside, gather_idle;
    logic [16:5]  word;
    logic [63:0]  row0, row1;
    logic [17:0]  address;

    cpe_systolic_gather u_gather (
      .clk_i,
      .rst_ni,
      .awake_i(sparse_awake),
      .stop_i,
      .start_i(sparse_start),
      .start_ready_o(ready),
      .start_address_i(tile_q),
      .start_stride_i(row_stride_q),
      .start_rows_i(rows_q),
      .index_valid_i,
      .index_ready_o,
      .index_i,
      .p_valid_o(request),
      .p_ready_i(x_ready_i),
      .p_addr_o(word),
      .p_rdata_i(x_rdata_i),
      .valid_o(valid),
      .take_i(sparse_take),
      .row0_o(row0),
      .row1_o(row1),
      .outside_o(outside),
      .address_o(address),
      .idle_o(gather_idle)
    );

    assign tile_ready  = sparse_q ? ready : dense_ready;
    assign idle        = dense_idle && gather_idle;
    assign x_valid_o   = dense_request || request;
    assign x_addr_o    = sparse_q ? word : dense_word;
    assign row_valid_o = sparse_q ? valid : dense_valid;
    assign outside_o   = sparse_q ? outside : dense_outside;
    assign address_o   = sparse_q ? address : dense_address;

    always_comb begin
      dense_take  = 1'b0;
      sparse_take = 1'b0;
      if (row_take_i) begin
        dense_take  = !sparse_q;
        sparse_take = sparse_q;
      end
    end

    always_comb begin
      row0_o = '0;
      row1_o = '0;
      if (row_take_i) begin
        row0_o = sparse_q ? row0 : dense_row;
        row1_o = sparse_q ? row1 : dense_row;
      end
    end
  end else begin : g_dense
    assign tile_ready    = dense_ready;
    assign idle          = dense_idle;
    assign x_valid_o     = dense_request;
    assign x_addr_o      = dense_word;
    assign row_valid_o   = dense_valid;
    assign row0_o        = dense_row;
    assign row1_o        = dense_row;
    assign outside_o     = dense_outside;
    assign address_o     = dense_address;
    assign index_ready_o = 1'b0;
    assign dense_take    = row_take_i;
    assign sparse_take   = 1'b0;

    logic unused;
    assign unused = ^{index_valid_i, index_i, sparse_awake, sparse_start, sparse_take};
  end

endmodule
