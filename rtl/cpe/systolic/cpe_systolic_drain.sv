// SPDX-License-Identifier: Apache-2.0
// The drain of the systolic unit: brings the sums of a block into local memory, scaled, clamped and converted.
//
// One job at a time, tile by tile, row by row. int32: a row a cycle. Others: `Lanes` elements a cycle, half as many with row factors;
//   the columns' factors and biases are read before each tile, the rows' factors before every eighth row, a few cycles each.
// half_busy_o: from the cycle after the one in which a job was taken, until its last row is in here.
// done_o: in one cycle, once the last word of a job with `last` was taken by the memory.
// Fault: an address beyond local memory is not used; everything before it is written, nothing after it. fault_valid_o stays until
//   reset, and nothing else happens.
// Halt: nothing new is read or written from the next cycle on; halt_i stays until reset. A request that is offered stays so, until
//   a reset takes it back.
// Asleep, with awake_q low, while there is no job: a simulator has next to nothing to do with it.
// Cuts: job, sums and memory requests leave registers; a word's acceptance (d_ready_i) decides whether sums are read.
module cpe_systolic_drain #(
  parameter int unsigned Lanes = 2  // 1 or 2
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           awake_i,        // else there is nothing to do, and no logic moves
  input  logic                           halt_i,

  input  logic                           job_valid_i,
  output logic                           job_ready_o,
  input  cpe_systolic_pkg::drain_job_t   job_i,
  output logic [1:0]                     half_busy_o,
  output logic                           done_o,

  output logic                           read_valid_o,
  output logic                           read_half_o,
  output logic [7:0]                     read_row_o,
  input  logic [255:0]                   read_data_i,    // in the next cycle, until the next read

  output logic                           d_valid_o,
  input  logic                           d_ready_i,
  output logic                           d_write_o,
  output logic [16:5]                    d_addr_o,
  output logic [255:0]                   d_wdata_o,
  output logic [31:0]                    d_strb_o,
  input  logic [255:0]                   d_rdata_i,      // in the cycle after the read was taken, until the next one

  output logic                           fault_valid_o,
  output logic                           fault_write_o,
  output logic [31:0]                    fault_pc_o,
  output logic [16:0]                    fault_address_o, // less what local memory has
  output logic                           busy_o
);

  localparam int unsigned BeatBits = Lanes == 1 ? 3 : 2;  // a row is 2^BeatBits beats, in groups of four

  typedef enum logic [2:0] {
    StateIdle,
    StateAsk,      // for a word of factors
    StateTake,     // it is there in the cycle after it was granted
    StateRows,
    StateFinish,   // everything is on its way
    StateStopped
  } state_e;

  typedef enum logic [1:0] {
    WordFactors,
    WordBiases,
    WordRowFactors
  } word_e;

  logic         awake_q, awake;
  state_e       state_q;
  word_e        word_q;
  logic         raw_q;          // int32: as they are
  logic [8:0]   tiles_q;        // not yet through, this one counts
  logic [8:0]   row_q;          // of the tile
  logic [7:0]   sum_row_q;      // the next to be read
  logic         here_q;         // a row is at read_data_i
  logic [3:0]   slot_q;         // {group, second pass, beat}
  logic [255:0] factors_q, biases_q;

  // Of the job
  logic              half_q, row_factors_q, bias_q, clamp_q, last_q;
  cpe_isa_pkg::number_t  result_q;
  logic [8:0]        rows_q;
  logic [31:0]       least_q, largest_q, pc_q;
  logic [17:0]       row_stride_q, tile_stride_q;
  logic [17:5]       factors_at_q, biases_at_q, row_factors_at_q, row_factors_from_q;

  // The request, and the row that is being put together for it
  logic         req_valid_q, req_write_q;
  logic [16:5]  req_addr_q;
  logic [31:0]  strb_q;
  logic [255:0] wdata_q;
  logic         req_free;       // can be changed

  logic         fault_q, fault_write_q, done_q, busy_q;
  logic [16:0]  fault_at_q;
  logic [1:0]   half_busy_q;

  // Where the next row goes
  logic [17:0]  out_at_q, out_tile_q, out_next;
  logic [8:0]   out_row_q;
  logic         out_row_last;

  // --- Rows of sums: into the lanes beat by beat, or straight on ------------------------------------------------------

  logic       result_valid, lanes_busy, lanes_step, blocked;
  logic [3:0] result_tag;  // {last of its row, beat}
  logic       issue, slot_last, raw_row, row_done, tile_last, job_last, pause, store;
  logic       second;      // the sums' own pass
  logic [2:0] beat;

  logic [32*Lanes-1:0] results, lane_sums, lane_factors, lane_biases;
  logic [31:0]         row_factor;

  always_comb begin
    issue        = 1'b0;
    second       = 1'b0;
    slot_last    = 1'b0;
    beat         = '0;
    raw_row      = 1'b0;
    row_done     = 1'b0;
    tile_last    = 1'b0;
    job_last     = 1'b0;
    pause        = 1'b0;
    read_valid_o = 1'b0;
    req_free     = 1'b0;
    blocked      = 1'b0;
    lanes_step   = 1'b0;
    lane_sums    = '0;
    lane_factors = '0;
    lane_biases  = '0;
    if (awake) begin
      req_free   = !req_valid_q || d_ready_i;
      blocked    = result_valid && !req_free && (req_write_q || result_tag[3]);
      lanes_step = (state_q == StateRows || lanes_busy) && !blocked;
      if (state_q == StateRows) begin
        second    = slot_q[2] || !row_factors_q;
        beat      = Lanes == 1 ? {slot_q[3], slot_q[1:0]} : {1'b0, slot_q[1:0]};
        slot_last = slot_q[1:0] == 2'd3 && second && (Lanes != 1 || slot_q[3]);
        issue     = here_q && !raw_q && !blocked;
        raw_row   = here_q && raw_q && req_free;
        row_done  = (issue && slot_last) || raw_row;
        tile_last = row_q == rows_q - 9'd1;
        job_last  = tile_last && tiles_q == 9'd1;
        // Another word must be read before the next row.
        pause     = raw_q ? job_last : tile_last || (row_factors_q && row_q[2:0] == 3'd7);
        read_valid_o = !halt_i && (!here_q || (row_done && !pause));
        if (issue) begin
          lane_sums    = read_data_i[32*Lanes*beat[BeatBits-1:0] +: 32*Lanes];
          lane_factors = factors_q[32*Lanes*beat[BeatBits-1:0] +: 32*Lanes];
          lane_biases  = biases_q[32*Lanes*beat[BeatBits-1:0] +: 32*Lanes];
        end
      end
    end
  end

  // By itself: a simulator looks at what was read in every cycle.
  always_comb begin
    row_factor = '0;
    if (issue) row_factor = d_rdata_i[{row_q[2:0], 5'd0} +: 32];
  end

  assign read_half_o = half_q;
  assign read_row_o  = sum_row_q;

  cpe_systolic_drain_lanes #(.Lanes(Lanes)) u_lanes (
    .clk_i,
    .rst_ni,
    .awake_i     (awake),
    .clear_i     (halt_i || fault_q),
    .step_i      (lanes_step),
    .valid_i     (issue),
    .product_i   (!second),
    .paired_i    (row_factors_q),
    .tag_i       ({slot_last, beat}),
    .sums_i      (lane_sums),
    .factors_i   (lane_factors),
    .biases_i    (lane_biases),
    .row_factor_i(row_factor),
    .result_i    (result_q),
    .bias_i      (bias_q),
    .clamp_i     (clamp_q),
    .least_i     (least_q),
    .largest_i   (largest_q),
    .valid_o     (result_valid),
    .tag_o       (result_tag),
    .results_o   (results),
    .busy_o      (lanes_busy)
  );

  // --- The word that is written ---------------------------------------------------------------------------------------

  logic        put;            // results go into the row
  logic        out_beyond;
  logic [31:0] out_strb;

  always_comb begin
    out_strb     = '0;
    out_next     = '0;
    put          = 1'b0;
    store        = 1'b0;
    out_beyond   = 1'b0;
    out_row_last = 1'b0;
    if (awake) begin
      put   = result_valid && lanes_step;
      store = raw_row || (put && result_tag[3]);  // the row is complete
      if (store) begin
        out_beyond   = out_at_q[17];
        out_row_last = out_row_q == 9'd1;
        out_next     = out_row_last ? out_tile_q + tile_stride_q : out_at_q + row_stride_q;
        case (result_q)
          cpe_isa_pkg::NumberFp16: out_strb = out_at_q[4] ? 32'hffff_0000 : 32'h0000_ffff;
          cpe_isa_pkg::NumberInt8: out_strb = 32'h0000_00ff << {out_at_q[4:3], 3'd0};
          default:             out_strb = '1;
        endcase
      end
    end
  end

  // Narrow results fill every place where their row may have to be: the strobes choose.
  always_ff @(posedge clk_i) begin
    if (awake) begin
      if (raw_row) begin
        wdata_q <= read_data_i;
      end else if (put) begin
        case (result_q)
          cpe_isa_pkg::NumberFp16: begin
            for (int unsigned p = 0; p < 2; p++) begin
              for (int unsigned i = 0; i < Lanes; i++) begin
                wdata_q[128*p + 16*Lanes*32'(result_tag[BeatBits-1:0]) + 16*i +: 16] <= results[32*i +: 16];
              end
            end
          end
          cpe_isa_pkg::NumberInt8: begin
            for (int unsigned p = 0; p < 4; p++) begin
              for (int unsigned i = 0; i < Lanes; i++) begin
                wdata_q[64*p + 8*Lanes*32'(result_tag[BeatBits-1:0]) + 8*i +: 8] <= results[32*i +: 8];
              end
            end
          end
          default: wdata_q[32*Lanes*result_tag[BeatBits-1:0] +: 32*Lanes] <= results;
        endcase
      end
    end
  end

  // --- Words that are read, requests ------------------------------------------------------------------------------------

  logic [17:5] word_at;
  logic        ask, word_beyond, fault, all_stored;

  always_comb begin
    word_at     = '0;
    ask         = 1'b0;
    word_beyond = 1'b0;
    fault       = 1'b0;
    all_stored  = 1'b0;
    if (awake) begin
      fault      = store && out_beyond;
      all_stored = state_q == StateFinish && !lanes_busy && req_free && !store;
      if (state_q == StateAsk) begin
        case (word_q)
          WordFactors: word_at = factors_at_q;
          WordBiases:  word_at = biases_at_q;
          default:     word_at = row_factors_at_q;
        endcase
        // Beyond the memory: first what comes before it is written.
        word_beyond = word_at[17] && !lanes_busy && !req_valid_q;
        // Results that wait for the request go first.
        ask = !word_at[17] && req_free && !(result_valid && result_tag[3]);
        if (word_beyond) fault = 1'b1;
      end
    end
  end

  assign d_valid_o       = req_valid_q;
  assign d_write_o       = req_write_q;
  assign d_addr_o        = req_addr_q;
  assign d_strb_o        = strb_q;
  assign d_wdata_o       = wdata_q;
  assign half_busy_o     = half_busy_q;
  assign done_o          = done_q;
  assign busy_o          = busy_q;
  assign fault_valid_o   = fault_q;
  assign fault_write_o   = fault_write_q;
  assign fault_pc_o      = pc_q;
  assign fault_address_o = fault_at_q;
  assign job_ready_o     = awake_q && state_q == StateIdle && !halt_i;

  // --- What follows -----------------------------------------------------------------------------------------------------

  always_comb begin
    awake = 1'b0;
    if (awake_i) awake = awake_q || !rst_ni;
  end

  state_e state;                       // the next one
  word_e  word;

  // Nobody else reads the two, which would be variables of the process, were they not of types of this module.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin : p_drain
    logic        sleeps, stopped, begins, here;
    logic [1:0]  half_busy;
    logic [8:0]  tiles, row, out_row;
    logic [7:0]  sum_row;
    logic [3:0]  slot;
    logic [17:0] out_at, out_tile;
    logic [17:5] factors_at, biases_at, row_factors_at;
    {sleeps, stopped, begins, here, half_busy, tiles, row, out_row, sum_row, slot, out_at, out_tile, factors_at, biases_at,
     row_factors_at} = '0;
    if (awake || job_valid_i) begin
      sleeps = !job_valid_i || fault_q;
      if (awake) begin
        state          = state_q;
        word           = word_q;
        stopped        = fault_q || (fault && !halt_i);
        half_busy      = half_busy_q;
        tiles          = tiles_q;
        row            = row_q;
        sum_row        = sum_row_q;
        here           = here_q;
        slot           = slot_q;
        out_at         = out_at_q;
        out_tile       = out_tile_q;
        out_row        = out_row_q;
        factors_at     = factors_at_q;
        biases_at      = biases_at_q;
        row_factors_at = row_factors_at_q;
        begins         = 1'b0;
        sleeps         = ((state_q == StateIdle && !job_valid_i) || state_q == StateStopped) && !req_valid_q && !lanes_busy && !done_q;

        if (store) begin
          out_at  = out_next;
          out_row = out_row_last ? rows_q : out_row - 9'd1;
          if (out_row_last) out_tile = out_next;
        end

        case (state_q)
          StateIdle: begin
            if (job_valid_i) begin
              begins    = 1'b1;
              state     = job_i.result == cpe_isa_pkg::NumberInt32 ? StateRows : StateAsk;
              half_busy = {job_i.half, !job_i.half};
            end
          end
          StateAsk: if (ask) state = StateTake;
          StateTake: begin
            // The request was granted one cycle ago.
            if (!req_valid_q) begin
              case (word_q)
                WordFactors: begin
                  state      = bias_q || row_factors_q ? StateAsk : StateRows;
                  word       = bias_q ? WordBiases : WordRowFactors;
                  factors_at = factors_at + 13'd1;
                  factors_q  <= d_rdata_i;
                end
                WordBiases: begin
                  state     = row_factors_q ? StateAsk : StateRows;
                  word      = WordRowFactors;
                  biases_at = biases_at + 13'd1;
                  biases_q  <= d_rdata_i;
                end
                default: begin
                  state          = StateRows;
                  row_factors_at = row_factors_at + 13'd1;
                end
              endcase
            end
          end
          StateRows: begin
            if (read_valid_o) sum_row = sum_row + 8'd1;
            here = read_valid_o || (here && !row_done);
            if (issue) slot = slot_last ? '0 : row_factors_q || slot[1:0] != 2'd3 ? slot + 4'd1 : 4'd8;
            if (row_done) begin
              if (pause) state = job_last ? StateFinish : StateAsk;
              if (job_last) half_busy = '0;
              row = row + 9'd1;
              if (tile_last) begin
                row            = '0;
                tiles          = tiles - 9'd1;
                word           = WordFactors;
                row_factors_at = row_factors_from_q;
              end
            end
          end
          StateFinish: if (all_stored) state = StateIdle;
          default: ;
        endcase
        if (begins) begin
          word               = WordFactors;
          tiles              = job_i.tiles;
          row                = '0;
          sum_row            = '0;
          here               = 1'b0;
          slot               = '0;
          out_at             = job_i.out;
          out_tile           = job_i.out;
          out_row            = job_i.rows;
          factors_at         = job_i.factors[17:5];
          biases_at          = job_i.biases[17:5];
          row_factors_at     = job_i.factors_of_rows[17:5];
        end
        if (halt_i) begin
          if (state_q != StateStopped) state = StateIdle;
          half_busy = '0;
        end else if (fault) begin
          state     = StateStopped;
          half_busy = '0;
        end

        if (fault) begin
          fault_write_q <= !word_beyond;
          fault_at_q    <= word_beyond ? {word_at[16:5], 5'd0} : out_at_q[16:0];
        end
        if (store) begin
          req_write_q <= 1'b1;
          req_addr_q  <= out_at_q[16:5];
          strb_q      <= out_strb;
        end else if (ask) begin
          req_write_q <= 1'b0;
          req_addr_q  <= word_at[16:5];
        end

        done_q  <= all_stored && last_q && !halt_i && rst_ni;
        if (req_free || !rst_ni) req_valid_q <= !halt_i && !fault_q && (ask || (store && !out_beyond)) && rst_ni;
        if (!rst_ni) begin
          state     = StateIdle;
          half_busy = '0;
          stopped   = 1'b0;
        end
        if (begins) begin
          half_q             <= job_i.half;
          raw_q              <= job_i.result == cpe_isa_pkg::NumberInt32;
          result_q           <= job_i.result;
          row_factors_q      <= job_i.row_factors && job_i.result != cpe_isa_pkg::NumberInt32;
          bias_q             <= job_i.bias;
          clamp_q            <= job_i.clamp;
          last_q             <= job_i.last;
          rows_q             <= job_i.rows;
          least_q            <= job_i.least;
          largest_q          <= job_i.largest;
          pc_q               <= job_i.pc;
          row_stride_q       <= job_i.row_stride;
          tile_stride_q      <= job_i.tile_stride;
          row_factors_from_q <= job_i.factors_of_rows[17:5];
        end
        busy_q           <= state != StateIdle && state != StateStopped;
        state_q          <= state;
        word_q           <= word;
        fault_q          <= stopped;
        half_busy_q      <= half_busy;
        tiles_q          <= tiles;
        row_q            <= row;
        sum_row_q        <= sum_row;
        here_q           <= here;
        slot_q           <= slot;
        out_at_q         <= out_at;
        out_tile_q       <= out_tile;
        out_row_q        <= out_row;
        factors_at_q     <= factors_at;
        biases_at_q      <= biases_at;
        row_factors_at_q <= row_factors_at;
      end
      awake_q <= !sleeps && rst_ni;
    end
  end
  /* verilator lint_on BLKSEQ */

endmodule
