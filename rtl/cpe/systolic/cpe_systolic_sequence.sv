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
  output cpe_pkg::fault_t              fault_o,
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

  logic             weights_there, row_there, drain_there, first_row, ends_k, ends_column, ends_block, ends_run;
  logic             fails;

  // The block whose sums are on their way to the accumulators, or which waits for the drain.
  logic                         job_q, job_drain_q, job_half_q;
  logic [1:0]                   job_wait_q;
  cpe_systolic_pkg::drain_job_t job_record_q;

  logic                         fault_q;
  logic [31:0]                  fault_pc_q;
  logic [16:0]                  fault_address_q;

  always_comb begin
    enter_o                  = 1'b0;
    place_o                  = '0;
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
    if (awake_i && active_q && !stop_i) begin
      first_row   = row_q == '0;
      ends_k      = row_q == rows_q - 1'b1;
      ends_column = ends_k && k_left_q == 16'd1;
      ends_run    = ends_column && column_left_q == 16'd1;
      ends_block  = ends_run || (ends_column && tile_q == block_q - 1'b1);

      weights_there = !first_row || tile_valid_i;
      row_there     = weights_there && row_valid_i;
      drain_there   = !half_busy_i[half_q] && !(job_q && (ends_block || (job_drain_q && job_half_q == half_q)));
      enter_o       = row_there && drain_there;

      place_o.half  = half_q;
      place_o.row   = sums_q + row_q[7:0];
      place_o.first = first_k_q && !keep_q;
      place_o.swap  = first_row;

      fails = (weights_there ? !row_valid_i && feed_outside_i : weights_outside_i) && !job_q && !drain_busy_i;

      event_wait_weights_o     = !weights_there;
      event_wait_activations_o = weights_there && !row_there;
      event_wait_drain_o       = row_there && !drain_there;
    end
  end

  assign run_take_o = run_valid_i && !stop_i && (!active_q || (enter_o && ends_run));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
    end else if (awake_i) begin
      if (stop_i) active_q <= 1'b0;
      else if (run_take_o) active_q <= 1'b1;
      else if (enter_o && ends_run) active_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (awake_i) begin
      if (run_take_o) begin
        keep_q            <= run_i.mode.keep;
        drain_q           <= run_i.mode.drain;
        half_q            <= run_i.mode.half;
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
        k_left_q          <= run_i.k_tiles;
        column_left_q     <= run_i.column_tiles;
        block_q           <= run_i.block;
        rows_q            <= run_i.rows;
        tile_q            <= '0;
        row_q             <= '0;
        sums_q            <= '0;
        first_k_q         <= 1'b1;
        out_q             <= run_i.out;
        factors_q         <= run_i.factors;
        biases_q          <= run_i.biases;
        new_block_q       <= 1'b1;
      end else if (enter_o) begin
        row_q <= ends_k ? '0 : row_q + 1'b1;
        if (new_block_q) begin
          new_block_q     <= 1'b0;
          block_out_q     <= out_q;
          block_factors_q <= factors_q;
          block_biases_q  <= biases_q;
        end
        if (ends_k) begin
          first_k_q <= ends_column;
          k_left_q  <= ends_column ? k_tiles_q : k_left_q - 1'b1;
        end
        if (ends_column) begin
          column_left_q <= column_left_q - 1'b1;
          tile_q        <= ends_block ? '0 : tile_q + 1'b1;
          sums_q        <= ends_block ? '0 : sums_q + rows_q[7:0];
          out_q         <= out_q + out_column_q;
          factors_q     <= factors_q + 18'd32;
          biases_q      <= biases_q + 18'd32;
          half_q        <= half_q ^ ends_block;
          new_block_q   <= ends_block;
        end
      end
    end
  end

  // --- Blocks that are complete ---------------------------------------------------------------------------------------

  logic post, sums_in;

  assign post        = enter_o && ends_block;
  assign sums_in     = job_q && job_wait_q == '0;
  assign job_valid_o = sums_in && job_drain_q;
  assign job_o       = job_record_q;

  // Runs without drain take their turn behind what is being drained.
  logic complete;
  assign complete   = sums_in && !job_drain_q && !drain_busy_i && !drain_done_i;
  assign complete_o = drain_done_i || complete;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      job_q      <= 1'b0;
      job_wait_q <= '0;
    end else if (awake_i) begin
      if (stop_i) begin
        job_q      <= 1'b0;
        job_wait_q <= '0;
      end else if (post) begin
        job_q      <= 1'b1;
        job_wait_q <= Latency;
      end else if (job_q) begin
        if (job_wait_q != '0) job_wait_q <= job_wait_q - 1'b1;
        if (complete || (job_valid_o && job_ready_i)) job_q <= 1'b0;
      end
    end
  end

  // In the order of drain_job_t.
  always_ff @(posedge clk_i) begin
    if (awake_i && post) begin
      job_drain_q  <= drain_q;
      job_half_q   <= half_q;
      job_record_q <= {half_q, tile_q + 9'd1, rows_q, result_q, row_factors_q, bias_q, clamp_q,
                       new_block_q ? out_q : block_out_q, out_row_q, out_column_q,
                       new_block_q ? factors_q : block_factors_q, new_block_q ? biases_q : block_biases_q, factors_of_rows_q,
                       least_q, largest_q, pc_q, ends_run};
    end
  end

  // --- Faults -----------------------------------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (!rst_ni) fault_q <= 1'b0;
    else if (awake_i && fails) fault_q <= 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (awake_i && fails) begin
      fault_pc_q      <= pc_q;
      fault_address_q <= weights_there ? feed_address_i[16:0] : weights_address_i[16:0];
    end
  end

  assign fault_valid_o = fault_q;

  always_comb begin
    fault_o = '0;
    if (fault_q) begin
      fault_o.cause   = cpe_pkg::CauseCommand;
      fault_o.access  = cpe_pkg::AccessRead;
      fault_o.dma     = 1'b1;
      fault_o.pc      = fault_pc_q;
      fault_o.segment = cpe_pkg::NoSegment;
      fault_o.offset  = {16'd0, cpe_pkg::SpaceLdm, 10'd0, 1'b1, fault_address_q};
    end
  end

  logic unused;
  assign unused = ^{feed_address_i[17], weights_address_i[17]};

endmodule
