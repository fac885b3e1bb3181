// SPDX-License-Identifier: Apache-2.0
// Goes through the loops of the systolic unit's runs and lets rows enter the array: blocks of column tiles, in each its column
// tiles, in each all k tiles, in each all rows. A row enters when its tile of weights and it itself are there and its block's half of
// the accumulators is free.
//
// When a block's sums are all in, it goes to the drain, while rows of the next one enter.
// Fault: what cannot be read counts when its turn comes. Then all blocks before are drained, and fault_valid_o rises for good.
// Cuts: row_valid_i, tile_valid_i to enter_o: nothing; the drain's signals: everything.
module cpe_systolic_sequence (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic                         awake_i,
  input  logic                         stop_i,

  input  logic                         run_valid_i,
  input  cpe_systolic_pkg::run_t       run_i,
  output logic                         run_take_o,

  input  logic                         tile_valid_i,
  input  logic                         weights_outside_i,
  input  logic [17:0]                  weights_address_i,
  input  logic                         row_valid_i,
  input  logic                         feed_outside_i,
  input  logic [17:0]                  feed_address_i,
  output logic                         enter_o,
  output logic                         swap_o,         // it is its tile's first: with the weights that were loaded last
  output logic [8:0]                   place_o,        // its row of the accumulators, the half above
  output logic                         first_o,        // it overwrites them

  output logic                         job_valid_o,
  input  logic                         job_ready_i,
  output cpe_systolic_pkg::drain_job_t job_o,
  input  logic [1:0]                   half_busy_i,
  input  logic                         drain_busy_i,
  input  logic                         drain_done_i,   // with the last block of a run

  output logic                         complete_o,     // a run
  output logic                         fault_valid_o,
  output logic [31:0]                  fault_pc_o,
  output logic [16:0]                  fault_address_o, // less what local memory has
  output logic [2:0]                   event_wait_o    // a row waits: for weights, activations, the drain
);

  // From a row that enters to its sum at the accumulators.
  localparam logic [1:0] Latency = 2'd3;

  // --- Where we are ---------------------------------------------------------------------------------------------------

  logic             active_q;
  logic             keep_q, drain_q, half_q;
  cpe_isa_pkg::number_t result_q;
  logic             row_factors_q, bias_q, clamp_q;
  logic [17:0]      out_row_q, out_column_q, factors_of_rows_q;
  logic [31:0]      least_q, largest_q, pc_q;
  logic [15:0]      k_tiles_q, k_left_q, column_left_q;
  logic [8:0]       block_q, rows_q, tile_q, row_q;  // block_q: tiles of a block; tile_q: in the block; row_q: in the tile
  logic [8:0]       row_last_q;
  logic [7:0]       sums_q;                          // the tile's first row of accumulators
  logic             overwrites_q;                    // the first k tile does
  logic [17:0]      out_q, factors_q, biases_q;      // of the column tile
  logic [17:0]      block_out_q, block_factors_q, block_biases_q;

  // The block whose sums are on their way to the accumulators, or which waits for the drain.
  logic                         job_q, job_drain_q, job_half_q;
  logic [1:0]                   job_wait_q;
  cpe_systolic_pkg::drain_job_t job_record_q;

  logic                         fault_q, fault_feed_q;  // of activations

  // --- What happens -----------------------------------------------------------------------------------------------------

  logic             weights_there, row_there, first_row, ends_k, ends_column, ends_block, ends_run;
  logic             enter, run_take, fails, complete;

  always_comb begin
    enter         = 1'b0;
    run_take      = 1'b0;
    weights_there = 1'b0;
    row_there     = 1'b0;
    first_row     = 1'b0;
    ends_k        = 1'b0;
    ends_column   = 1'b0;
    ends_block    = 1'b0;
    ends_run      = 1'b0;
    fails         = 1'b0;
    event_wait_o  = '0;
    if (awake_i) begin
      if (!stop_i) begin
        if (active_q) begin
          first_row = row_q == '0;
          ends_k    = row_q == row_last_q;
          if (ends_k) begin
            ends_column = k_left_q == 16'd1;
            ends_run    = ends_column && column_left_q == 16'd1;
            ends_block  = ends_run || (ends_column && tile_q == block_q - 1'b1);
          end

          weights_there = !first_row || tile_valid_i;
          row_there     = weights_there && row_valid_i;
          if (row_there) begin
            enter = !half_busy_i[half_q];
            if (job_q) begin
              if (ends_block || (job_drain_q && job_half_q == half_q)) enter = 1'b0;
            end
          end
          if (!enter) begin
            fails = (weights_there ? !row_valid_i && feed_outside_i : weights_outside_i) && !job_q && !drain_busy_i;
            if (!weights_there) event_wait_o[0] = 1'b1;
            else if (!row_there) event_wait_o[1] = 1'b1;
            else event_wait_o[2] = 1'b1;
          end
        end
        if (run_valid_i) run_take = !active_q || (enter && ends_run);
      end
    end
  end

  // Runs without drain take their turn behind what is being drained.
  always_comb begin
    job_valid_o = 1'b0;
    complete    = 1'b0;
    if (awake_i) begin
      if (job_q) begin
        if (job_wait_q == '0) begin
          job_valid_o = job_drain_q;
          complete    = !job_drain_q && !drain_busy_i && !drain_done_i;
        end
      end
    end
  end

  always_comb begin
    swap_o = 1'b0;
    if (enter) swap_o = first_row;
  end

  assign enter_o    = enter;
  assign place_o    = {half_q, sums_q + row_q[7:0]};
  assign first_o    = overwrites_q;
  assign run_take_o = run_take;
  assign complete_o = drain_done_i || complete;
  assign job_o      = job_record_q;

  // --- Blocks that are complete -------------------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (awake_i) begin
      if (job_q) begin
        if (job_wait_q != '0) job_wait_q <= job_wait_q - 1'b1;
        if (complete || (job_valid_o && job_ready_i) || stop_i) job_q <= 1'b0;
      end
      if (ends_block) begin
        if (enter) begin
          // In the order of drain_job_t.
          job_q        <= 1'b1;
          job_wait_q   <= Latency;
          job_drain_q  <= drain_q;
          job_half_q   <= half_q;
          job_record_q <= {half_q, tile_q + 9'd1, rows_q, result_q, row_factors_q, bias_q, clamp_q, block_out_q, out_row_q, out_column_q,
                           block_factors_q, block_biases_q, factors_of_rows_q, least_q, largest_q, pc_q, ends_run};
        end
      end
      if (!rst_ni) job_q <= 1'b0;
    end
  end

  // --- The next row -----------------------------------------------------------------------------------------------------

  // Mostly it is the next one of the same tile.
  always_ff @(posedge clk_i) begin : p_sequence
    logic [17:0] out, factors, biases;
    {out, factors, biases} = '0;
    if (awake_i) begin
      if (enter) begin
        if (!ends_k) begin
          row_q <= row_q + 1'b1;
        end else begin
          row_q        <= '0;
          k_left_q     <= k_left_q - 1'b1;
          overwrites_q <= ends_column && !keep_q;
          if (ends_column) begin
            out           = out_q + out_column_q;
            factors       = factors_q + 18'd32;
            biases        = biases_q + 18'd32;
            k_left_q      <= k_tiles_q;
            column_left_q <= column_left_q - 1'b1;
            tile_q        <= tile_q + 1'b1;
            sums_q        <= sums_q + rows_q[7:0];
            out_q         <= out;
            factors_q     <= factors;
            biases_q      <= biases;
            if (ends_block) begin
              tile_q          <= '0;
              sums_q          <= '0;
              half_q          <= !half_q;
              block_out_q     <= out;
              block_factors_q <= factors;
              block_biases_q  <= biases;
            end
          end
        end
      end
      if (run_take) begin
        overwrites_q      <= !run_i.mode.keep;
        half_q            <= run_i.mode.half;
        k_left_q          <= run_i.k_tiles;
        column_left_q     <= run_i.column_tiles;
        tile_q            <= '0;
        row_q             <= '0;
        sums_q            <= '0;
        out_q             <= run_i.out;
        factors_q         <= run_i.factors;
        biases_q          <= run_i.biases;
        block_out_q       <= run_i.out;
        block_factors_q   <= run_i.factors;
        block_biases_q    <= run_i.biases;
        keep_q            <= run_i.mode.keep;
        drain_q           <= run_i.mode.drain;
        result_q          <= run_i.mode.result;
        row_factors_q     <= run_i.mode.row_factors;
        bias_q            <= run_i.mode.bias;
        clamp_q           <= run_i.mode.clamp;
        out_row_q         <= run_i.out_row;
        out_column_q      <= run_i.out_column;
        factors_of_rows_q <= run_i.row_factors;
        least_q           <= run_i.least;
        largest_q         <= run_i.largest;
        pc_q              <= run_i.pc;
        k_tiles_q         <= run_i.k_tiles;
        block_q           <= run_i.block;
        rows_q            <= run_i.rows;
        row_last_q        <= run_i.rows - 1'b1;
      end
      if (stop_i || !rst_ni) active_q <= 1'b0;
      else if (run_take) active_q <= 1'b1;
      else if (ends_run && enter) active_q <= 1'b0;
    end
  end

  // --- Faults -------------------------------------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (awake_i) begin
      if (fails) begin
        fault_q      <= 1'b1;
        fault_feed_q <= weights_there;
      end
      if (!rst_ni) fault_q <= 1'b0;
    end
  end

  // Nothing moves behind a fault: who could not go on still has the address.
  assign fault_valid_o   = fault_q;
  assign fault_pc_o      = pc_q;
  assign fault_address_o = fault_feed_q ? feed_address_i[16:0] : weights_address_i[16:0];

  logic unused;
  assign unused = ^{feed_address_i[17], weights_address_i[17]};

endmodule
