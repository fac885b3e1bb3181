// SPDX-License-Identifier: Apache-2.0
// The memory port of group 1 with the group's HBM, and the port through which the ring reaches that.
module tb_cg_memory (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  input  cg_pkg::space_t                     space_i,
  input  logic                               dslb_invalidate_i,
  input  logic                               icache_invalidate_i,
  input  logic [31:0]                        mem_valid_i,
  output logic [31:0]                        mem_ready_o,
  input  logic [32*cpe_pkg::MemReqWidth-1:0] mem_i,
  output logic [31:0]                        rsp_valid_o,
  output cpe_pkg::mem_rsp_t                  rsp_o,
  input  logic [31:0]                        fetch_valid_i,
  input  logic [32*26-1:0]                   fetch_line_i,
  input  logic                               tgt_req_valid_i,
  output logic                               tgt_req_ready_o,
  input  noc_pkg::req_t                      tgt_req_i,
  output logic                               tgt_rsp_valid_o,
  input  logic                               tgt_rsp_ready_i,
  output noc_pkg::rsp_t                      tgt_rsp_o,
  output logic                               ring_req_valid_o,
  input  logic                               ring_req_ready_i,
  output noc_pkg::req_t                      ring_req_o,
  input  logic                               ring_rsp_valid_i,
  input  noc_pkg::rsp_t                      ring_rsp_i,
  output logic                               busy_o,
  output logic                               hbm_busy_o,
  output logic [5:0]                         events_o        // DSLB hit and miss, code hit and miss, read, write
);

  logic             own_req_valid, own_req_ready, own_rsp_valid, own_rsp_ready;
  logic             hbm_req_valid, hbm_req_ready, hbm_rsp_valid, hbm_rsp_ready;
  noc_pkg::req_t    own_req, hbm_req;
  noc_pkg::rsp_t    own_rsp, hbm_rsp;
  logic [4:0]       mem_cpe;
  hbm_pkg::events_t hbm_events;
  logic [27:0]      poison_line;

  cg_memory u_memory (
    .clk_i,
    .rst_ni,
    .group_i            (2'd1),
    .space_i,
    .dslb_invalidate_i,
    .icache_invalidate_i,
    .mem_valid_i,
    .mem_ready_o,
    .mem_cpe_o          (mem_cpe),
    .mem_i              (mem_i[cpe_pkg::MemReqWidth*mem_cpe +: cpe_pkg::MemReqWidth]),
    .rsp_valid_o,
    .rsp_o,
    .fetch_valid_i,
    .fetch_line_i,
    .hbm_req_valid_o    (own_req_valid),
    .hbm_req_ready_i    (own_req_ready),
    .hbm_req_o          (own_req),
    .hbm_rsp_valid_i    (own_rsp_valid),
    .hbm_rsp_ready_o    (own_rsp_ready),
    .hbm_rsp_i          (own_rsp),
    .ring_req_valid_o,
    .ring_req_ready_i,
    .ring_req_o,
    .ring_rsp_valid_i,
    .ring_rsp_i,
    .busy_o,
    .event_dslb_hit_o   (events_o[0]),
    .event_dslb_miss_o  (events_o[1]),
    .event_icache_hit_o (events_o[2]),
    .event_icache_miss_o(events_o[3]),
    .event_read_o       (events_o[4]),
    .event_write_o      (events_o[5])
  );

  cg_hbm_share u_share (
    .clk_i,
    .rst_ni,
    .ring_req_valid_i(tgt_req_valid_i),
    .ring_req_ready_o(tgt_req_ready_o),
    .ring_req_i      (tgt_req_i),
    .ring_rsp_valid_o(tgt_rsp_valid_o),
    .ring_rsp_ready_i(tgt_rsp_ready_i),
    .ring_rsp_o      (tgt_rsp_o),
    .own_req_valid_i (own_req_valid),
    .own_req_ready_o (own_req_ready),
    .own_req_i       (own_req),
    .own_rsp_valid_o (own_rsp_valid),
    .own_rsp_ready_i (own_rsp_ready),
    .own_rsp_o       (own_rsp),
    .hbm_req_valid_o (hbm_req_valid),
    .hbm_req_ready_i (hbm_req_ready),
    .hbm_req_o       (hbm_req),
    .hbm_rsp_valid_i (hbm_rsp_valid),
    .hbm_rsp_ready_o (hbm_rsp_ready),
    .hbm_rsp_i       (hbm_rsp)
  );

  hbm u_hbm (
    .clk_i,
    .rst_ni,
    .group_i      (2'd1),
    .req_valid_i  (hbm_req_valid),
    .req_ready_o  (hbm_req_ready),
    .req_i        (hbm_req),
    .rsp_valid_o  (hbm_rsp_valid),
    .rsp_ready_i  (hbm_rsp_ready),
    .rsp_o        (hbm_rsp),
    .events_o     (hbm_events),
    .poison_line_o(poison_line),
    .busy_o       (hbm_busy_o)
  );

endmodule
