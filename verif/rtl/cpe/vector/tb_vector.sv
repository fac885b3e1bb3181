// SPDX-License-Identifier: Apache-2.0
// The vector unit of a CPE with its ports at the testbench's memory.
module tb_vector #(
  parameter int unsigned Lanes        = 8,
  parameter int unsigned SpecialLanes = 4
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            halt_i,

  input  logic            issue_valid_i,
  input  cpe_pkg::issue_t issue_i,
  output logic            issue_ready_o,
  output logic [31:0]     issue_rdata_o,
  output logic            issue_bad_o,

  // a, b, c, d
  output logic [3:0]      valid_o,
  input  logic [3:0]      ready_i,
  output logic [47:0]     addr_o,
  input  logic [767:0]    rdata_i,
  output logic            write_o,
  output logic [255:0]    wdata_o,
  output logic [31:0]     strb_o,

  output logic            fault_valid_o,
  output cpe_pkg::fault_t fault_o,
  output logic            busy_o,
  output logic            event_group_o,
  output logic            event_wait_operands_o,
  output logic            event_wait_store_o
);

  fp32_serial_pkg::request_t request;
  logic [31:0]            operand;
  logic [1:0]             which;
  fp32_serial_pkg::answer_t  answer;

  if (Lanes == 0) begin : g_math
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
      .vector_i(request),
      .vector_operand_i(operand),
      .vector_o(answer),
      .drain_i(other_request),
      .drain_operand_i(other_operand),
      .drain_o(other_answer)
    );
  end else begin : g_no_math
    assign {which, answer} = '0;
  end

  cpe_vector #(.Lanes(Lanes), .SpecialLanes(SpecialLanes)) u_vector (
    .clk_i,
    .rst_ni,
    .halt_i,
    .issue_valid_i,
    .issue_i,
    .issue_ready_o,
    .issue_rdata_o,
    .issue_bad_o,
    .a_valid_o(valid_o[0]),
    .a_ready_i(ready_i[0]),
    .a_addr_o(addr_o[11:0]),
    .a_rdata_i(rdata_i[255:0]),
    .b_valid_o(valid_o[1]),
    .b_ready_i(ready_i[1]),
    .b_addr_o(addr_o[23:12]),
    .b_rdata_i(rdata_i[511:256]),
    .c_valid_o(valid_o[2]),
    .c_ready_i(ready_i[2]),
    .c_addr_o(addr_o[35:24]),
    .c_rdata_i(rdata_i[767:512]),
    .d_valid_o(valid_o[3]),
    .d_ready_i(ready_i[3]),
    .d_write_o(write_o),
    .d_addr_o(addr_o[47:36]),
    .d_wdata_o(wdata_o),
    .d_strb_o(strb_o),
    .fault_valid_o,
    .fault_o,
    .busy_o,
    .awake_o(),
    .event_group_o,
    .event_wait_operands_o,
    .event_wait_store_o,
    .math_o(request),
    .math_operand_o(operand),
    .math_which_i(which),
    .math_i(answer)
  );

endmodule
