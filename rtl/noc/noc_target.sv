// SPDX-License-Identifier: Apache-2.0
// A node's side that answers: requests from the ring to the target, its answers to the ring, and back to every initiator a
// credit for each request that has left the buffer.
//
// Cuts: requests (req_valid_o and req_o come from registers). Responses pass into the ring in the same cycle; rsp_ready_o
//   depends on where the response goes.
// Orders: requests in the order of their arrival.
// fence_i: requests that have not been offered yet are answered with StatusDenied, and the target sees nothing of them. What
//   has been offered stays offered. idle_o: the target has answered everything, and nothing is offered to it.
// Illegal: a response that nobody asked for.
module noc_target #(
  parameter int unsigned Groups = 4,
  parameter int unsigned Node   = 0,    // this one
  parameter int unsigned Depth  = 62    // credits of all initiators together
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             fence_i,
  output logic             idle_o,
  output logic             busy_o,

  output logic             req_valid_o,
  input  logic             req_ready_i,
  output noc_pkg::req_t    req_o,
  input  logic             rsp_valid_i,
  output logic             rsp_ready_o,
  input  noc_pkg::rsp_t    rsp_i,

  // The ring, clockwise and the other way
  input  logic             cw_req_valid_i,
  input  noc_pkg::req_t    cw_req_i,
  input  logic             ccw_req_valid_i,
  input  noc_pkg::req_t    ccw_req_i,

  output logic             cw_rsp_valid_o,
  input  logic             cw_rsp_ready_i,
  output logic             ccw_rsp_valid_o,
  input  logic             ccw_rsp_ready_i,
  output noc_pkg::set_t    rsp_dests_o,
  output noc_pkg::rsp_t    ring_rsp_o,

  output logic             cw_credit_valid_o,
  input  logic             cw_credit_ready_i,
  output noc_pkg::set_t    cw_credit_dests_o,
  output noc_pkg::credit_t cw_credit_o,
  output logic             ccw_credit_valid_o,
  input  logic             ccw_credit_ready_i,
  output noc_pkg::set_t    ccw_credit_dests_o,
  output noc_pkg::credit_t ccw_credit_o
);

  localparam int unsigned   Nodes        = 2 + Groups;
  localparam logic [5:0]    Clockwise    = noc_pkg::clockwise(Node, Nodes);
  localparam int unsigned   CreditWidth  = noc_pkg::CreditWidth;
  localparam int unsigned   UnansweredWidth = 12;   // of all initiators, all their tags

  // --- requests

  logic valid, offered_q, deny, denied, leaves;

  noc_buffer #(
    .Width(noc_pkg::ReqWidth),
    .Depth(Depth)
  ) u_buffer (
    .clk_i,
    .rst_ni,
    .a_valid_i  (cw_req_valid_i),
    .a_data_i   (cw_req_i),
    .b_valid_i  (ccw_req_valid_i),
    .b_data_i   (ccw_req_i),
    .out_valid_o(valid),
    .out_ready_i(leaves),
    .out_data_o (req_o)
  );

  assign deny        = valid && fence_i && !offered_q;
  assign req_valid_o = valid && !deny;
  assign leaves      = (req_valid_o && req_ready_i) || denied;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) offered_q <= 1'b0;
    else offered_q <= req_valid_o && !req_ready_i;
  end

  // --- responses: the target's, and in their gaps those of the fence

  logic clockwise, rsp_valid, rsp_ready;

  assign rsp_valid   = rsp_valid_i || deny;
  assign rsp_dests_o = noc_pkg::one(ring_rsp_o.dest);
  assign clockwise   = (rsp_dests_o & Clockwise) != '0;
  assign rsp_ready   = clockwise ? cw_rsp_ready_i : ccw_rsp_ready_i;
  assign rsp_ready_o = rsp_ready && rsp_valid_i;
  assign denied      = deny && !rsp_valid_i && rsp_ready;

  assign cw_rsp_valid_o  = rsp_valid && clockwise;
  assign ccw_rsp_valid_o = rsp_valid && !clockwise;

  assign ring_rsp_o.dest   = rsp_valid_i ? rsp_i.dest : req_o.source;
  assign ring_rsp_o.tag    = rsp_valid_i ? rsp_i.tag : req_o.tag;
  assign ring_rsp_o.status = rsp_valid_i ? rsp_i.status : noc_pkg::StatusDenied;
  assign ring_rsp_o.data   = rsp_i.data;

  logic [UnansweredWidth-1:0] unanswered_q;   // taken by the target
  logic                       taken, answered;

  assign taken    = req_valid_o && req_ready_i;
  assign answered = rsp_valid_i && rsp_ready_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) unanswered_q <= '0;
    else if (taken && !answered) unanswered_q <= unanswered_q + 1'b1;
    else if (answered && !taken) unanswered_q <= unanswered_q - 1'b1;
  end

  // --- credits: they add up while they wait

  logic [Nodes*CreditWidth-1:0] freed_q;
  logic [Nodes-1:0]             some_freed, cw_take, ccw_take;
  logic [CreditWidth-1:0]       cw_count, ccw_count;
  logic [$clog2(Nodes)-1:0]     cw_index, ccw_index;

  always_comb begin
    for (int unsigned i = 0; i < Nodes; i++) some_freed[i] = freed_q[i*CreditWidth +: CreditWidth] != '0;
  end

  stream_arbiter #(
    .N    (Nodes),
    .Width(CreditWidth)
  ) u_cw_credits (
    .clk_i,
    .rst_ni,
    .in_valid_i (some_freed & Clockwise[Nodes-1:0]),
    .in_ready_o (cw_take),
    .in_data_i  (freed_q),
    .out_valid_o(cw_credit_valid_o),
    .out_ready_i(cw_credit_ready_i),
    .out_data_o (cw_count),
    .out_index_o(cw_index)
  );
  stream_arbiter #(
    .N    (Nodes),
    .Width(CreditWidth)
  ) u_ccw_credits (
    .clk_i,
    .rst_ni,
    .in_valid_i (some_freed & ~Clockwise[Nodes-1:0]),
    .in_ready_o (ccw_take),
    .in_data_i  (freed_q),
    .out_valid_o(ccw_credit_valid_o),
    .out_ready_i(ccw_credit_ready_i),
    .out_data_o (ccw_count),
    .out_index_o(ccw_index)
  );

  assign cw_credit_dests_o  = noc_pkg::one(3'(cw_index));
  assign ccw_credit_dests_o = noc_pkg::one(3'(ccw_index));
  assign cw_credit_o.from   = 3'(Node);
  assign cw_credit_o.count  = cw_count;
  assign ccw_credit_o.from  = 3'(Node);
  assign ccw_credit_o.count = ccw_count;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      freed_q <= '0;
    end else if (leaves || some_freed != '0) begin
      for (int unsigned i = 0; i < Nodes; i++) begin
        freed_q[i*CreditWidth +: CreditWidth] <= (cw_take[i] || ccw_take[i] ? '0 : freed_q[i*CreditWidth +: CreditWidth]) +
                                                 CreditWidth'(leaves && req_o.source == 3'(i));
      end
    end
  end

  assign idle_o = unanswered_q == '0 && !req_valid_o;
  assign busy_o = valid || some_freed != '0;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!rsp_valid_i || unanswered_q != '0) else $error("the target of node %0d answers a request that it has not", Node);
    end
  end
`endif

endmodule
