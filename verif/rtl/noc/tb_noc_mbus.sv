// SPDX-License-Identifier: Apache-2.0
// The bridges between ring and memory bus, chosen by select_i: noc_from_mbus (Master 0, its ring is C++), noc_to_mbus (both sides
// C++), and a ring of three nodes with both kinds (see below). What is not chosen stays in reset.
module tb_noc_mbus #(
  localparam int unsigned MbusReqWidth = 625,
  localparam int unsigned MbusRspWidth = 515,
  localparam int unsigned NocReqWidth  = 634,
  localparam int unsigned NocRspWidth  = 525
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic [1:0]                select_i,

  input  logic [1:0]                mst_req_valid_i,
  output logic [1:0]                mst_req_ready_o,
  input  logic [2*MbusReqWidth-1:0] mst_req_i,
  output logic [1:0]                mst_rsp_valid_o,
  input  logic [1:0]                mst_rsp_ready_i,
  output logic [1:0]                mst_rsp_taken_o,
  output logic [2*MbusRspWidth-1:0] mst_rsp_o,

  output logic                      noc_req_valid_o,
  input  logic                      noc_req_ready_i,
  output logic [NocReqWidth-1:0]    noc_req_o,
  input  logic                      noc_rsp_valid_i,
  input  logic [NocRspWidth-1:0]    noc_rsp_i,

  input  logic                      tgt_req_valid_i,
  output logic                      tgt_req_ready_o,
  input  logic [NocReqWidth-1:0]    tgt_req_i,
  output logic                      tgt_rsp_valid_o,
  input  logic                      tgt_rsp_ready_i,
  output logic [NocRspWidth-1:0]    tgt_rsp_o,

  output logic                      slv_req_valid_o,
  input  logic                      slv_req_ready_i,
  output logic [MbusReqWidth-1:0]   slv_req_o,
  input  logic                      slv_rsp_valid_i,
  input  logic [MbusRspWidth-1:0]   slv_rsp_i,

  output logic                      busy_o
);

  typedef enum logic [1:0] {
    From,
    To,
    System
  } design_e;

  localparam int unsigned Nodes = 3;

  logic                      from_ready, from_valid, from_busy, to_busy, noc_busy;
  logic [MbusRspWidth-1:0]   from_rsp;
  logic [1:0]                sys_ready, sys_valid, sys_from_busy;
  logic [2*MbusRspWidth-1:0] sys_rsp;
  logic [2:0]                sys_to_busy;

  assign mst_req_ready_o = select_i == System ? sys_ready : {1'b0, from_ready};
  assign mst_rsp_valid_o = select_i == System ? sys_valid : {1'b0, from_valid};
  assign mst_rsp_o       = select_i == System ? sys_rsp : {MbusRspWidth'(0), from_rsp};
  assign mst_rsp_taken_o = mst_rsp_valid_o & mst_rsp_ready_i;
  assign busy_o          = from_busy || to_busy || noc_busy || sys_from_busy != '0 || sys_to_busy != '0;

  noc_from_mbus u_from (
    .clk_i,
    .rst_ni         (rst_ni && select_i == From),
    .req_valid_i    (mst_req_valid_i[0]),
    .req_ready_o    (from_ready),
    .req_i          (mst_req_i[MbusReqWidth-1:0]),
    .rsp_valid_o    (from_valid),
    .rsp_ready_i    (mst_rsp_ready_i[0]),
    .rsp_o          (from_rsp),
    .noc_req_valid_o,
    .noc_req_ready_i,
    .noc_req_o,
    .noc_rsp_valid_i,
    .noc_rsp_i,
    .busy_o         (from_busy)
  );

  noc_to_mbus u_to (
    .clk_i,
    .rst_ni         (rst_ni && select_i == To),
    .noc_req_valid_i(tgt_req_valid_i),
    .noc_req_ready_o(tgt_req_ready_o),
    .noc_req_i      (tgt_req_i),
    .noc_rsp_valid_o(tgt_rsp_valid_o),
    .noc_rsp_ready_i(tgt_rsp_ready_i),
    .noc_rsp_o      (tgt_rsp_o),
    .req_valid_o    (slv_req_valid_o),
    .req_ready_i    (slv_req_ready_i),
    .req_o          (slv_req_o),
    .rsp_valid_i    (slv_rsp_valid_i),
    .rsp_i          (slv_rsp_i),
    .busy_o         (to_busy)
  );

  // Masters at nodes 0 and 1; memories at nodes 0 and 2, at node 1 nobody.
  logic                         rst_n;
  logic [Nodes-1:0]             ini_req_valid, ini_req_ready, ini_rsp_valid;
  logic [Nodes-1:0]             tgt_req_valid, tgt_req_ready, tgt_rsp_valid, tgt_rsp_ready;
  logic [Nodes*NocReqWidth-1:0] ini_req, tgt_req;
  logic [Nodes*NocRspWidth-1:0] ini_rsp, tgt_rsp;

  assign rst_n = rst_ni && select_i == System;

  noc #(
    .Groups(1)
  ) u_noc (
    .clk_i,
    .rst_ni          (rst_n),
    .ini_req_valid_i (ini_req_valid),
    .ini_req_ready_o (ini_req_ready),
    .ini_req_i       (ini_req),
    .ini_rsp_valid_o (ini_rsp_valid),
    .ini_rsp_o       (ini_rsp),
    .tgt_req_valid_o (tgt_req_valid),
    .tgt_req_ready_i (tgt_req_ready),
    .tgt_req_o       (tgt_req),
    .tgt_rsp_valid_i (tgt_rsp_valid),
    .tgt_rsp_ready_o (tgt_rsp_ready),
    .tgt_rsp_i       (tgt_rsp),
    .fence_i         ('0),
    .drained_o       (),
    .busy_o          (noc_busy),
    .event_injected_o(),
    .event_ejected_o (),
    .event_stalled_o ()
  );

  for (genvar m = 0; m < 2; m++) begin : g_master
    noc_from_mbus u_from (
      .clk_i,
      .rst_ni         (rst_n),
      .req_valid_i    (mst_req_valid_i[m]),
      .req_ready_o    (sys_ready[m]),
      .req_i          (mst_req_i[m*MbusReqWidth +: MbusReqWidth]),
      .rsp_valid_o    (sys_valid[m]),
      .rsp_ready_i    (mst_rsp_ready_i[m]),
      .rsp_o          (sys_rsp[m*MbusRspWidth +: MbusRspWidth]),
      .noc_req_valid_o(ini_req_valid[m]),
      .noc_req_ready_i(ini_req_ready[m]),
      .noc_req_o      (ini_req[m*NocReqWidth +: NocReqWidth]),
      .noc_rsp_valid_i(ini_rsp_valid[m]),
      .noc_rsp_i      (ini_rsp[m*NocRspWidth +: NocRspWidth]),
      .busy_o         (sys_from_busy[m])
    );
  end

  assign ini_req_valid[2]                         = 1'b0;
  assign ini_req[2*NocReqWidth +: NocReqWidth] = '0;

  for (genvar n = 0; n < Nodes; n++) begin : g_slave
    logic           req_valid, req_ready, rsp_valid;
    mbus_pkg::req_t req;
    mbus_pkg::rsp_t rsp;

    noc_to_mbus u_to (
      .clk_i,
      .rst_ni         (rst_n),
      .noc_req_valid_i(tgt_req_valid[n]),
      .noc_req_ready_o(tgt_req_ready[n]),
      .noc_req_i      (tgt_req[n*NocReqWidth +: NocReqWidth]),
      .noc_rsp_valid_o(tgt_rsp_valid[n]),
      .noc_rsp_ready_i(tgt_rsp_ready[n]),
      .noc_rsp_o      (tgt_rsp[n*NocRspWidth +: NocRspWidth]),
      .req_valid_o    (req_valid),
      .req_ready_i    (req_ready),
      .req_o          (req),
      .rsp_valid_i    (rsp_valid),
      .rsp_i          (rsp),
      .busy_o         (sys_to_busy[n])
    );

    if (n == 1) begin : g_nobody
      mbus_error u_nobody (
        .clk_i,
        .rst_ni     (rst_n),
        .req_valid_i(req_valid),
        .req_ready_o(req_ready),
        .req_id_i   (req.id),
        .rsp_valid_o(rsp_valid),
        .rsp_o      (rsp)
      );
    end else begin : g_sram
      mbus_sram #(
        .Bytes(4096),
        .Base (n == 0 ? 40'h00_8000_0000 : 40'h80_0000_0000)
      ) u_sram (
        .clk_i,
        .rst_ni     (rst_n),
        .req_valid_i(req_valid),
        .req_ready_o(req_ready),
        .req_i      (req),
        .rsp_valid_o(rsp_valid),
        .rsp_o      (rsp)
      );
    end
  end

endmodule
