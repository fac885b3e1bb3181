// SPDX-License-Identifier: Apache-2.0
// The accumulators and the drain of the systolic unit, without the array. The job's fields are ports of their own.
module tb_drain #(
  parameter int unsigned Lanes = 2
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         halt_i,

  input  logic         sum_valid_i,
  input  logic         sum_half_i,
  input  logic [7:0]   sum_row_i,
  input  logic         sum_first_i,
  input  logic [255:0] sum_data_i,

  input  logic         job_valid_i,
  output logic         job_ready_o,
  input  logic         job_half_i,
  input  logic [8:0]   job_tiles_i,
  input  logic [8:0]   job_rows_i,
  input  logic [1:0]   job_result_i,
  input  logic         job_row_factors_i,
  input  logic         job_bias_i,
  input  logic         job_clamp_i,
  input  logic [17:0]  job_out_i,
  input  logic [17:0]  job_row_stride_i,
  input  logic [17:0]  job_tile_stride_i,
  input  logic [17:0]  job_factors_i,
  input  logic [17:0]  job_biases_i,
  input  logic [17:0]  job_factors_of_rows_i,
  input  logic [31:0]  job_least_i,
  input  logic [31:0]  job_largest_i,
  input  logic [31:0]  job_pc_i,
  input  logic         job_last_i,
  output logic [1:0]   half_busy_o,
  output logic         done_o,

  output logic         d_valid_o,
  input  logic         d_ready_i,
  output logic         d_write_o,
  output logic [11:0]  d_addr_o,
  output logic [255:0] d_wdata_o,
  output logic [31:0]  d_strb_o,
  input  logic [255:0] d_rdata_i,

  output logic         fault_valid_o,
  output logic         fault_write_o,
  output logic [31:0]  fault_pc_o,
  output logic [47:0]  fault_offset_o,
  output logic         busy_o
);

  cpe_systolic_pkg::drain_job_t job;
  logic [16:0]                  fault_address;
  logic                         read_valid, read_half;
  logic [7:0]                   read_row;
  logic [255:0]                 read_data;

  always_comb begin
    job.half            = job_half_i;
    job.tiles           = job_tiles_i;
    job.rows            = job_rows_i;
    job.result          = job_result_i;
    job.row_factors     = job_row_factors_i;
    job.bias            = job_bias_i;
    job.clamp           = job_clamp_i;
    job.out             = job_out_i;
    job.row_stride      = job_row_stride_i;
    job.tile_stride     = job_tile_stride_i;
    job.factors         = job_factors_i;
    job.biases          = job_biases_i;
    job.factors_of_rows = job_factors_of_rows_i;
    job.least           = job_least_i;
    job.largest         = job_largest_i;
    job.pc              = job_pc_i;
    job.last            = job_last_i;
  end

  cpe_systolic_sums u_sums (
    .clk_i,
    .rst_ni,
    .awake_i(1'b1),
    .sum_valid_i,
    .sum_place_i({sum_half_i, sum_row_i}),
    .sum_first_i,
    .sum_data_i,
    .read_valid_i(read_valid),
    .read_half_i (read_half),
    .read_row_i  (read_row),
    .read_data_o (read_data)
  );

  cpe_systolic_drain #(.Lanes(Lanes)) u_drain (
    .clk_i,
    .rst_ni,
    .awake_i(1'b1),
    .halt_i,
    .job_valid_i,
    .job_ready_o,
    .job_i       (job),
    .half_busy_o,
    .done_o,
    .read_valid_o(read_valid),
    .read_half_o (read_half),
    .read_row_o  (read_row),
    .read_data_i (read_data),
    .d_valid_o,
    .d_ready_i,
    .d_write_o,
    .d_addr_o,
    .d_wdata_o,
    .d_strb_o,
    .d_rdata_i,
    .fault_valid_o,
    .fault_write_o,
    .fault_pc_o,
    .fault_address_o(fault_address),
    .busy_o
  );

  assign fault_offset_o = {16'd0, cpe_isa_pkg::SpaceLdm, 10'd0, 1'b1, fault_address};

endmodule
