// SPDX-License-Identifier: Apache-2.0
// Activations for sparse weights: of 32 rows at a time, the 16 k that a tile names, from a matrix that lies by k.
//
// A tile is the address of k = 0, the stride of k, and how many rows; then its 16 indices, four at a time. For each 32 rows 16 words
//   are read, while the 32 before them are taken. Entry i of either half is in bits 8i+7:8i of
//   row0_o, row1_o, which are there when they are taken.
// The first word that lies outside of local memory is not read; once all rows before its own are taken, outside_o tells its address,
//   for good. stop_i drops everything; a request that is offered stays until it is taken.
// Cuts: all paths but take_i to row0_o, row1_o.
// Illegal: a tile of no rows, a start without start_ready_o, a take without valid_o.
module cpe_systolic_gather (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         awake_i,
  input  logic         stop_i,

  input  logic         start_i,
  output logic         start_ready_o,
  input  logic [17:0]  start_address_i,
  input  logic [15:0]  start_stride_i,
  input  logic [8:0]   start_rows_i,

  input  logic         index_valid_i,
  output logic         index_ready_o,
  input  logic [63:0]  index_i,

  output logic         p_valid_o,
  input  logic         p_ready_i,
  output logic [16:5]  p_addr_o,
  input  logic [255:0] p_rdata_i,

  output logic         valid_o,
  input  logic         take_i,
  output logic [63:0]  row0_o,
  output logic [63:0]  row1_o,
  output logic         outside_o,
  output logic [17:0]  address_o,
  output logic         idle_o
);

  // --- The tile and its indices ---------------------------------------------------------------------------------------

  logic         tile_q;               // some of its addresses are to be made
  logic [2:0]   indices_q;            // groups of four that are there
  logic [255:0] index_q;
  logic [17:0]  base_q;               // of k = 0, for the rows at hand
  logic [15:0]  stride_q;
  logic [8:0]   left_q;               // rows, those at hand included
  logic [3:0]   entry_q;

  // One address ahead of the memory.
  logic         next_q, request_q;
  logic [17:0]  next_address_q;
  logic [3:0]   next_entry_q;
  logic [4:0]   next_rows_q;          // less one

  // Two sets of 16 words: one is filled, of the other rows are taken.
  logic [255:0] words_q [32];
  logic [1:0]   full_q;
  logic         fill_q;               // the set that is read next
  logic         arrives_q, arrives_set_q;
  logic [3:0]   arrives_entry_q;
  logic         take_set_q;           // the set whose rows are taken
  logic [4:0]   row_q;
  logic [9:0]   rows_q;               // of each set, less one

  assign start_ready_o = !tile_q;
  assign index_ready_o = tile_q && !indices_q[2];
  assign p_valid_o     = request_q;
  assign p_addr_o      = next_address_q[16:5];
  assign valid_o       = full_q[take_set_q];
  assign outside_o     = next_q && next_address_q[17] && full_q == '0 && !arrives_q;
  assign address_o     = next_address_q;
  assign idle_o        = !tile_q && !next_q && full_q == '0 && !arrives_q;

  always_comb begin
    row0_o = '0;
    row1_o = '0;
    if (take_i) begin
      for (int unsigned i = 0; i < 8; i++) begin
        row0_o[8*i +: 8] = words_q[{take_set_q, 4'(i)}][{row_q, 3'd0} +: 8];
        row1_o[8*i +: 8] = words_q[{take_set_q, 4'(i + 8)}][{row_q, 3'd0} +: 8];
      end
    end
  end

  // This process alone writes to the words, and only to those that nobody reads: the assignment may take effect at once.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (awake_i) begin
      if (arrives_q) words_q[{arrives_set_q, arrives_entry_q}] = p_rdata_i;
    end
  end
  /* verilator lint_on BLKSEQ */

  always_ff @(posedge clk_i) begin : p_gather
    logic         read, make, index, last_rows, tile, next, fill, take_set;
    logic [2:0]   indices;
    logic [1:0]   full;
    logic [4:0]   row;
    logic [31:0]  product;
    logic [33:0]  sum;
    logic [17:0]  address;
    {read, make, index, last_rows, tile, next, fill, take_set, indices, full, row, product, sum, address} = '0;
    if (awake_i) begin
      read      = request_q && p_ready_i;
      make      = tile_q && indices_q[2] && (!next_q || read);
      index     = index_valid_i && tile_q && !indices_q[2];
      last_rows = left_q <= 9'd32;
      tile      = tile_q || start_i;
      indices   = indices_q;
      next      = next_q;
      fill      = fill_q;
      full      = full_q;
      take_set  = take_set_q;
      row       = row_q;
      address   = next_address_q;

      // Rows that are taken, words that arrive
      if (arrives_q && arrives_entry_q == 4'd15) full[arrives_set_q] = 1'b1;
      if (take_i) begin
        row = row + 1'b1;
        if (row_q == (take_set_q ? rows_q[9:5] : rows_q[4:0])) begin
          full[take_set_q] = 1'b0;
          take_set         = !take_set_q;
          row              = '0;
        end
      end
      if (read) begin
        arrives_set_q   <= fill_q;
        arrives_entry_q <= next_entry_q;
        if (fill_q) rows_q[9:5] <= next_rows_q;
        else rows_q[4:0] <= next_rows_q;
        if (next_entry_q == 4'd15) fill = !fill_q;
      end

      // Addresses
      if (make) begin
        product = {16'd0, index_q[{entry_q, 4'd0} +: 16]} * {16'd0, stride_q};
        sum     = {2'd0, product} + {16'd0, base_q};
        address = {sum[33:17] != '0, sum[16:0]};
        if (entry_q == 4'd15 && last_rows) begin
          tile    = 1'b0;
          indices = '0;
        end
        next_entry_q <= entry_q;
        next_rows_q  <= last_rows ? left_q[4:0] - 1'b1 : 5'd31;
      end
      if (index) begin
        indices = indices_q + 1'b1;
        index_q <= {index_i, index_q[255:64]};
      end
      if (make || read) next = make;
      base_q <= start_i ? start_address_i : make && entry_q == 4'd15 ? base_q + 18'd32 : base_q;
      left_q <= start_i ? start_rows_i : make && entry_q == 4'd15 ? left_q - 9'd32 : left_q;
      if (start_i) stride_q <= start_stride_i;

      if (stop_i || !rst_ni) begin
        tile     = 1'b0;
        indices  = '0;
        next     = 1'b0;
        fill     = 1'b0;
        full     = '0;
        take_set = 1'b0;
        row      = '0;
      end
      request_q      <= rst_ni && ((request_q && !p_ready_i) || (next && !address[17] && !full[fill]));
      tile_q         <= tile;
      indices_q      <= indices;
      entry_q        <= stop_i || !rst_ni ? '0 : entry_q + 4'(make);
      next_q         <= next;
      next_address_q <= address;
      fill_q         <= fill;
      arrives_q      <= read && !stop_i && rst_ni;
      full_q         <= full;
      take_set_q     <= take_set;
      row_q          <= row;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && awake_i && !stop_i) begin
      assert (!take_i || full_q[take_set_q]) else $error("a row is taken that is not there");
      assert (!start_i || start_rows_i != '0) else $error("a tile of no rows");
      assert (!start_i || !tile_q) else $error("a tile that nobody takes");
    end
  end
`endif

endmodule
