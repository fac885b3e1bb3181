// SPDX-License-Identifier: Apache-2.0
// The HBM as group 1 has it, with the commands inside for the timing checker.
module tb_hbm (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             req_valid_i,
  output logic             req_ready_o,
  input  noc_pkg::req_t    req_i,
  output logic             rsp_valid_o,
  input  logic             rsp_ready_i,
  output noc_pkg::rsp_t    rsp_o,
  output hbm_pkg::cmd_t    cmd_o,
  output hbm_pkg::events_t events_o,
  output logic [27:0]      poison_line_o,
  output logic             busy_o
);

  hbm u_hbm (
    .clk_i,
    .rst_ni,
    .group_i(2'd1),
    .req_valid_i,
    .req_ready_o,
    .req_i,
    .rsp_valid_o,
    .rsp_ready_i,
    .rsp_o,
    .events_o,
    .poison_line_o,
    .busy_o
  );

  // While the clock stands the last commands stand, too.
  always_comb begin
    cmd_o = '0;
    if (u_hbm.awake || u_hbm.cmd.sleep) cmd_o = u_hbm.cmd;
  end

endmodule
