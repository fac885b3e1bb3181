// SPDX-License-Identifier: Apache-2.0
// The systolic unit, its command and its fault field by field.
module tb_systolic #(
  parameter bit Serial = 1'b0
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         halt_i,

  input  logic         issue_valid_i,
  input  logic [3:0]   issue_target_i,
  input  logic [6:0]   issue_op_i,
  input  logic [31:0]  issue_rs1_i,
  input  logic [31:0]  issue_rs2_i,
  input  logic [31:0]  issue_pc_i,
  output logic         issue_ready_o,
  output logic [31:0]  issue_rdata_o,
  output logic         issue_bad_o,

  output logic         x_valid_o,
  input  logic         x_ready_i,
  output logic [11:0]  x_addr_o,
  input  logic [255:0] x_rdata_i,
  output logic         w_valid_o,
  input  logic         w_ready_i,
  output logic [11:0]  w_addr_o,
  input  logic [255:0] w_rdata_i,
  output logic         d_valid_o,
  input  logic         d_ready_i,
  output logic         d_write_o,
  output logic [11:0]  d_addr_o,
  output logic [255:0] d_wdata_o,
  output logic [31:0]  d_strb_o,
  input  logic [255:0] d_rdata_i,

  output logic         fault_valid_o,
  output logic [4:0]   fault_cause_o,
  output logic [1:0]   fault_access_o,
  output logic         fault_dma_o,
  output logic [31:0]  fault_pc_o,
  output logic [15:0]  fault_segment_o,
  output logic [47:0]  fault_offset_o,
  output logic         busy_o,
  output logic         event_row_o,
  output logic         event_wait_weights_o,
  output logic         event_wait_activations_o,
  output logic         event_wait_drain_o
);

  cpe_pkg::issue_t issue;
  cpe_pkg::fault_t fault;

  always_comb begin
    issue.target = issue_target_i;
    issue.op     = issue_op_i;
    issue.rs1    = issue_rs1_i;
    issue.rs2    = issue_rs2_i;
    issue.pc     = issue_pc_i;
  end

  assign fault_cause_o   = fault.cause;
  assign fault_access_o  = fault.access;
  assign fault_dma_o     = fault.dma;
  assign fault_pc_o      = fault.pc;
  assign fault_segment_o = fault.segment;
  assign fault_offset_o  = fault.offset;

  fp32_serial_pkg::request_t request;
  logic [31:0]            operand;
  logic [1:0]             which;
  fp32_serial_pkg::answer_t  answer;

  if (Serial) begin : g_math
    fp32_serial_pkg::request_t other_request;
    logic [31:0]            other_operand;
    fp32_serial_pkg::answer_t  other_answer;

    tb_math_user u_other (
      .clk_i,
      .rst_ni,
      .math_o(other_request),
      .math_operand_o(other_operand),
      .math_i(other_answer)
    );

    cpe_math u_math (
      .clk_i,
      .which_o(which),
      .vector_i(other_request),
      .vector_operand_i(other_operand),
      .vector_o(other_answer),
      .drain_i(request),
      .drain_operand_i(operand),
      .drain_o(answer)
    );
  end else begin : g_no_math
    assign {which, answer} = '0;
  end

  cpe_systolic #(
    .Serial(Serial)
  ) u_systolic (
    .clk_i,
    .rst_ni,
    .halt_i,
    .issue_valid_i,
    .issue_i(issue),
    .issue_ready_o,
    .issue_rdata_o,
    .issue_bad_o,
    .x_valid_o,
    .x_ready_i,
    .x_addr_o,
    .x_rdata_i,
    .w_valid_o,
    .w_ready_i,
    .w_addr_o,
    .w_rdata_i,
    .d_valid_o,
    .d_ready_i,
    .d_write_o,
    .d_addr_o,
    .d_wdata_o,
    .d_strb_o,
    .d_rdata_i,
    .fault_valid_o,
    .fault_o(fault),
    .busy_o,
    .awake_o(),
    .event_row_o,
    .event_wait_o({event_wait_drain_o, event_wait_activations_o, event_wait_weights_o}),
    .math_o(request),
    .math_operand_o(operand),
    .math_which_i(which),
    .math_i(answer)
  );

endmodule
