// The systolic unit of a CPE: y[m][n] = sum over k of x[m][k] * w[k][n], tile by tile, in an array of 8 x 8 multipliers that holds
// weights while rows of activations pass. docs/systolic.md tells how programs see it and how it works.
//
// Three walk through the loops of a run, each as far ahead of the next as it can: the loader of weights, the feed of activations, and
//   the sequence, which lets rows enter the array; behind it sums and drain. The next run waits in one place for all three.
// Orders: runs become complete in their order.
// Fault: in the order of the program. Blocks before the one that fails are stored, then fault_valid_o rises, and nothing moves any more.
// Halt: as with a fault, at once and for good; a request that is offered stays until it is taken.
// Cuts: all paths between core and memory. issue_ready_o, issue_rdata_o and issue_bad_o follow issue_i in the same cycle. x_valid_o,
//   w_valid_o and d_valid_o do not follow a ready.
module cpe_systolic #(
  parameter bit Sparse = 1'b1  // else runs with sparse weights are refused
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            halt_i,

  input  logic            issue_valid_i,
  input  cpe_pkg::issue_t issue_i,
  output logic            issue_ready_o,
  output logic [31:0]     issue_rdata_o,
  output logic            issue_bad_o,

  output logic            x_valid_o,       // activations
  input  logic            x_ready_i,
  output logic [16:5]     x_addr_o,
  input  logic [255:0]    x_rdata_i,       // from the cycle after a read was taken until the next one is

  output logic            w_valid_o,       // weights, scales, indices
  input  logic            w_ready_i,
  output logic [16:5]     w_addr_o,
  input  logic [255:0]    w_rdata_i,       // the same

  output logic            d_valid_o,       // the drain: factors and results
  input  logic            d_ready_i,
  output logic            d_write_o,
  output logic [16:5]     d_addr_o,
  output logic [255:0]    d_wdata_o,
  output logic [31:0]     d_strb_o,
  input  logic [255:0]    d_rdata_i,

  output logic            fault_valid_o,
  output cpe_pkg::fault_t fault_o,
  output logic            busy_o,          // a run is not complete
  output logic            awake_o,         // needs its clock: for some cycles longer
  output logic            event_row_o,     // a row enters the array
  output logic            event_wait_weights_o,
  output logic            event_wait_activations_o,
  output logic            event_wait_drain_o
);

  // --- The door -----------------------------------------------------------------------------------------------------

  logic            clk, rst_n, halt, issue_valid, x_ready, w_ready, d_ready;
  cpe_pkg::issue_t issue;
  logic [255:0]    x_rdata, w_rdata, d_rdata;

  cpe_unit_gate u_gate (
    .clk_i,
    .en_i(awake_o || issue_valid_i || !rst_ni),
    .clk_o(clk),
    .rst_ni,
    .rst_no(rst_n),
    .halt_i,
    .halt_o(halt),
    .issue_valid_i,
    .issue_valid_o(issue_valid),
    .issue_i,
    .issue_o(issue),
    .ready_i({d_ready_i, w_ready_i, x_ready_i}),
    .ready_o({d_ready, w_ready, x_ready}),
    .rdata0_i(x_rdata_i),
    .rdata0_o(x_rdata),
    .rdata1_i(w_rdata_i),
    .rdata1_o(w_rdata),
    .rdata2_i(d_rdata_i),
    .rdata2_o(d_rdata)
  );

  logic        awake;           // else nothing happens but commands: costs a simulator next to nothing
  logic        stop;            // for good
  logic        front_fault, drain_fault, drain_fault_write;
  logic [31:0] front_pc, drain_pc;
  logic [16:0] front_address, drain_address;

  assign stop          = halt || front_fault || drain_fault;
  assign fault_valid_o = front_fault || drain_fault;
  // In the order of fault_t.
  assign fault_o       = {cpe_pkg::CauseCommand, drain_fault && drain_fault_write ? cpe_pkg::AccessWrite : cpe_pkg::AccessRead, 1'b1,
                          drain_fault ? drain_pc : front_pc, cpe_pkg::NoSegment,
                          16'd0, cpe_pkg::SpaceLdm, 10'd0, 1'b1, drain_fault ? drain_address : front_address};

  assign awake_o = awake;

  // --- Commands -----------------------------------------------------------------------------------------------------

  logic                   weights_run, feed_run, sequence_run;
  logic                   weights_take, feed_take, sequence_take;
  cpe_systolic_pkg::run_t next;
  logic                   complete;

  cpe_systolic_command #(.Sparse(Sparse)) u_command (
    .clk_i(clk),
    .rst_ni(rst_n),
    .halt_i(halt),
    .issue_valid_i(issue_valid),
    .issue_i(issue),
    .issue_ready_o,
    .issue_rdata_o,
    .issue_bad_o,
    .run_o(next),
    .weights_valid_o(weights_run),
    .weights_take_i(weights_take),
    .feed_valid_o(feed_run),
    .feed_take_i(feed_take),
    .sequence_valid_o(sequence_run),
    .sequence_take_i(sequence_take),
    .complete_i(complete),
    .busy_o,
    .linger_i(x_valid_o || w_valid_o || d_valid_o),
    .awake_o(awake)
  );

  // --- Weights ------------------------------------------------------------------------------------------------------

  logic         tile_valid, tile_take, tile_scaled, weights_outside;
  logic [511:0] tile_weights;
  logic [63:0]  tile_scales;
  logic [17:0]  weights_address;
  logic         index_valid, index_ready;
  logic [63:0]  index;

  cpe_systolic_weights #(.Sparse(Sparse)) u_weights (
    .clk_i(clk),
    .rst_ni(rst_n),
    .awake_i(awake),
    .stop_i(stop),
    .run_valid_i(weights_run),
    .run_i(next),
    .run_take_o(weights_take),
    .w_valid_o,
    .w_ready_i(w_ready),
    .w_addr_o,
    .w_rdata_i(w_rdata),
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
    .clk_i(clk),
    .rst_ni(rst_n),
    .awake_i(awake),
    .stop_i(stop),
    .run_valid_i(feed_run),
    .run_i(next),
    .run_take_o(feed_take),
    .x_valid_o,
    .x_ready_i(x_ready),
    .x_addr_o,
    .x_rdata_i(x_rdata),
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
  cpe_systolic_pkg::row_t       row_place;

  cpe_systolic_sequence u_sequence (
    .clk_i(clk),
    .rst_ni(rst_n),
    .awake_i(awake),
    .stop_i(stop),
    .run_valid_i(sequence_run),
    .run_i(next),
    .run_take_o(sequence_take),
    .tile_valid_i(tile_valid),
    .weights_outside_i(weights_outside),
    .weights_address_i(weights_address),
    .row_valid_i(row_valid),
    .feed_outside_i(feed_outside),
    .feed_address_i(feed_address),
    .enter_o(row_take),
    .place_o(row_place),
    .job_valid_o(job_valid),
    .job_ready_i(job_ready),
    .job_o(job),
    .half_busy_i(half_busy),
    .drain_busy_i(drain_busy),
    .drain_done_i(drain_done),
    .complete_o(complete),
    .fault_valid_o(front_fault),
    .fault_pc_o(front_pc),
    .fault_address_o(front_address),
    .event_wait_weights_o,
    .event_wait_activations_o,
    .event_wait_drain_o
  );

  assign tile_take   = row_place.swap;
  assign event_row_o = row_take;

  // --- Products, sums, results --------------------------------------------------------------------------------------

  logic         sum_valid, sum_half, sum_first, read_valid, read_half;
  logic [7:0]   sum_row, read_row;
  logic [255:0] sum_data, read_data;

  cpe_systolic_array u_array (
    .clk_i(clk),
    .rst_ni(rst_n),
    .awake_i(awake),
    .enter_i(row_take),
    .place_i(row_place),
    .row0_i(row0),
    .row1_i(row1),
    .weights_i(tile_weights),
    .scaled_i(tile_scaled),
    .scales_i(tile_scales),
    .sum_valid_o(sum_valid),
    .sum_half_o(sum_half),
    .sum_row_o(sum_row),
    .sum_first_o(sum_first),
    .sum_data_o(sum_data)
  );

  cpe_systolic_sums u_sums (
    .clk_i(clk),
    .rst_ni(rst_n),
    .awake_i(awake),
    .sum_valid_i(sum_valid),
    .sum_half_i(sum_half),
    .sum_row_i(sum_row),
    .sum_first_i(sum_first),
    .sum_data_i(sum_data),
    .read_valid_i(read_valid),
    .read_half_i(read_half),
    .read_row_i(read_row),
    .read_data_o(read_data)
  );

  cpe_systolic_drain u_drain (
    .clk_i(clk),
    .rst_ni(rst_n),
    .awake_i(awake),
    .halt_i(stop),
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
    .d_ready_i(d_ready),
    .d_write_o,
    .d_addr_o,
    .d_wdata_o,
    .d_strb_o,
    .d_rdata_i(d_rdata),
    .fault_valid_o(drain_fault),
    .fault_write_o(drain_fault_write),
    .fault_pc_o(drain_pc),
    .fault_address_o(drain_address),
    .busy_o(drain_busy)
  );

endmodule
