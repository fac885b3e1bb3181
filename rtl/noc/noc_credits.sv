// SPDX-License-Identifier: Apache-2.0
// The credits of a node: for how many more requests there is room at each target.
//
// cw_ok_o and ccw_ok_o say whether all destinations of the packet at the head of a direction's queue have room; *_take_i takes
// a credit of each of them. Credits come back by the same two ways, those of one target always by the same one.
// Cuts: credits that come back (usable one cycle later).
// Illegal: more credits of a target coming back than were taken.
module noc_credits #(
  parameter int unsigned Nodes       = 6,
  parameter int unsigned Node        = 0,    // this one
  parameter int unsigned Credits     = 12,   // for each target
  parameter int unsigned SelfCredits = 2     // for this node's own
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  noc_pkg::set_t    cw_dests_i,
  output logic             cw_ok_o,
  input  logic             cw_take_i,
  input  noc_pkg::set_t    ccw_dests_i,
  output logic             ccw_ok_o,
  input  logic             ccw_take_i,

  input  logic             cw_give_i,
  input  noc_pkg::credit_t cw_credit_i,
  input  logic             ccw_give_i,
  input  noc_pkg::credit_t ccw_credit_i
);

  localparam int unsigned CreditWidth = noc_pkg::CreditWidth;

  logic [Nodes-1:0] lacking, take, give;
  noc_pkg::set_t    none;

  assign none     = 6'(lacking);
  assign cw_ok_o  = (cw_dests_i & none) == '0;
  assign ccw_ok_o = (ccw_dests_i & none) == '0;
  assign take     = (cw_take_i ? cw_dests_i[Nodes-1:0] : '0) | (ccw_take_i ? ccw_dests_i[Nodes-1:0] : '0);

  for (genvar i = 0; i < Nodes; i++) begin : g_target
    localparam int unsigned Full = i == Node ? SelfCredits : Credits;

    logic [CreditWidth-1:0] count_q, given;
    logic                   cw, ccw;

    assign cw         = cw_give_i && cw_credit_i.from == 3'(i);
    assign ccw        = ccw_give_i && ccw_credit_i.from == 3'(i);
    assign given      = cw ? cw_credit_i.count : ccw_credit_i.count;
    assign give[i]    = cw || ccw;
    assign lacking[i] = count_q == '0;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) count_q <= CreditWidth'(Full);
      else if (take[i] || give[i]) count_q <= count_q + (give[i] ? given : '0) - CreditWidth'(take[i]);
    end

`ifndef SYNTHESIS
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        assert (!take[i] || !lacking[i]) else $error("node %0d sends to node %0d without a credit", Node, i);
        assert (!give[i] || {1'b0, count_q} + {1'b0, given} <= (CreditWidth + 1)'(Full))
          else $error("node %0d gets more credits from node %0d than it took", Node, i);
      end
    end
`endif
  end

endmodule
