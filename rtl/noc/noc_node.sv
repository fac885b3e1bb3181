// SPDX-License-Identifier: Apache-2.0
// A node of the ring: the ports of an initiator and of a target on one side (noc_pkg has their law), on the other the slots of
// three classes in two directions: requests, responses, and credits, which say that a request has left its target's buffer.
//
// Cuts: everything that comes out of the ring. What goes in passes noc_stop in the same cycle when a slot is free.
// A request from accepting it to its answer at the initiator: 2 * hops + 3 cycles on a quiet ring, when the target answers in
//   the cycle after it took it.
// fence_i separates the node's user from the ring, so that it can be reset: no new requests from its initiator are taken, and
//   those for its target are answered with StatusDenied. drained_o says that nothing of the user's is under way any more:
//   its requests are answered, and it has answered what it took. A request that was offered to the target before the
//   fence stays offered: the target must still take and answer it.
// busy_o low: nothing will happen until an input moves.
// event_*_o: a request of the initiator was taken, a request left for the target, a request of the initiator waits.
module noc_node #(
  parameter int unsigned Groups        = 4,
  parameter int unsigned Node          = 0,    // this one
  parameter int unsigned Credits       = 12,   // requests that each other node may have on the way to this one's target
  parameter int unsigned SelfCredits   = 2,    // and this node itself
  parameter int unsigned Outstanding   = 128,  // answers that the initiator may wait for
  parameter int unsigned QueueDepth    = 4     // requests, and responses, that wait for a slot in one direction
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             ini_req_valid_i,
  output logic             ini_req_ready_o,
  input  noc_pkg::req_t    ini_req_i,
  output logic             ini_rsp_valid_o,
  output noc_pkg::rsp_t    ini_rsp_o,

  output logic             tgt_req_valid_o,
  input  logic             tgt_req_ready_i,
  output noc_pkg::req_t    tgt_req_o,
  input  logic             tgt_rsp_valid_i,
  output logic             tgt_rsp_ready_o,
  input  noc_pkg::rsp_t    tgt_rsp_i,

  input  logic             fence_i,
  output logic             drained_o,
  output logic             busy_o,
  output logic             event_injected_o,
  output logic             event_ejected_o,
  output logic             event_stalled_o,

  // Slots from the neighbours' registers, and this node's registers to the neighbours
  input  noc_pkg::slot_t   cw_req_slot_i,
  input  noc_pkg::req_t    cw_req_i,
  output noc_pkg::slot_t   cw_req_slot_o,
  output noc_pkg::req_t    cw_req_o,
  input  noc_pkg::slot_t   ccw_req_slot_i,
  input  noc_pkg::req_t    ccw_req_i,
  output noc_pkg::slot_t   ccw_req_slot_o,
  output noc_pkg::req_t    ccw_req_o,

  input  noc_pkg::slot_t   cw_rsp_slot_i,
  input  noc_pkg::rsp_t    cw_rsp_i,
  output noc_pkg::slot_t   cw_rsp_slot_o,
  output noc_pkg::rsp_t    cw_rsp_o,
  input  noc_pkg::slot_t   ccw_rsp_slot_i,
  input  noc_pkg::rsp_t    ccw_rsp_i,
  output noc_pkg::slot_t   ccw_rsp_slot_o,
  output noc_pkg::rsp_t    ccw_rsp_o,

  input  noc_pkg::slot_t   cw_credit_slot_i,
  input  noc_pkg::credit_t cw_credit_i,
  output noc_pkg::slot_t   cw_credit_slot_o,
  output noc_pkg::credit_t cw_credit_o,
  input  noc_pkg::slot_t   ccw_credit_slot_i,
  input  noc_pkg::credit_t ccw_credit_i,
  output noc_pkg::slot_t   ccw_credit_slot_o,
  output noc_pkg::credit_t ccw_credit_o
);

  localparam int unsigned Nodes = 2 + Groups;

  // Ends of the stops, by class and direction
  logic             cw_req_eject, cw_req_valid, cw_req_ready, cw_req_ok, cw_req_inject;
  logic             ccw_req_eject, ccw_req_valid, ccw_req_ready, ccw_req_ok, ccw_req_inject;
  logic             cw_rsp_eject, cw_rsp_valid, cw_rsp_ready;
  logic             ccw_rsp_eject, ccw_rsp_valid, ccw_rsp_ready;
  logic             cw_credit_eject, cw_credit_valid, cw_credit_ready;
  logic             ccw_credit_eject, ccw_credit_valid, ccw_credit_ready;
  noc_pkg::set_t    cw_req_dests, cw_req_head, ccw_req_dests, ccw_req_head;
  noc_pkg::set_t    rsp_dests, cw_credit_dests, ccw_credit_dests;
  noc_pkg::req_t    req;
  noc_pkg::rsp_t    rsp;
  noc_pkg::credit_t cw_credit, ccw_credit;
  logic [5:0]       stop_busy;
  logic             ini_idle, ini_busy, tgt_idle, tgt_busy;

  noc_initiator #(
    .Groups     (Groups),
    .Node       (Node),
    .Outstanding(Outstanding)
  ) u_initiator (
    .clk_i,
    .rst_ni,
    .fence_i,
    .idle_o         (ini_idle),
    .busy_o         (ini_busy),
    .req_valid_i    (ini_req_valid_i),
    .req_ready_o    (ini_req_ready_o),
    .req_i          (ini_req_i),
    .rsp_valid_o    (ini_rsp_valid_o),
    .rsp_o          (ini_rsp_o),
    .cw_valid_o     (cw_req_valid),
    .cw_ready_i     (cw_req_ready),
    .cw_dests_o     (cw_req_dests),
    .ccw_valid_o    (ccw_req_valid),
    .ccw_ready_i    (ccw_req_ready),
    .ccw_dests_o    (ccw_req_dests),
    .ring_req_o     (req),
    .cw_rsp_valid_i (cw_rsp_eject),
    .cw_rsp_i,
    .ccw_rsp_valid_i(ccw_rsp_eject),
    .ccw_rsp_i
  );

  noc_target #(
    .Groups(Groups),
    .Node  (Node),
    .Depth ((Nodes - 1)*Credits + SelfCredits)
  ) u_target (
    .clk_i,
    .rst_ni,
    .fence_i,
    .idle_o            (tgt_idle),
    .busy_o            (tgt_busy),
    .req_valid_o       (tgt_req_valid_o),
    .req_ready_i       (tgt_req_ready_i),
    .req_o             (tgt_req_o),
    .rsp_valid_i       (tgt_rsp_valid_i),
    .rsp_ready_o       (tgt_rsp_ready_o),
    .rsp_i             (tgt_rsp_i),
    .cw_req_valid_i    (cw_req_eject),
    .cw_req_i,
    .ccw_req_valid_i   (ccw_req_eject),
    .ccw_req_i,
    .cw_rsp_valid_o    (cw_rsp_valid),
    .cw_rsp_ready_i    (cw_rsp_ready),
    .ccw_rsp_valid_o   (ccw_rsp_valid),
    .ccw_rsp_ready_i   (ccw_rsp_ready),
    .rsp_dests_o       (rsp_dests),
    .ring_rsp_o        (rsp),
    .cw_credit_valid_o (cw_credit_valid),
    .cw_credit_ready_i (cw_credit_ready),
    .cw_credit_dests_o (cw_credit_dests),
    .cw_credit_o       (cw_credit),
    .ccw_credit_valid_o(ccw_credit_valid),
    .ccw_credit_ready_i(ccw_credit_ready),
    .ccw_credit_dests_o(ccw_credit_dests),
    .ccw_credit_o      (ccw_credit)
  );

  noc_credits #(
    .Nodes      (Nodes),
    .Node       (Node),
    .Credits    (Credits),
    .SelfCredits(SelfCredits)
  ) u_credits (
    .clk_i,
    .rst_ni,
    .cw_dests_i (cw_req_head),
    .cw_ok_o    (cw_req_ok),
    .cw_take_i  (cw_req_inject),
    .ccw_dests_i(ccw_req_head),
    .ccw_ok_o   (ccw_req_ok),
    .ccw_take_i (ccw_req_inject),
    .cw_give_i  (cw_credit_eject),
    .cw_credit_i,
    .ccw_give_i (ccw_credit_eject),
    .ccw_credit_i
  );

  noc_stop #(
    .Width     (noc_pkg::ReqWidth),
    .Nodes     (Nodes),
    .Node      (Node),
    .QueueDepth(QueueDepth)
  ) u_cw_req (
    .clk_i,
    .rst_ni,
    .link_slot_i (cw_req_slot_i),
    .link_data_i (cw_req_i),
    .link_slot_o (cw_req_slot_o),
    .link_data_o (cw_req_o),
    .eject_o     (cw_req_eject),
    .in_valid_i  (cw_req_valid),
    .in_ready_o  (cw_req_ready),
    .in_dests_i  (cw_req_dests),
    .in_data_i   (req),
    .head_dests_o(cw_req_head),
    .head_ok_i   (cw_req_ok),
    .inject_o    (cw_req_inject),
    .busy_o      (stop_busy[0])
  );
  noc_stop #(
    .Width     (noc_pkg::ReqWidth),
    .Nodes     (Nodes),
    .Node      (Node),
    .QueueDepth(QueueDepth)
  ) u_ccw_req (
    .clk_i,
    .rst_ni,
    .link_slot_i (ccw_req_slot_i),
    .link_data_i (ccw_req_i),
    .link_slot_o (ccw_req_slot_o),
    .link_data_o (ccw_req_o),
    .eject_o     (ccw_req_eject),
    .in_valid_i  (ccw_req_valid),
    .in_ready_o  (ccw_req_ready),
    .in_dests_i  (ccw_req_dests),
    .in_data_i   (req),
    .head_dests_o(ccw_req_head),
    .head_ok_i   (ccw_req_ok),
    .inject_o    (ccw_req_inject),
    .busy_o      (stop_busy[1])
  );
  noc_stop #(
    .Width     (noc_pkg::RspWidth),
    .Nodes     (Nodes),
    .Node      (Node),
    .QueueDepth(QueueDepth)
  ) u_cw_rsp (
    .clk_i,
    .rst_ni,
    .link_slot_i (cw_rsp_slot_i),
    .link_data_i (cw_rsp_i),
    .link_slot_o (cw_rsp_slot_o),
    .link_data_o (cw_rsp_o),
    .eject_o     (cw_rsp_eject),
    .in_valid_i  (cw_rsp_valid),
    .in_ready_o  (cw_rsp_ready),
    .in_dests_i  (rsp_dests),
    .in_data_i   (rsp),
    .head_dests_o(),
    .head_ok_i   (1'b1),
    .inject_o    (),
    .busy_o      (stop_busy[2])
  );
  noc_stop #(
    .Width     (noc_pkg::RspWidth),
    .Nodes     (Nodes),
    .Node      (Node),
    .QueueDepth(QueueDepth)
  ) u_ccw_rsp (
    .clk_i,
    .rst_ni,
    .link_slot_i (ccw_rsp_slot_i),
    .link_data_i (ccw_rsp_i),
    .link_slot_o (ccw_rsp_slot_o),
    .link_data_o (ccw_rsp_o),
    .eject_o     (ccw_rsp_eject),
    .in_valid_i  (ccw_rsp_valid),
    .in_ready_o  (ccw_rsp_ready),
    .in_dests_i  (rsp_dests),
    .in_data_i   (rsp),
    .head_dests_o(),
    .head_ok_i   (1'b1),
    .inject_o    (),
    .busy_o      (stop_busy[3])
  );
  noc_stop #(
    .Width     (noc_pkg::CreditPacketWidth),
    .Nodes     (Nodes),
    .Node      (Node),
    .QueueDepth(1)
  ) u_cw_credit (
    .clk_i,
    .rst_ni,
    .link_slot_i (cw_credit_slot_i),
    .link_data_i (cw_credit_i),
    .link_slot_o (cw_credit_slot_o),
    .link_data_o (cw_credit_o),
    .eject_o     (cw_credit_eject),
    .in_valid_i  (cw_credit_valid),
    .in_ready_o  (cw_credit_ready),
    .in_dests_i  (cw_credit_dests),
    .in_data_i   (cw_credit),
    .head_dests_o(),
    .head_ok_i   (1'b1),
    .inject_o    (),
    .busy_o      (stop_busy[4])
  );
  noc_stop #(
    .Width     (noc_pkg::CreditPacketWidth),
    .Nodes     (Nodes),
    .Node      (Node),
    .QueueDepth(1)
  ) u_ccw_credit (
    .clk_i,
    .rst_ni,
    .link_slot_i (ccw_credit_slot_i),
    .link_data_i (ccw_credit_i),
    .link_slot_o (ccw_credit_slot_o),
    .link_data_o (ccw_credit_o),
    .eject_o     (ccw_credit_eject),
    .in_valid_i  (ccw_credit_valid),
    .in_ready_o  (ccw_credit_ready),
    .in_dests_i  (ccw_credit_dests),
    .in_data_i   (ccw_credit),
    .head_dests_o(),
    .head_ok_i   (1'b1),
    .inject_o    (),
    .busy_o      (stop_busy[5])
  );

  assign drained_o        = fence_i && ini_idle && tgt_idle;
  assign busy_o           = stop_busy != '0 || ini_busy || tgt_busy;
  assign event_injected_o = ini_req_valid_i && ini_req_ready_o;
  assign event_stalled_o  = ini_req_valid_i && !ini_req_ready_o;
  assign event_ejected_o  = tgt_req_valid_o && tgt_req_ready_i;

endmodule
