// SPDX-License-Identifier: Apache-2.0
// A core group with a small HBM, 64 MiB, and one CPE, which stays in reset: the group asks nobody.
module tb_cg (
  input  logic          clk_i,
  input  logic          rst_ni,
  input  logic [1:0]    group_i,
  input  logic          req_valid_i,
  output logic          req_ready_o,
  input  noc_pkg::req_t req_i,
  output logic          rsp_valid_o,
  input  logic          rsp_ready_i,
  output noc_pkg::rsp_t rsp_o,
  output logic          fault_o,
  output logic          busy_o,
  output hbm_pkg::cmd_t cmd_o
);

  logic asks, cpe_fault;

  cg #(
    .HbmLinesLog2(20),
    .Rows        (1),
    .Columns     (1),
    .SharedClock (1'b1)
  ) u_cg (
    .clk_i,
    .rst_ni,
    .group_i,
    .tgt_req_valid_i(req_valid_i),
    .tgt_req_ready_o(req_ready_o),
    .tgt_req_i      (req_i),
    .tgt_rsp_valid_o(rsp_valid_o),
    .tgt_rsp_ready_i(rsp_ready_i),
    .tgt_rsp_o      (rsp_o),
    .ini_req_valid_o(asks),
    .ini_req_ready_i(1'b0),
    .ini_req_o      (),
    .ini_rsp_valid_i(1'b0),
    .ini_rsp_i      ('0),
    .fault_o,
    .cpe_fault_o    (cpe_fault),
    .busy_o
  );

  always_ff @(posedge clk_i) begin
    if (rst_ni) assert (!asks && !cpe_fault) else $error("a CPE that is in reset asks for something");
  end

  assign cmd_o = u_cg.u_hbm.cmd;

endmodule
