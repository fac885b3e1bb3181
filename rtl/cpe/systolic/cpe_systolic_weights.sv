// Loads weights of the systolic unit, tile after tile, run after run: the next tile is unpacked while the array works with the last.
//
// Tiles come in the order of the loops: column tiles, in each its k tiles. What is read of a tile, as lists of 8 bytes:
//   int8: 8 rows of weights. int4: 4 times two rows, before them scales and zeros where a group begins. sparse: 4 times 4 indices,
//   which go to the feed, then 8 times two rows of half a tile.
// A tile takes 8 cycles (int4: 4), the first of them that of the one before being taken.
// weights_o: column n in bits 64n+63:64n, in there k in bits 8k+7:8k. scales_o: of column n in bits 8n+7:8n, when scaled_o.
// outside_o: the tile that is not there lies outside of local memory, or what belongs to it; address_o has the first such address.
// Cuts: all paths from and to memory but w_ready_i to run_take_o.
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

  // --- Which lists --------------------------------------------------------------------------------------------------

  // Most of the time a tile and two words are there, and nothing can move. Indices always can.
  logic        moves, rows_full;
  logic        full_q;                 // the tile is complete
  logic [1:0]  kind;                   // of the list whose rows come
  assign moves = awake_i && (!full_q || !rows_full || tile_take_i || stop_i || kind == cpe_pkg::WeightsSparse);

  logic        active_q, by_column_q, scales_next_q;
  logic [1:0]  kind_q;
  logic [17:0] tile_q, column_q, column_stride_q;              // addresses: of the tile, of the first one of its column tile
  logic [17:0] scales_q, scales_column_q, scales_stride_q;
  logic [15:0] k_stride_q, row_stride_q, k_tiles_q, k_left_q, column_left_q;
  logic [7:0]  group_q, group_left_q;
  logic        list_ready, step, ends_column, ends;
  logic [17:0] list_address;
  logic [15:0] list_stride;
  logic [8:0]  list_rows;
  logic [1:0]  list_kind;

  always_comb begin
    list_address = '0;
    list_stride  = '0;
    list_rows    = '0;
    list_kind    = '0;
    ends_column  = 1'b0;
    if (moves && active_q && list_ready) begin
      ends_column  = k_left_q == 16'd1;
      list_address = tile_q;
      list_stride  = 16'd8;
      list_kind    = kind_q;
      if (scales_next_q) begin
        list_address = scales_q;
        list_rows    = 9'd2;
        list_kind    = Scales;
      end else begin
        case (kind_q)
          cpe_pkg::WeightsInt8: begin
            list_stride = row_stride_q;
            list_rows   = 9'd8;
          end
          cpe_pkg::WeightsInt4: list_rows = 9'd4;
          default:              list_rows = 9'd12;
        endcase
      end
    end
  end

  assign step       = moves && active_q && list_ready && !stop_i;
  assign ends       = step && !scales_next_q && ends_column && column_left_q == 16'd1;
  assign run_take_o = moves && run_valid_i && !stop_i && (!active_q || ends);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
    end else if (moves) begin
      if (stop_i) active_q <= 1'b0;
      else if (run_take_o) active_q <= 1'b1;
      else if (ends) active_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (moves) begin
      if (run_take_o) begin
        kind_q          <= run_i.mode.weights;
        by_column_q     <= run_i.mode.by_column;
        scales_next_q   <= run_i.mode.weights == cpe_pkg::WeightsInt4;
        tile_q          <= run_i.weights;
        column_q        <= run_i.weights;
        column_stride_q <= run_i.weights_column;
        k_stride_q      <= run_i.weights_k;
        row_stride_q    <= run_i.weights_row;
        scales_q        <= run_i.scales;
        scales_column_q <= run_i.scales;
        scales_stride_q <= run_i.scales_column;
        group_q         <= run_i.group;
        group_left_q    <= run_i.group;
        k_tiles_q       <= run_i.k_tiles;
        k_left_q        <= run_i.k_tiles;
        column_left_q   <= run_i.column_tiles;
      end else if (step) begin
        if (scales_next_q) begin
          scales_next_q <= 1'b0;
        end else if (ends_column) begin
          tile_q          <= column_q + column_stride_q;
          column_q        <= column_q + column_stride_q;
          scales_q        <= scales_column_q + scales_stride_q;
          scales_column_q <= scales_column_q + scales_stride_q;
          scales_next_q   <= kind_q == cpe_pkg::WeightsInt4;
          group_left_q    <= group_q;
          k_left_q        <= k_tiles_q;
          column_left_q   <= column_left_q - 1'b1;
        end else begin
          tile_q       <= tile_q + {2'd0, k_stride_q};
          k_left_q     <= k_left_q - 1'b1;
          group_left_q <= group_left_q - 1'b1;
          if (group_left_q == 8'd1) begin
            scales_q      <= scales_q + 18'd16;
            scales_next_q <= kind_q == cpe_pkg::WeightsInt4;
            group_left_q  <= group_q;
          end
        end
      end
    end
  end

  logic        valid, take, by_column;
  logic [63:0] row;

  cpe_systolic_rows #(.TagWidth(3)) u_rows (
    .clk_i,
    .rst_ni,
    .awake_i(moves),
    .stop_i,
    .start_valid_i(active_q),
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

  logic [3:0]   count_q;               // rows of the list that have been taken
  logic         write, write_scales, last;
  logic [63:0]  group_scales_q;        // of the tiles to come
  logic [31:0]  group_zeros_q;
  logic         scaled_q;
  logic [63:0]  scales_out_q;
  logic [63:0]  unpacked0, unpacked1;  // int4: the two rows
  logic [3:0]   zero0, zero1;

  always_comb begin
    take          = 1'b0;
    write         = 1'b0;
    write_scales  = 1'b0;
    last          = 1'b0;
    index_valid_o = 1'b0;
    if (moves && valid && !stop_i) begin
      write = !full_q || tile_take_i;
      take  = write;
      case (kind)
        cpe_pkg::WeightsInt8: last = count_q == 4'd7;
        cpe_pkg::WeightsInt4: last = count_q == 4'd3;
        Scales: begin
          last         = count_q == 4'd1;
          take         = 1'b1;
          write        = 1'b0;
          write_scales = 1'b1;
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

  assign index_o = row;

  always_comb begin
    unpacked0 = '0;
    unpacked1 = '0;
    zero0     = '0;
    zero1     = '0;
    if (moves && write && kind == cpe_pkg::WeightsInt4) begin
      for (int unsigned i = 0; i < 8; i++) begin
        zero0 = by_column ? group_zeros_q[{count_q[1:0], 3'd0} +: 4] : group_zeros_q[4*i +: 4];
        zero1 = by_column ? group_zeros_q[{count_q[1:0], 3'd4} +: 4] : group_zeros_q[4*i +: 4];
        unpacked0[8*i +: 8] = {4'd0, row[4*i +: 4]} - {4'd0, zero0};
        unpacked1[8*i +: 8] = {4'd0, row[32 + 4*i +: 4]} - {4'd0, zero1};
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      full_q  <= 1'b0;
      count_q <= '0;
    end else if (moves) begin
      if (stop_i) begin
        full_q  <= 1'b0;
        count_q <= '0;
      end else if (take || tile_take_i) begin
        full_q <= (write && last) || (full_q && !tile_take_i);
        if (take) count_q <= last ? '0 : count_q + 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (moves) begin
      if (write_scales) begin
        if (count_q[0]) group_zeros_q <= {row[59:56], row[51:48], row[43:40], row[35:32], row[27:24], row[19:16], row[11:8], row[3:0]};
        else group_scales_q <= row;
      end
      if (write && last) begin
        scaled_q <= kind == cpe_pkg::WeightsInt4;
        if (kind == cpe_pkg::WeightsInt4) scales_out_q <= group_scales_q;
      end
    end
  end

  for (genvar n = 0; n < 8; n++) begin : g_column
    logic [63:0] bytes_q;

    always_ff @(posedge clk_i) begin
      if (moves) begin
        if (write) begin
          case (kind)
            cpe_pkg::WeightsInt8: begin
              if (!by_column) bytes_q[{count_q[2:0], 3'd0} +: 8] <= row[8*n +: 8];
              else if (count_q[2:0] == 3'(n)) bytes_q <= row;
            end
            cpe_pkg::WeightsInt4: begin
              if (!by_column) bytes_q[{count_q[1:0], 4'd0} +: 16] <= {unpacked1[8*n +: 8], unpacked0[8*n +: 8]};
              else if (count_q[1:0] == 2'(n / 2)) bytes_q <= n % 2 == 0 ? unpacked0 : unpacked1;
            end
            default: begin
              if (Sparse && count_q[3] == 1'(n / 4)) begin
                bytes_q[{count_q[1:0], 4'd0} +: 16] <= {row[32 + 8*(n % 4) +: 8], row[8*(n % 4) +: 8]};
              end
            end
          endcase
        end
      end
    end

    assign weights_o[64*n +: 64] = bytes_q;
  end

  assign tile_valid_o = full_q;
  assign scaled_o     = scaled_q;
  assign scales_o     = scales_out_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && moves && !stop_i) assert (!tile_take_i || full_q) else $error("a tile is taken that is not there");
  end
`endif

endmodule
