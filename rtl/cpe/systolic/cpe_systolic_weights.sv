// SPDX-License-Identifier: Apache-2.0
// Loads weights of the systolic unit, tile after tile, run after run: the next tile is unpacked while the array works with the last.
//
// Tiles come in the order of the loops: column tiles, in each its k tiles. What is read of a tile, as lists of 8 bytes:
//   int8: 8 rows of weights. int4: 4 times two rows, before them scales and zeros where a group begins. sparse: 4 times 4 indices,
//   which go to the feed, then 8 times two rows of half a tile.
// A tile takes 8 cycles (int4: 4), the first of them that of the one before being taken.
// weights_o: column n in bits 64n+63:64n, in there k in bits 8k+7:8k. scales_o: of column n in bits 8n+7:8n, when scaled_o. They are the
//   tile's when it is taken.
// outside_o: the tile that is not there lies outside of local memory, or what belongs to it; address_o has the first such address.
// Cuts: all paths from and to memory.
module cpe_systolic_weights #(
  parameter bit Sparse = 1'b1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   awake_i,
  input  logic                   stop_i,

  input  logic                   run_valid_i,
  input  cpe_systolic_pkg::run_t run_i,
  output logic                   run_take_o,

  output logic                   w_valid_o,
  input  logic                   w_ready_i,
  output logic [16:5]            w_addr_o,
  input  logic [255:0]           w_rdata_i,

  output logic                   index_valid_o,
  input  logic                   index_ready_i,
  output logic [63:0]            index_o,

  output logic                   tile_valid_o,
  input  logic                   tile_take_i,
  output logic [511:0]           weights_o,
  output logic                   scaled_o,
  output logic [63:0]            scales_o,
  output logic                   outside_o,
  output logic [17:0]            address_o
);

  localparam logic [1:0] Scales = 2'd3;  // a list that holds no weights

  // --- State --------------------------------------------------------------------------------------------------------

  logic        active_q, by_column_q, scales_next_q;
  logic [1:0]  kind_q;
  logic [17:0] tile_q, column_q, column_stride_q;              // addresses: of the tile, of the first one of its column tile
  logic [17:0] scales_q, scales_column_q, scales_stride_q;
  logic [15:0] k_stride_q, row_stride_q, k_tiles_q, k_left_q, column_left_q;
  logic [7:0]  group_q, group_left_q;

  logic        full_q;                 // the tile is complete
  logic        rests_q;                // nothing can move before it is taken
  logic [3:0]  count_q;                // rows of the list that have been taken
  logic [63:0] group_scales_q;         // of the tiles to come
  logic [31:0] group_zeros_q;
  logic [63:0] bytes_q [8];            // of columns

  logic        rows_full, list_ready, valid, by_column;
  logic [1:0]  kind;                   // of the list whose rows come
  logic [63:0] row;

  // --- What moves ---------------------------------------------------------------------------------------------------

  logic        moves, run_take, step, take, write, last;
  logic [17:0] list_address;
  logic [15:0] list_stride;
  logic [8:0]  list_rows;
  logic [1:0]  list_kind;

  always_comb begin
    moves         = 1'b0;
    run_take      = 1'b0;
    step          = 1'b0;
    take          = 1'b0;
    write         = 1'b0;
    last          = 1'b0;
    index_valid_o = 1'b0;
    if (awake_i) begin
      moves = !rests_q || tile_take_i || stop_i || !rst_ni;
      if (moves && !stop_i) begin
        step     = active_q && list_ready;
        run_take = run_valid_i && (!active_q || (step && !scales_next_q && k_left_q == 16'd1 && column_left_q == 16'd1));
        if (valid) begin
          write = !full_q || tile_take_i;
          take  = write;
          case (kind)
            cpe_isa_pkg::WeightsInt8: last = count_q == 4'd7;
            cpe_isa_pkg::WeightsInt4: last = count_q == 4'd3;
            Scales: begin
              last  = count_q == 4'd1;
              take  = 1'b1;
              write = 1'b0;
            end
            default: begin
              last = count_q == 4'd11;
              if (count_q[3:2] == 2'd0) begin
                index_valid_o = 1'b1;
                take          = index_ready_i;
                write         = 1'b0;
              end
            end
          endcase
        end
      end
    end
  end

  always_comb begin
    list_address = '0;
    list_stride  = '0;
    list_rows    = '0;
    list_kind    = '0;
    if (step) begin
      list_address = tile_q;
      list_stride  = 16'd8;
      list_kind    = kind_q;
      if (scales_next_q) begin
        list_address = scales_q;
        list_rows    = 9'd2;
        list_kind    = Scales;
      end else begin
        case (kind_q)
          cpe_isa_pkg::WeightsInt8: begin
            list_stride = row_stride_q;
            list_rows   = 9'd8;
          end
          cpe_isa_pkg::WeightsInt4: list_rows = 9'd4;
          default:              list_rows = 9'd12;
        endcase
      end
    end
  end

  assign run_take_o = run_take;
  assign index_o    = row;

  // --- Which lists --------------------------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin : p_lists
    logic        active, scales_next;
    logic [17:0] tile, column, scales, scales_column;
    logic [15:0] k_left, column_left;
    logic [7:0]  group_left;
    {active, scales_next, tile, column, scales, scales_column, k_left, column_left, group_left} = '0;
    if (moves) begin
      active        = active_q;
      tile          = tile_q;
      column        = column_q;
      scales        = scales_q;
      scales_column = scales_column_q;
      scales_next   = scales_next_q;
      k_left        = k_left_q;
      column_left   = column_left_q;
      group_left    = group_left_q;
      if (step) begin
        if (scales_next) begin
          scales_next = 1'b0;
        end else if (k_left == 16'd1) begin
          if (column_left == 16'd1) active = 1'b0;
          column        = column + column_stride_q;
          tile          = column;
          scales_column = scales_column + scales_stride_q;
          scales        = scales_column;
          scales_next   = kind_q == cpe_isa_pkg::WeightsInt4;
          group_left    = group_q;
          k_left        = k_tiles_q;
          column_left   = column_left - 1'b1;
        end else begin
          tile       = tile + {2'd0, k_stride_q};
          k_left     = k_left - 1'b1;
          group_left = group_left - 1'b1;
          if (group_left == '0) begin
            scales      = scales + 18'd16;
            scales_next = kind_q == cpe_isa_pkg::WeightsInt4;
            group_left  = group_q;
          end
        end
      end
      if (run_take) begin
        active          = 1'b1;
        tile            = run_i.weights;
        column          = run_i.weights;
        scales          = run_i.scales;
        scales_column   = run_i.scales;
        scales_next     = run_i.mode.weights == cpe_isa_pkg::WeightsInt4;
        k_left          = run_i.k_tiles;
        column_left     = run_i.column_tiles;
        group_left      = run_i.group;
        kind_q          <= run_i.mode.weights;
        by_column_q     <= run_i.mode.by_column;
        column_stride_q <= run_i.weights_column;
        k_stride_q      <= run_i.weights_k;
        row_stride_q    <= run_i.weights_row;
        scales_stride_q <= run_i.scales_column;
        group_q         <= run_i.group;
        k_tiles_q       <= run_i.k_tiles;
      end
      active_q        <= active && !stop_i && rst_ni;
      tile_q          <= tile;
      column_q        <= column;
      scales_q        <= scales;
      scales_column_q <= scales_column;
      scales_next_q   <= scales_next;
      k_left_q        <= k_left;
      column_left_q   <= column_left;
      group_left_q    <= group_left;
    end
  end

  cpe_systolic_rows #(.TagWidth(3)) u_rows (
    .clk_i,
    .rst_ni,
    .awake_i(moves),
    .stop_i,
    .start_i(step),
    .start_ready_o(list_ready),
    .start_address_i(list_address),
    .start_stride_i(list_stride),
    .start_rows_i(list_rows),
    .start_tag_i({by_column_q, list_kind}),
    .p_valid_o(w_valid_o),
    .p_ready_i(w_ready_i),
    .p_addr_o(w_addr_o),
    .p_rdata_i(w_rdata_i),
    .valid_o(valid),
    .take_i(take),
    .tag_o({by_column, kind}),
    .row_o(row),
    .outside_o,
    .address_o,
    .full_o(rows_full),
    .idle_o()
  );

  // --- Unpacking ----------------------------------------------------------------------------------------------------

  // A tile that is taken is read by logic that settles before the edge. So what goes into the next one may take effect at once; the
  // simulator would otherwise keep a delayed copy of all of it.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin : p_unpack
    logic [63:0] bytes;                 // of the row at hand
    logic [63:0] unpacked0, unpacked1;  // int4: the two rows
    logic [3:0]  zero0, zero1;
    logic        int4;
    {bytes, unpacked0, unpacked1, zero0, zero1, int4} = '0;
    if (moves) begin
      if (take) begin
        bytes = row;
        int4  = kind == cpe_isa_pkg::WeightsInt4;
        if (kind == Scales) begin
          if (count_q[0]) begin
            group_zeros_q = {bytes[59:56], bytes[51:48], bytes[43:40], bytes[35:32], bytes[27:24], bytes[19:16], bytes[11:8], bytes[3:0]};
          end else begin
            group_scales_q = bytes;
          end
        end else if (write) begin
          if (kind == cpe_isa_pkg::WeightsInt8) begin
            if (by_column) bytes_q[count_q[2:0]] = bytes;
            else for (int unsigned n = 0; n < 8; n++) bytes_q[n][{count_q[2:0], 3'd0} +: 8] = bytes[8*n +: 8];
          end else if (int4) begin
            for (int unsigned i = 0; i < 8; i++) begin
              zero0 = by_column ? group_zeros_q[{count_q[1:0], 3'd0} +: 4] : group_zeros_q[4*i +: 4];
              zero1 = by_column ? group_zeros_q[{count_q[1:0], 3'd4} +: 4] : group_zeros_q[4*i +: 4];
              unpacked0[8*i +: 8] = {4'd0, bytes[4*i +: 4]} - {4'd0, zero0};
              unpacked1[8*i +: 8] = {4'd0, bytes[32 + 4*i +: 4]} - {4'd0, zero1};
            end
            if (by_column) begin
              bytes_q[{count_q[1:0], 1'b0}] = unpacked0;
              bytes_q[{count_q[1:0], 1'b1}] = unpacked1;
            end else begin
              for (int unsigned n = 0; n < 8; n++) begin
                bytes_q[n][{count_q[1:0], 4'd0} +: 16] = {unpacked1[8*n +: 8], unpacked0[8*n +: 8]};
              end
            end
          end else if (Sparse) begin
            for (int unsigned n = 0; n < 4; n++) begin
              bytes_q[{count_q[3], 2'(n)}][{count_q[1:0], 4'd0} +: 16] = {bytes[32 + 8*n +: 8], bytes[8*n +: 8]};
            end
          end
          if (last) begin
            scaled_o <= int4;
            if (int4) scales_o <= group_scales_q;
          end
        end
      end
      full_q  <= rst_ni && !stop_i && ((write && last) || (full_q && !tile_take_i));
      // Most of the time a tile and two words are there, and nothing is taken. Indices can always move.
      rests_q <= rst_ni && full_q && rows_full && !tile_take_i && !take && kind != cpe_isa_pkg::WeightsSparse;
      count_q <= stop_i || !rst_ni ? '0 : !take ? count_q : last ? '0 : count_q + 1'b1;
    end
  end
  /* verilator lint_on BLKSEQ */

  always_comb begin
    weights_o = '0;
    if (tile_take_i) weights_o = {bytes_q[7], bytes_q[6], bytes_q[5], bytes_q[4], bytes_q[3], bytes_q[2], bytes_q[1], bytes_q[0]};
  end

  assign tile_valid_o = full_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && moves && !stop_i) assert (!tile_take_i || full_q) else $error("a tile is taken that is not there");
  end
`endif

endmodule
