// SPDX-License-Identifier: Apache-2.0
// Computes the runs of the systolic unit at full speed.
//
// Three walk through the loops of a run, each as far ahead of the next as it can: the loader of weights, the feed of activations, and
//   the sequence, which lets rows enter the array; behind it sums and drain. The next run waits in one place for all three.
// stop_i, fault_*, *_valid_o: as those of cpe_systolic.
module cpe_systolic_pipeline #(
  parameter bit Sparse = 1'b1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   awake_i,
  input  logic                   stop_i,

  input  cpe_systolic_pkg::run_t run_i,
  input  logic                   weights_valid_i,
  output logic                   weights_take_o,
  input  logic                   feed_valid_i,
  output logic                   feed_take_o,
  input  logic                   sequence_valid_i,
  output logic                   sequence_take_o,
  output logic                   complete_o,

  output logic                   x_valid_o,
  input  logic                   x_ready_i,
  output logic [16:5]            x_addr_o,
  input  logic [255:0]           x_rdata_i,
  output logic                   w_valid_o,
  input  logic                   w_ready_i,
  output logic [16:5]            w_addr_o,
  input  logic [255:0]           w_rdata_i,
  output logic                   d_valid_o,
  input  logic                   d_ready_i,
  output logic                   d_write_o,
  output logic [16:5]            d_addr_o,
  output logic [255:0]           d_wdata_o,
  output logic [31:0]            d_strb_o,
  input  logic [255:0]           d_rdata_i,

  output logic                   fault_valid_o,
  output logic                   fault_write_o,
  output logic [31:0]            fault_pc_o,
  output logic [16:0]            fault_address_o, // less what local memory has
  output logic                   event_row_o,
  output logic [2:0]             event_wait_o
);

  logic        front_fault, drain_fault, drain_fault_write;
  logic [31:0] front_pc, drain_pc;
  logic [16:0] front_address, drain_address;

  assign fault_valid_o   = front_fault || drain_fault;
  assign fault_write_o   = drain_fault && drain_fault_write;
  assign fault_pc_o      = drain_fault ? drain_pc : front_pc;
  assign fault_address_o = drain_fault ? drain_address : front_address;

  // --- Weights ------------------------------------------------------------------------------------------------------

  logic         tile_valid, tile_take, tile_scaled, weights_outside;
  logic [511:0] tile_weights;
  logic [63:0]  tile_scales;
  logic [17:0]  weights_address;
  logic         index_valid, index_ready;
  logic [63:0]  index;

  cpe_systolic_weights #(.Sparse(Sparse)) u_weights (
    .clk_i,
    .rst_ni,
    .awake_i,
    .stop_i,
    .run_valid_i(weights_valid_i),
    .run_i,
    .run_take_o(weights_take_o),
    .w_valid_o,
    .w_ready_i,
    .w_addr_o,
    .w_rdata_i,
    .index_valid_o(index_valid),
    .index_ready_i(index_ready),
    .index_o(index),
    .tile_valid_o(tile_valid),
    .tile_take_i(tile_take),
    .weights_o(tile_weights),
    .scaled_o(tile_scaled),
    .scales_o(tile_scales),
    .outside_o(weights_outside),
    .address_o(weights_address)
  );

  // --- Activations --------------------------------------------------------------------------------------------------

  logic         row_valid, row_take, feed_outside;
  logic [63:0]  row0, row1;
  logic [17:0]  feed_address;

  cpe_systolic_feed #(.Sparse(Sparse)) u_feed (
    .clk_i,
    .rst_ni,
    .awake_i,
    .stop_i,
    .run_valid_i(feed_valid_i),
    .run_i,
    .run_take_o(feed_take_o),
    .x_valid_o,
    .x_ready_i,
    .x_addr_o,
    .x_rdata_i,
    .index_valid_i(index_valid),
    .index_ready_o(index_ready),
    .index_i(index),
    .row_valid_o(row_valid),
    .row_take_i(row_take),
    .row0_o(row0),
    .row1_o(row1),
    .outside_o(feed_outside),
    .address_o(feed_address)
  );

  // --- The loops ----------------------------------------------------------------------------------------------------

  logic                         job_valid, job_ready, drain_done, drain_busy;
  cpe_systolic_pkg::drain_job_t job;
  logic [1:0]                   half_busy;
  logic                         row_swap, row_first;
  logic [8:0]                   row_place;

  cpe_systolic_sequence u_sequence (
    .clk_i,
    .rst_ni,
    .awake_i,
    .stop_i,
    .run_valid_i(sequence_valid_i),
    .run_i,
    .run_take_o(sequence_take_o),
    .tile_valid_i(tile_valid),
    .weights_outside_i(weights_outside),
    .weights_address_i(weights_address),
    .row_valid_i(row_valid),
    .feed_outside_i(feed_outside),
    .feed_address_i(feed_address),
    .enter_o(row_take),
    .swap_o(row_swap),
    .place_o(row_place),
    .first_o(row_first),
    .job_valid_o(job_valid),
    .job_ready_i(job_ready),
    .job_o(job),
    .half_busy_i(half_busy),
    .drain_busy_i(drain_busy),
    .drain_done_i(drain_done),
    .complete_o,
    .fault_valid_o(front_fault),
    .fault_pc_o(front_pc),
    .fault_address_o(front_address),
    .event_wait_o
  );

  assign tile_take   = row_swap;
  assign event_row_o = row_take;

  // --- Products, sums, results --------------------------------------------------------------------------------------

  logic         sum_valid, sum_first, read_valid, read_half;
  logic [8:0]   sum_place;
  logic [7:0]   read_row;
  logic [255:0] sum_data, read_data;

  cpe_systolic_array u_array (
    .clk_i,
    .rst_ni,
    .awake_i,
    .enter_i(row_take),
    .swap_i(row_swap),
    .place_i(row_place),
    .first_i(row_first),
    .row0_i(row0),
    .row1_i(row1),
    .weights_i(tile_weights),
    .scaled_i(tile_scaled),
    .scales_i(tile_scales),
    .sum_valid_o(sum_valid),
    .sum_place_o(sum_place),
    .sum_first_o(sum_first),
    .sum_data_o(sum_data)
  );

  cpe_systolic_sums u_sums (
    .clk_i,
    .rst_ni,
    .awake_i,
    .sum_valid_i(sum_valid),
    .sum_place_i(sum_place),
    .sum_first_i(sum_first),
    .sum_data_i(sum_data),
    .read_valid_i(read_valid),
    .read_half_i(read_half),
    .read_row_i(read_row),
    .read_data_o(read_data)
  );

  cpe_systolic_drain u_drain (
    .clk_i,
    .rst_ni,
    .awake_i,
    .halt_i(stop_i),
    .job_valid_i(job_valid),
    .job_ready_o(job_ready),
    .job_i(job),
    .half_busy_o(half_busy),
    .done_o(drain_done),
    .read_valid_o(read_valid),
    .read_half_o(read_half),
    .read_row_o(read_row),
    .read_data_i(read_data),
    .d_valid_o,
    .d_ready_i,
    .d_write_o,
    .d_addr_o,
    .d_wdata_o,
    .d_strb_o,
    .d_rdata_i,
    .fault_valid_o(drain_fault),
    .fault_write_o(drain_fault_write),
    .fault_pc_o(drain_pc),
    .fault_address_o(drain_address),
    .busy_o(drain_busy)
  );

endmodule
