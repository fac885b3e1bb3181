// SPDX-License-Identifier: Apache-2.0
// The PCIe side of the card: endpoint and DMA engine, with one initiator port and one target port on the ring.
//
// The two share the initiator port in turns; tags tell their answers apart (the engine's are below 128).
module pcie (
  input  logic              clk_i,
  input  logic              rst_ni,          // power-on

  // Wire.
  input  logic              link_up_i,
  output logic              tx_valid_o,
  input  logic              tx_ready_i,
  output tlp_pkg::beat_t    tx_beat_o,
  input  tlp_pkg::credits_t tx_limit_i,
  input  logic              rx_valid_i,
  input  tlp_pkg::beat_t    rx_beat_i,
  output tlp_pkg::credits_t rx_limit_o,

  // Ring.
  output logic              noc_req_valid_o,
  input  logic              noc_req_ready_i,
  output noc_pkg::req_t     noc_req_o,
  input  logic              noc_rsp_valid_i,
  input  noc_pkg::rsp_t     noc_rsp_i,
  input  logic              tgt_req_valid_i,
  output logic              tgt_req_ready_o,
  input  noc_pkg::req_t     tgt_req_i,
  output logic              tgt_rsp_valid_o,
  input  logic              tgt_rsp_ready_i,
  output noc_pkg::rsp_t     tgt_rsp_o,

  // Card.
  input  logic [63:0]       card_i,          // register pcie.card
  input  logic [63:0]       serial_i,
  input  logic [31:0]       boot_status_i,
  output logic [4:0]        reset_req_o,     // pulses: processor, groups 0 to 3
  input  logic [9:0]        reset_status_i,  // register pcie.reset_status
  output logic              flr_o,           // level: the function is being reset, or the link is down
  output debug_pkg::req_t dbg_req_o,
  input  debug_pkg::rsp_t dbg_rsp_i,

  // For tracing: a packet has begun, in or out, with so many doublewords of payload.
  output logic              packet_in_o,
  output logic [10:0]       dwords_in_o,
  output logic              packet_out_o,
  output logic [10:0]       dwords_out_o,
  output logic              busy_o
);

  pcie_pkg::config_t     settings;
  reg_pkg::reg_req_t     dma_reg_req;
  reg_pkg::reg_rsp_t     dma_reg_rsp;
  logic                  p_valid, p_ready, np_valid, np_ready, cpl_valid, irq_valid, irq_ready;
  tlp_pkg::beat_t        p_beat, np_beat, cpl_beat;
  logic [4:0]            irq_vector;
  logic [7:0]            work;
  pcie_pkg::dma_errors_t dma_errors;
  logic                  dma_busy, endpoint_busy;
  logic                  core_req_valid, core_req_ready, dma_req_valid, dma_req_ready;
  noc_pkg::req_t         core_req, dma_req;
  logic                  unused_index;

  pcie_endpoint u_endpoint (
    .clk_i,
    .rst_ni,
    .link_up_i,
    .tx_valid_o,
    .tx_ready_i,
    .tx_beat_o,
    .tx_limit_i,
    .rx_valid_i,
    .rx_beat_i,
    .rx_limit_o,
    .config_o        (settings),
    .dma_reg_req_o   (dma_reg_req),
    .dma_reg_rsp_i   (dma_reg_rsp),
    .p_valid_i       (p_valid),
    .p_ready_o       (p_ready),
    .p_beat_i        (p_beat),
    .np_valid_i      (np_valid),
    .np_ready_o      (np_ready),
    .np_beat_i       (np_beat),
    .cpl_valid_o     (cpl_valid),
    .cpl_beat_o      (cpl_beat),
    .irq_valid_i     (irq_valid),
    .irq_ready_o     (irq_ready),
    .irq_vector_i    (irq_vector),
    .work_i          (work),
    .dma_errors_i    (dma_errors),
    .dma_busy_i      (dma_busy),
    .noc_req_valid_o (core_req_valid),
    .noc_req_ready_i (core_req_ready),
    .noc_req_o       (core_req),
    .noc_rsp_valid_i (noc_rsp_valid_i && noc_rsp_i.tag[7]),
    .noc_rsp_i,
    .tgt_req_valid_i,
    .tgt_req_ready_o,
    .tgt_req_i,
    .tgt_rsp_valid_o,
    .tgt_rsp_ready_i,
    .tgt_rsp_o,
    .card_i,
    .serial_i,
    .boot_status_i,
    .reset_req_o,
    .reset_status_i,
    .flr_o,
    .dbg_req_o,
    .dbg_rsp_i,
    .packet_in_o,
    .dwords_in_o,
    .packet_out_o,
    .dwords_out_o,
    .busy_o          (endpoint_busy)
  );

  pcie_dma u_dma (
    .clk_i,
    .rst_ni,
    .config_i        (settings),
    .reg_req_i       (dma_reg_req),
    .reg_rsp_o       (dma_reg_rsp),
    .p_valid_o       (p_valid),
    .p_ready_i       (p_ready),
    .p_beat_o        (p_beat),
    .np_valid_o      (np_valid),
    .np_ready_i      (np_ready),
    .np_beat_o       (np_beat),
    .cpl_valid_i     (cpl_valid),
    .cpl_beat_i      (cpl_beat),
    .irq_valid_o     (irq_valid),
    .irq_ready_i     (irq_ready),
    .irq_vector_o    (irq_vector),
    .noc_req_valid_o (dma_req_valid),
    .noc_req_ready_i (dma_req_ready),
    .noc_req_o       (dma_req),
    .noc_rsp_valid_i (noc_rsp_valid_i && !noc_rsp_i.tag[7]),
    .noc_rsp_i,
    .work_o          (work),
    .errors_o        (dma_errors),
    .busy_o          (dma_busy)
  );

  stream_arbiter #(
    .N     (2),
    .Width ($bits(noc_req_o))
  ) u_ring (
    .clk_i,
    .rst_ni,
    .in_valid_i  ({dma_req_valid, core_req_valid}),
    .in_ready_o  ({dma_req_ready, core_req_ready}),
    .in_data_i   ({dma_req, core_req}),
    .out_valid_o (noc_req_valid_o),
    .out_ready_i (noc_req_ready_i),
    .out_data_o  (noc_req_o),
    .out_index_o (unused_index)
  );

  assign busy_o = endpoint_busy || dma_busy;

endmodule
