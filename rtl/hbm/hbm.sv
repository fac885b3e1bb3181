// SPDX-License-Identifier: Apache-2.0
// The HBM of a core group: controller, PHY, and the gate that stops their clock while the memory is in self-refresh. See
// hbm_ctrl for the contract.
module hbm #(
  parameter int unsigned LinesLog2 = hbm_pkg::LineWidth
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [1:0]       group_i,        // constant

  input  logic             req_valid_i,    // from registers: opens the gate
  output logic             req_ready_o,
  input  noc_pkg::req_t    req_i,
  output logic             rsp_valid_o,
  input  logic             rsp_ready_i,
  output noc_pkg::rsp_t    rsp_o,

  output hbm_pkg::events_t events_o,       // none while the clock stands
  output logic [27:0]      poison_line_o,
  output logic             busy_o
);

  logic          clk, awake;
  hbm_pkg::cmd_t cmd;
  logic [511:0]  wdata, rdata;
  logic [63:0]   wstrb;
  logic          rvalid, rpoison;

  clock_gate u_gate (
    .clk_i,
    .en_i (!rst_ni || awake || req_valid_i),
    .clk_o(clk)
  );

  hbm_ctrl #(
    .LinesLog2(LinesLog2)
  ) u_ctrl (
    .clk_i        (clk),
    .rst_ni,
    .req_valid_i,
    .req_ready_o,
    .req_i,
    .rsp_valid_o,
    .rsp_ready_i,
    .rsp_o,
    .cmd_o        (cmd),
    .wdata_o      (wdata),
    .wstrb_o      (wstrb),
    .rvalid_i     (rvalid),
    .rdata_i      (rdata),
    .rpoison_i    (rpoison),
    .events_o,
    .poison_line_o,
    .busy_o,
    .awake_o      (awake)
  );

  hbm_phy u_phy (
    .clk_i   (clk),
    .rst_ni,
    .group_i,
    .cmd_i   (cmd),
    .wdata_i (wdata),
    .wstrb_i (wstrb),
    .rvalid_o(rvalid),
    .rdata_o (rdata),
    .poison_o(rpoison)
  );

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (awake || events_o == '0) else $error("events while the clock stands");
    end
  end
`endif

endmodule
