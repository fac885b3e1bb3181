// SPDX-License-Identifier: Apache-2.0
// The ring: MPE, PCIe and one to four core groups (see noc_pkg for its law, noc_node for what a port can do,
// docs/hardware/ring.md for why it cannot get stuck).
//
// Port i is node i; of wide ones it has bits [i*W +: W].
// busy_o low: nothing will happen until an input moves.
module noc #(
  parameter  int unsigned Groups      = 1,
  parameter  int unsigned Credits     = 12,
  parameter  int unsigned Outstanding = 128,
  parameter  int unsigned QueueDepth  = 4,
  localparam int unsigned Nodes       = 2 + Groups,
  localparam int unsigned ReqWidth    = noc_pkg::ReqWidth,
  localparam int unsigned RspWidth    = noc_pkg::RspWidth
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  // Initiators
  input  logic [Nodes-1:0]          ini_req_valid_i,
  output logic [Nodes-1:0]          ini_req_ready_o,
  input  logic [Nodes*ReqWidth-1:0] ini_req_i,
  output logic [Nodes-1:0]          ini_rsp_valid_o,
  output logic [Nodes*RspWidth-1:0] ini_rsp_o,

  // Targets
  output logic [Nodes-1:0]          tgt_req_valid_o,
  input  logic [Nodes-1:0]          tgt_req_ready_i,
  output logic [Nodes*ReqWidth-1:0] tgt_req_o,
  input  logic [Nodes-1:0]          tgt_rsp_valid_i,
  output logic [Nodes-1:0]          tgt_rsp_ready_o,
  input  logic [Nodes*RspWidth-1:0] tgt_rsp_i,

  input  logic [Nodes-1:0]          fence_i,
  output logic [Nodes-1:0]          drained_o,
  output logic                      busy_o,
  output logic [Nodes-1:0]          event_injected_o,
  output logic [Nodes-1:0]          event_ejected_o,
  output logic [Nodes-1:0]          event_stalled_o
);

  logic [Nodes-1:0] busy;

  for (genvar i = 0; i < Nodes; i++) begin : g_node
    noc_pkg::slot_t   cw_req_slot, ccw_req_slot, cw_rsp_slot, ccw_rsp_slot, cw_credit_slot, ccw_credit_slot;
    noc_pkg::req_t    cw_req, ccw_req;
    noc_pkg::rsp_t    cw_rsp, ccw_rsp;
    noc_pkg::credit_t cw_credit, ccw_credit;
  end

  for (genvar i = 0; i < Nodes; i++) begin : g_ring
    localparam int unsigned Before = (i + Nodes - 1) % Nodes;   // where clockwise slots come from
    localparam int unsigned After  = (i + 1) % Nodes;

    noc_node #(
      .Groups     (Groups),
      .Node       (i),
      .Credits    (Credits),
      .Outstanding(Outstanding),
      .QueueDepth (QueueDepth)
    ) u_node (
      .clk_i,
      .rst_ni,
      .ini_req_valid_i  (ini_req_valid_i[i]),
      .ini_req_ready_o  (ini_req_ready_o[i]),
      .ini_req_i        (ini_req_i[i*ReqWidth +: ReqWidth]),
      .ini_rsp_valid_o  (ini_rsp_valid_o[i]),
      .ini_rsp_o        (ini_rsp_o[i*RspWidth +: RspWidth]),
      .tgt_req_valid_o  (tgt_req_valid_o[i]),
      .tgt_req_ready_i  (tgt_req_ready_i[i]),
      .tgt_req_o        (tgt_req_o[i*ReqWidth +: ReqWidth]),
      .tgt_rsp_valid_i  (tgt_rsp_valid_i[i]),
      .tgt_rsp_ready_o  (tgt_rsp_ready_o[i]),
      .tgt_rsp_i        (tgt_rsp_i[i*RspWidth +: RspWidth]),
      .fence_i          (fence_i[i]),
      .drained_o        (drained_o[i]),
      .busy_o           (busy[i]),
      .event_injected_o (event_injected_o[i]),
      .event_ejected_o  (event_ejected_o[i]),
      .event_stalled_o  (event_stalled_o[i]),
      .cw_req_slot_i    (g_node[Before].cw_req_slot),
      .cw_req_i         (g_node[Before].cw_req),
      .cw_req_slot_o    (g_node[i].cw_req_slot),
      .cw_req_o         (g_node[i].cw_req),
      .ccw_req_slot_i   (g_node[After].ccw_req_slot),
      .ccw_req_i        (g_node[After].ccw_req),
      .ccw_req_slot_o   (g_node[i].ccw_req_slot),
      .ccw_req_o        (g_node[i].ccw_req),
      .cw_rsp_slot_i    (g_node[Before].cw_rsp_slot),
      .cw_rsp_i         (g_node[Before].cw_rsp),
      .cw_rsp_slot_o    (g_node[i].cw_rsp_slot),
      .cw_rsp_o         (g_node[i].cw_rsp),
      .ccw_rsp_slot_i   (g_node[After].ccw_rsp_slot),
      .ccw_rsp_i        (g_node[After].ccw_rsp),
      .ccw_rsp_slot_o   (g_node[i].ccw_rsp_slot),
      .ccw_rsp_o        (g_node[i].ccw_rsp),
      .cw_credit_slot_i (g_node[Before].cw_credit_slot),
      .cw_credit_i      (g_node[Before].cw_credit),
      .cw_credit_slot_o (g_node[i].cw_credit_slot),
      .cw_credit_o      (g_node[i].cw_credit),
      .ccw_credit_slot_i(g_node[After].ccw_credit_slot),
      .ccw_credit_i     (g_node[After].ccw_credit),
      .ccw_credit_slot_o(g_node[i].ccw_credit_slot),
      .ccw_credit_o     (g_node[i].ccw_credit)
    );
  end

  assign busy_o = busy != '0;

endmodule
