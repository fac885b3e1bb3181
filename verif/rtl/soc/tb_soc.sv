// SPDX-License-Identifier: Apache-2.0
// The management complex around a core that C++ plays (stub/mpe.sv), with the rest of the card in C++ too; soc_test.cpp
// writes the ROM file before the model is built. Fenced doors take no requests, as the ring's nodes do it.
module tb_soc #(
  localparam int unsigned ReqWidth = 625,
  localparam int unsigned RspWidth = 515
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                uart_rx_i,
  output logic                uart_tx_o,
  input  logic [3:0]          flash_io_i,
  output logic                sleep_o,
  output logic [31:0]         status_o,
  input  logic                dbg_halt_i,

  output logic                card_req_valid_o,
  input  logic                card_req_ready_i,
  output logic [ReqWidth-1:0] card_req_o,
  input  logic                card_rsp_valid_i,
  output logic                card_rsp_ready_o,
  input  logic [RspWidth-1:0] card_rsp_i,

  input  logic                visit_req_valid_i,
  output logic                visit_req_ready_o,
  input  logic [ReqWidth-1:0] visit_req_i,
  output logic                visit_rsp_valid_o,
  output logic [RspWidth-1:0] visit_rsp_o,

  input  logic                host_reset_i,
  output logic                fence_o,
  input  logic                drained_i,
  input  logic                card_busy_i
);

  debug_pkg::req_t dbg_req;
  always_comb begin
    dbg_req      = '0;
    dbg_req.halt = dbg_halt_i;
  end

  // What was on offer before the fence came may still be taken.
  logic card_req_valid, card_open, card_offered_q, visit_req_ready, visit_open, visit_offered_q;
  assign card_open         = !fence_o || card_offered_q;
  assign card_req_valid_o  = card_req_valid && card_open;
  assign visit_open        = !fence_o || visit_offered_q;
  assign visit_req_ready_o = visit_req_ready && visit_open;
  always_ff @(posedge clk_i) begin
    card_offered_q  <= card_req_valid_o && !card_req_ready_i;
    visit_offered_q <= visit_req_valid_i && visit_open && !visit_req_ready;
  end

  swai_soc #(
    .BootRomFile ("build/tb-soc-rom.hex")
  ) u_soc (
    .clk_i,
    .rst_ni,
    .uart_rx_i,
    .uart_tx_o,
    .flash_sck_o       (),
    .flash_cs_no       (),
    .flash_io_o        (),
    .flash_io_oe_o     (),
    .flash_io_i,
    .card_req_valid_o  (card_req_valid),
    .card_req_ready_i  (card_req_ready_i && card_open),
    .card_req_o,
    .card_rsp_valid_i,
    .card_rsp_ready_o,
    .card_rsp_i,
    .visit_req_valid_i (visit_req_valid_i && visit_open),
    .visit_req_ready_o (visit_req_ready),
    .visit_req_i,
    .visit_rsp_valid_o,
    .visit_rsp_o,
    .faults_i          (16'b0),
    .groups_reset_i    (4'b0),
    .host_reset_i,
    .fence_o,
    .drained_i         (drained_i && !card_offered_q && !visit_offered_q),
    .domain_o          (),
    .rst_por_no        (),
    .rst_sys_no        (),
    .card_busy_i,
    .sleep_o,
    .status_o,
    .dbg_req_i         (dbg_req),
    .dbg_rsp_o         ()
  );

endmodule
