// A core group with a small HBM: 64 MiB.
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

  cg #(
    .HbmLinesLog2(20)
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
    .fault_o,
    .busy_o
  );

  assign cmd_o = u_cg.u_hbm.cmd;

endmodule
