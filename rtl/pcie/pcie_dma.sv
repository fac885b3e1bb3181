// SPDX-License-Identifier: Apache-2.0
// The DMA engine and the gate on its clock: while nothing is under way only an access, a completion or an answer of the ring
// lets it tick. docs/hardware/dma.md tells what the engine promises and how it works.
module pcie_dma (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  pcie_pkg::config_t     config_i,

  input  reg_pkg::reg_req_t     reg_req_i,
  output reg_pkg::reg_rsp_t     reg_rsp_o,

  output logic                  p_valid_o,
  input  logic                  p_ready_i,
  output tlp_pkg::beat_t        p_beat_o,
  output logic                  np_valid_o,
  input  logic                  np_ready_i,
  output tlp_pkg::beat_t        np_beat_o,
  input  logic                  cpl_valid_i,
  input  tlp_pkg::beat_t        cpl_beat_i,
  output logic                  irq_valid_o,
  input  logic                  irq_ready_i,
  output logic [4:0]            irq_vector_o,

  output logic                  noc_req_valid_o,
  input  logic                  noc_req_ready_i,
  output noc_pkg::req_t         noc_req_o,
  input  logic                  noc_rsp_valid_i,
  input  noc_pkg::rsp_t         noc_rsp_i,

  output logic [7:0]            work_o,
  output pcie_pkg::dma_errors_t errors_o,
  output logic                  busy_o
);

  // Pulses of errors end with the next tick; they keep the clock on. A function reset is a level that may last for as long
  // as the link is down: its changes matter, what they cause shows in busy_o.
  logic       awake, clk;
  logic [3:0] flr_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) flr_q <= '1;
    else         flr_q <= {flr_q[2:0], config_i.flr};
  end
  assign awake = !rst_ni || busy_o || errors_o != '0 || reg_req_i.valid || cpl_valid_i || noc_rsp_valid_i ||
                 {flr_q, config_i.flr} != {5{config_i.flr}};
  clock_gate u_gate (
    .clk_i,
    .en_i  (awake),
    .clk_o (clk)
  );

  logic [7:0] begun, ended;
  dma_engine u_engine (
    .clk_i   (clk),
    .rst_ni,
    .config_i,
    .reg_req_i,
    .reg_rsp_o,
    .p_valid_o,
    .p_ready_i,
    .p_beat_o,
    .np_valid_o,
    .np_ready_i,
    .np_beat_o,
    .cpl_valid_i,
    .cpl_beat_i,
    .irq_valid_o,
    .irq_ready_i,
    .irq_vector_o,
    .noc_req_valid_o,
    .noc_req_ready_i,
    .noc_req_o,
    .noc_rsp_valid_i,
    .noc_rsp_i,
    .work_o,
    .errors_o,
    .begun_o (begun),
    .ended_o (ended),
    .busy_o
  );

  // Descriptors that begin and end, one bit for each channel: a trace takes them from here.
  logic unused_trace;
  assign unused_trace = ^{begun, ended};

endmodule
