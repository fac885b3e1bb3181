// SPDX-License-Identifier: Apache-2.0
// A node's side that asks: where each request goes, and back to the initiator what answers.
//
// Cuts: responses (rsp_valid_o and rsp_o come from registers). A request passes into the ring in the same cycle;
//   req_ready_o depends on its address and operation, and on nothing else that moves in this cycle.
// Orders: requests of one direction stay in order; responses come out in the order in which they arrive.
// At most Outstanding answers are expected at a time, for which there is room; a request that would lead to more waits.
// A write to several groups may go both ways round; its answers are collected and become one, with the worst status. At most
//   MaxMulticasts of them are under way.
// Requests for nobody are answered here, with StatusNobody.
// fence_i: no request is taken. idle_o: everything taken has been answered.
// Illegal: a tag that is under way already.
module noc_initiator #(
  parameter int unsigned Groups        = 4,
  parameter int unsigned Node          = 0,   // this one
  parameter int unsigned Outstanding   = 128,
  parameter int unsigned MaxMulticasts = 4
) (
  input  logic           clk_i,
  input  logic           rst_ni,

  input  logic           fence_i,
  output logic           idle_o,
  output logic           busy_o,    // something is about to come out

  input  logic           req_valid_i,
  output logic           req_ready_o,
  input  noc_pkg::req_t  req_i,
  output logic           rsp_valid_o,
  output noc_pkg::rsp_t  rsp_o,

  // The ring, clockwise and the other way
  output logic           cw_valid_o,
  input  logic           cw_ready_i,
  output noc_pkg::set_t  cw_dests_o,
  output logic           ccw_valid_o,
  input  logic           ccw_ready_i,
  output noc_pkg::set_t  ccw_dests_o,
  output noc_pkg::req_t  ring_req_o,

  input  logic           cw_rsp_valid_i,
  input  noc_pkg::rsp_t  cw_rsp_i,
  input  logic           ccw_rsp_valid_i,
  input  noc_pkg::rsp_t  ccw_rsp_i
);

  localparam logic [5:0]    Clockwise  = noc_pkg::clockwise(Node, 2 + Groups);
  localparam int unsigned   CountWidth = $clog2(Outstanding + 1);
  localparam int unsigned   RspWidth   = noc_pkg::RspWidth;
  localparam int unsigned   TagWidth   = noc_pkg::TagWidth;

  // --- requests

  noc_pkg::set_t         dests;
  logic                  nobody, multicast, room, take, local_ready;
  logic [2:0]            members;
  logic [CountWidth-1:0] outstanding_q;

  assign dests       = noc_pkg::route(req_i.addr, req_i.op == mbus_pkg::OpWrite, Groups);
  assign nobody      = dests == '0;
  assign multicast   = (dests & (dests - 1'b1)) != '0;
  assign cw_dests_o  = dests & Clockwise;
  assign ccw_dests_o = dests & ~Clockwise;

  always_comb begin
    members = '0;
    for (int unsigned i = 0; i < noc_pkg::MaxNodes; i++) members = members + 3'(dests[i]);
  end

  always_comb begin
    req_ready_o = !fence_i;
    if (nobody) begin
      if (!local_ready) req_ready_o = 1'b0;
    end else begin
      if (!room || (cw_dests_o != '0 && !cw_ready_i) || (ccw_dests_o != '0 && !ccw_ready_i)) req_ready_o = 1'b0;
    end
  end

  assign take        = req_valid_i && req_ready_o;
  assign cw_valid_o  = take && cw_dests_o != '0;
  assign ccw_valid_o = take && ccw_dests_o != '0;

  always_comb begin
    ring_req_o        = req_i;
    ring_req_o.source = 3'(Node);
  end

  // --- responses from the ring

  logic          buffer_valid, buffer_ready, buffer_pop;
  noc_pkg::rsp_t buffer_rsp;

  noc_buffer #(
    .Width(RspWidth),
    .Depth(Outstanding)
  ) u_buffer (
    .clk_i,
    .rst_ni,
    .a_valid_i  (cw_rsp_valid_i),
    .a_data_i   (cw_rsp_i),
    .b_valid_i  (ccw_rsp_valid_i),
    .b_data_i   (ccw_rsp_i),
    .out_valid_o(buffer_valid),
    .out_ready_i(buffer_ready),
    .out_data_o (buffer_rsp)
  );

  assign buffer_pop = buffer_valid && buffer_ready;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) outstanding_q <= '0;
    else if (take || buffer_pop) begin
      outstanding_q <= outstanding_q + (take ? CountWidth'(members) : '0) - CountWidth'(buffer_pop);
    end
  end

  // --- multicasts under way

  logic [MaxMulticasts-1:0] used_q, match, vacant;
  logic [TagWidth-1:0]      tag_q [MaxMulticasts];
  logic [2:0]               left_q [MaxMulticasts];
  noc_pkg::status_t         worst_q [MaxMulticasts];
  noc_pkg::status_t         status;
  logic                     collect;     // the response at hand is not the last one of its request

  assign vacant = ~used_q & (used_q + 1'b1);   // the lowest free place

  always_comb begin
    collect = 1'b0;
    status  = buffer_rsp.status;
    for (int unsigned i = 0; i < MaxMulticasts; i++) begin
      match[i] = used_q[i] && tag_q[i] == buffer_rsp.tag;
      if (match[i]) begin
        collect = left_q[i] != 3'd1;
        if (worst_q[i] > status) status = worst_q[i];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      used_q <= '0;
    end else begin
      used_q <= (used_q | (take && multicast ? vacant : '0)) & ~(buffer_pop && !collect ? match : '0);
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < MaxMulticasts; i++) begin
      if (take && multicast && vacant[i]) begin
        tag_q[i]   <= req_i.tag;
        left_q[i]  <= members;
        worst_q[i] <= noc_pkg::StatusOk;
      end else if (buffer_pop && match[i]) begin
        left_q[i]  <= left_q[i] - 1'b1;
        worst_q[i] <= status;
      end
    end
  end

  assign room = multicast ? outstanding_q <= CountWidth'(Outstanding - noc_pkg::MaxGroups) && !(&used_q) :
                            outstanding_q != CountWidth'(Outstanding);

  // --- answers of this node itself

  logic                local_valid, local_turn, local_last_q;
  logic [TagWidth-1:0] local_tag;

  stream_fifo #(
    .Width(TagWidth),
    .Depth(2)
  ) u_local (
    .clk_i,
    .rst_ni,
    .in_valid_i (take && nobody),
    .in_ready_o (local_ready),
    .in_data_i  (req_i.tag),
    .out_valid_o(local_valid),
    .out_ready_i(local_turn),
    .out_data_o (local_tag)
  );

  // They take turns with what comes from the ring.
  assign local_turn   = local_valid && !(local_last_q && buffer_valid);
  assign buffer_ready = !local_turn;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) local_last_q <= 1'b0;
    else if (local_valid || local_last_q) local_last_q <= local_turn;
  end

  assign rsp_valid_o  = local_turn || (buffer_valid && !collect);
  assign rsp_o.dest   = 3'(Node);
  assign rsp_o.tag    = local_turn ? local_tag : buffer_rsp.tag;
  assign rsp_o.status = local_turn ? noc_pkg::StatusNobody : status;
  assign rsp_o.data   = buffer_rsp.data;

  assign idle_o = outstanding_q == '0 && !local_valid;
  assign busy_o = buffer_valid || local_valid;

`ifndef SYNTHESIS
  logic [2**TagWidth-1:0] under_way_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      under_way_q <= '0;
    end else begin
      if (rsp_valid_o) under_way_q[rsp_o.tag] <= 1'b0;
      if (take) under_way_q[req_i.tag] <= 1'b1;
      assert (!take || !under_way_q[req_i.tag]) else $error("tag %0d of node %0d is under way already", req_i.tag, Node);
      assert (!rsp_valid_o || under_way_q[rsp_o.tag]) else $error("tag %0d of node %0d waits for no answer", rsp_o.tag, Node);
    end
  end
`endif

endmodule
