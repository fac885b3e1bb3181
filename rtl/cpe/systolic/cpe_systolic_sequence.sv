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
  output cpe_systolic_pkg::row_t       place_o,

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
  output logic                         event_wait_weights_o,
  output logic                         event_wait_activations_o,
  output logic                         event_wait_drain_o
);

  // From a row that enters to its sum at the accumulators.
  localparam logic [1:0] Latency = 2'd3;

  // --- Where we are ---------------------------------------------------------------------------------------------------

  logic             active_q;
  logic             keep_q, drain_q, half_q;
  cpe_pkg::number_t result_q;
  logic             row_factors_q, bias_q, clamp_q;
  logic [17:0]      out_row_q, out_column_q, factors_of_rows_q;
  logic [31:0]      least_q, largest_q, pc_q;
  logic [15:0]      k_tiles_q, k_left_q, column_left_q;
  logic [8:0]       block_q, rows_q, tile_q, row_q;  // block_q: tiles of a block; tile_q: in the block; row_q: in the tile
  logic [7:0]       sums_q;                          // the tile's first row of accumulators
  logic             first_k_q;
  logic [17:0]      out_q, factors_q, biases_q;      // of the column tile
  logic [17:0]      block_out_q, block_factors_q, block_biases_q;
  logic             new_block_q;                     // those of the block are those of the column tile

  // The block whose sums are on their way to the accumulators, or which waits for the drain.
  logic                         job_q, job_drain_q, job_half_q;
  logic [1:0]                   job_wait_q;
  cpe_systolic_pkg::drain_job_t job_record_q;

  logic                         fault_q;
  logic [31:0]                  fault_pc_q;
  logic [16:0]                  fault_address_q;

  // --- What happens -----------------------------------------------------------------------------------------------------

  logic             weights_there, row_there, drain_there, first_row, ends_k, ends_column, ends_block, ends_run;
  logic             enter, run_take, fails, complete;

  always_comb begin
    enter                    = 1'b0;
    place_o                  = '0;
    run_take                 = 1'b0;
    weights_there            = 1'b0;
    row_there                = 1'b0;
    drain_there              = 1'b0;
    first_row                = 1'b0;
    ends_k                   = 1'b0;
    ends_column              = 1'b0;
    ends_block               = 1'b0;
    ends_run                 = 1'b0;
    fails                    = 1'b0;
    event_wait_weights_o     = 1'b0;
    event_wait_activations_o = 1'b0;
    event_wait_drain_o       = 1'b0;
    if (awake_i) begin
      if (!stop_i) begin
        if (active_q) begin
          first_row = row_q == '0;
          ends_k    = row_q == rows_q - 1'b1;
          if (ends_k) begin
            ends_column = k_left_q == 16'd1;
            ends_run    = ends_column && column_left_q == 16'd1;
            ends_block  = ends_run || (ends_column && tile_q == block_q - 1'b1);
          end

          weights_there = !first_row || tile_valid_i;
          row_there     = weights_there && row_valid_i;
          drain_there   = !half_busy_i[half_q] && !(job_q && (ends_block || (job_drain_q && job_half_q == half_q)));
          enter         = row_there && drain_there;
          if (enter) begin
            place_o.half  = half_q;
            place_o.row   = sums_q + row_q[7:0];
            place_o.first = first_k_q && !keep_q;
            place_o.swap  = first_row;
          end else begin
            fails = (weights_there ? !row_valid_i && feed_outside_i : weights_outside_i) && !job_q && !drain_busy_i;
            event_wait_weights_o     = !weights_there;
            event_wait_activations_o = weights_there && !row_there;
            event_wait_drain_o       = row_there;
          end
        end
        run_take = run_valid_i && (!active_q || (enter && ends_run));
      end
    end
  end

  // Runs without drain take their turn behind what is being drained.
  always_comb begin
    job_valid_o = 1'b0;
    complete    = 1'b0;
    if (awake_i) begin
      if (job_q && job_wait_q == '0) begin
        job_valid_o = job_drain_q;
        complete    = !job_drain_q && !drain_busy_i && !drain_done_i;
      end
    end
  end

  assign enter_o    = enter;
  assign run_take_o = run_take;
  assign complete_o = drain_done_i || complete;
  assign job_o      = job_record_q;

  // --- The next row, and blocks that are complete -----------------------------------------------------------------------

  always_ff @(posedge clk_i) begin : p_sequence
    logic        active, first_k, half, new_block, job;
    logic [15:0] k_left, column_left;
    logic [8:0]  tile, row;
    logic [7:0]  sums;
    logic [17:0] out, factors, biases, block_out, block_factors, block_biases;
    logic [1:0]  job_wait;
    {active, first_k, half, new_block, job, k_left, column_left, tile, row, sums, out, factors, biases, block_out, block_factors,
     block_biases, job_wait} = '0;
    if (awake_i) begin
      active        = active_q;
      first_k       = first_k_q;
      half          = half_q;
      k_left        = k_left_q;
      column_left   = column_left_q;
      tile          = tile_q;
      row           = row_q;
      sums          = sums_q;
      out           = out_q;
      factors       = factors_q;
      biases        = biases_q;
      new_block     = new_block_q;
      block_out     = block_out_q;
      block_factors = block_factors_q;
      block_biases  = block_biases_q;
      job           = job_q;
      job_wait      = job_wait_q;

      if (job) begin
        if (job_wait != '0) job_wait = job_wait - 1'b1;
        if (complete || (job_valid_o && job_ready_i)) job = 1'b0;
      end

      if (enter) begin
        row = row + 1'b1;
        if (new_block) begin
          new_block     = 1'b0;
          block_out     = out;
          block_factors = factors;
          block_biases  = biases;
        end
        if (ends_block) begin
          // In the order of drain_job_t.
          job          = 1'b1;
          job_wait     = Latency;
          job_drain_q  <= drain_q;
          job_half_q   <= half;
          job_record_q <= {half, tile + 9'd1, rows_q, result_q, row_factors_q, bias_q, clamp_q, block_out, out_row_q, out_column_q,
                           block_factors, block_biases, factors_of_rows_q, least_q, largest_q, pc_q, ends_run};
        end
        if (ends_k) begin
          row     = '0;
          first_k = ends_column;
          k_left  = k_left - 1'b1;
          if (ends_column) begin
            k_left      = k_tiles_q;
            column_left = column_left - 1'b1;
            tile        = tile + 1'b1;
            sums        = sums + rows_q[7:0];
            out         = out + out_column_q;
            factors     = factors + 18'd32;
            biases      = biases + 18'd32;
            if (ends_block) begin
              tile      = '0;
              sums      = '0;
              half      = !half;
              new_block = 1'b1;
            end
            if (ends_run) active = 1'b0;
          end
        end
      end
      if (run_take) begin
        active            = 1'b1;
        first_k           = 1'b1;
        half              = run_i.mode.half;
        k_left            = run_i.k_tiles;
        column_left       = run_i.column_tiles;
        tile              = '0;
        row               = '0;
        sums              = '0;
        out               = run_i.out;
        factors           = run_i.factors;
        biases            = run_i.biases;
        new_block         = 1'b1;
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
      end
      if (fails) begin
        fault_pc_q      <= pc_q;
        fault_address_q <= weights_there ? feed_address_i[16:0] : weights_address_i[16:0];
      end

      active_q        <= active && !stop_i && rst_ni;
      first_k_q       <= first_k;
      half_q          <= half;
      k_left_q        <= k_left;
      column_left_q   <= column_left;
      tile_q          <= tile;
      row_q           <= row;
      sums_q          <= sums;
      out_q           <= out;
      factors_q       <= factors;
      biases_q        <= biases;
      new_block_q     <= new_block;
      block_out_q     <= block_out;
      block_factors_q <= block_factors;
      block_biases_q  <= block_biases;
      job_q           <= job && !stop_i && rst_ni;
      job_wait_q      <= job_wait;
      fault_q         <= (fault_q || fails) && rst_ni;
    end
  end

  assign fault_valid_o   = fault_q;
  assign fault_pc_o      = fault_pc_q;
  assign fault_address_o = fault_address_q;

  logic unused;
  assign unused = ^{feed_address_i[17], weights_address_i[17]};

endmodule
