// The HBM controller and its memory, with the commands between them for the timing checker.
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

  logic         rvalid, rpoison;
  logic [511:0] wdata, rdata;
  logic [63:0]  wstrb;

  hbm_ctrl u_hbm (
    .clk_i,
    .rst_ni,
    .req_valid_i,
    .req_ready_o,
    .req_i,
    .rsp_valid_o,
    .rsp_ready_i,
    .rsp_o,
    .cmd_o,
    .wdata_o   (wdata),
    .wstrb_o   (wstrb),
    .rvalid_i  (rvalid),
    .rdata_i   (rdata),
    .rpoison_i (rpoison),
    .events_o,
    .poison_line_o,
    .busy_o
  );

  hbm_phy u_phy (
    .clk_i,
    .rst_ni,
    .group_i (2'd1),
    .cmd_i   (cmd_o),
    .wdata_i (wdata),
    .wstrb_i (wstrb),
    .rvalid_o(rvalid),
    .rdata_o (rdata),
    .poison_o(rpoison)
  );

endmodule
