// SPDX-License-Identifier: Apache-2.0
// A core group alone: group 0 with its HBM, and the two ports that the ring would have. Who plays the management processor is C++
// (group_sim). Used by the tests here and by cpe-run.
module group_top #(
  parameter int unsigned Rows        = 4,
  parameter int unsigned Columns     = 8,
  parameter bit          SharedClock = 1'b1,
  parameter bit          SmallCpes   = 1'b0
) (
  input  logic          clk_i,
  input  logic          rst_ni,
  input  logic          req_valid_i,
  output logic          req_ready_o,
  input  noc_pkg::req_t req_i,
  output logic          rsp_valid_o,
  input  logic          rsp_ready_i,
  output noc_pkg::rsp_t rsp_o,
  output logic          out_valid_o,
  input  logic          out_ready_i,
  output noc_pkg::req_t out_o,
  input  logic          in_valid_i,
  input  noc_pkg::rsp_t in_i,
  output logic          fault_o,
  output logic          cpe_fault_o,
  output logic          busy_o
);

  cg #(
    .Rows       (Rows),
    .Columns    (Columns),
    .SharedClock(SharedClock),
    .SmallCpes  (SmallCpes)
  ) u_cg (
    .clk_i,
    .rst_ni,
    .group_i        (2'd0),
    .tgt_req_valid_i(req_valid_i),
    .tgt_req_ready_o(req_ready_o),
    .tgt_req_i      (req_i),
    .tgt_rsp_valid_o(rsp_valid_o),
    .tgt_rsp_ready_i(rsp_ready_i),
    .tgt_rsp_o      (rsp_o),
    .ini_req_valid_o(out_valid_o),
    .ini_req_ready_i(out_ready_i),
    .ini_req_o      (out_o),
    .ini_rsp_valid_i(in_valid_i),
    .ini_rsp_i      (in_i),
    .fault_o,
    .cpe_fault_o,
    .busy_o
  );

endmodule
