// SPDX-License-Identifier: Apache-2.0
// One node's stop on one class of the ring in one direction: the slot register behind the node, and a queue of what the
// node wants to put into passing slots.
//
// A slot moves by one stop in every cycle. Here it loses this node as a destination (eject_o: link_data_i is for this
//   node, which must take it), and when no other destination is left it is free for the node's own packet at once.
// Cuts: link_*_i to link_*_o (one cycle: the hop). in_ready_o comes from a register.
// Latency: none from in_* into the slot while the queue is empty and the slot free.
// Orders: packets leave in the order in which they came.
// The packet at the head of the queue goes when head_ok_i allows it, which must not fall before it has gone.
// Fairness: a packet that was allowed and found no free slot for Patience cycles claims the next slot that nobody has
//   claimed; a claimed slot comes back free. When Patience is Nodes or more, a packet waits less than Patience + 2*Nodes cycles.
// Illegal: a packet without destination.
module noc_stop #(
  parameter int unsigned Width      = 32,
  parameter int unsigned Nodes      = 6,
  parameter int unsigned Node       = 0,   // this one
  parameter int unsigned QueueDepth = 2,
  parameter int unsigned Patience   = 2*Nodes
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  noc_pkg::slot_t   link_slot_i,
  input  logic [Width-1:0] link_data_i,
  output noc_pkg::slot_t   link_slot_o,
  output logic [Width-1:0] link_data_o,

  output logic             eject_o,

  input  logic             in_valid_i,
  output logic             in_ready_o,
  input  noc_pkg::set_t    in_dests_i,
  input  logic [Width-1:0] in_data_i,

  output noc_pkg::set_t    head_dests_o,   // of the packet that wants to go, if there is one
  input  logic             head_ok_i,
  output logic             inject_o,       // it goes

  output logic             busy_o
);

  localparam int unsigned PtrWidth   = QueueDepth > 1 ? $clog2(QueueDepth) : 1;
  localparam int unsigned CountWidth = $clog2(QueueDepth + 1);
  localparam int unsigned WaitWidth  = $clog2(Patience + 1);
  localparam logic [5:0]    Self     = 6'(1) << Node;

  // The slot that passes
  noc_pkg::slot_t        slot_q, slot_d;
  logic [Width-1:0]      data_q;
  noc_pkg::set_t         others;
  logic                  passes, own_claim, free;

  // and the packets that wait.
  logic [Width-1:0]      mem_q [QueueDepth];
  noc_pkg::set_t         dests_q [QueueDepth];
  logic [PtrWidth-1:0]   read_ptr_q, write_ptr_q;
  logic [CountWidth-1:0] count_q;
  logic                  empty, wants, inject, push, pop;

  logic [WaitWidth-1:0]  waited_q;
  logic                  claims_q;      // a slot with this node's claim is on its way around
  logic                  claim;

  assign others    = link_slot_i.dests & ~Self;
  assign passes    = others != '0;
  assign eject_o   = (link_slot_i.dests & Self) != '0;
  assign own_claim = link_slot_i.claimed && link_slot_i.claimer == 3'(Node);
  assign free      = !passes && (!link_slot_i.claimed || own_claim);

  assign empty        = count_q == '0;
  assign in_ready_o   = count_q != CountWidth'(QueueDepth);
  assign head_dests_o = empty ? in_dests_i : dests_q[read_ptr_q];
  assign wants        = (!empty || in_valid_i) && head_ok_i;
  assign inject       = wants && free;
  assign inject_o     = inject;
  assign push         = in_valid_i && in_ready_o && !(empty && inject);
  assign pop          = inject && !empty;
  assign claim        = waited_q == WaitWidth'(Patience) && wants && !inject && !link_slot_i.claimed && !claims_q;

  always_comb begin
    slot_d = link_slot_i;
    slot_d.dests = inject ? head_dests_o : others;
    if (own_claim) slot_d.claimed = 1'b0;
    if (claim) begin
      slot_d.claimed = 1'b1;
      slot_d.claimer = 3'(Node);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      slot_q      <= '0;
      read_ptr_q  <= '0;
      write_ptr_q <= '0;
      count_q     <= '0;
      waited_q    <= '0;
      claims_q    <= 1'b0;
    end else begin
      slot_q <= slot_d;
      if (push) write_ptr_q <= write_ptr_q == PtrWidth'(QueueDepth - 1) ? '0 : write_ptr_q + 1'b1;
      if (pop) read_ptr_q <= read_ptr_q == PtrWidth'(QueueDepth - 1) ? '0 : read_ptr_q + 1'b1;
      if (push && !pop) count_q <= count_q + 1'b1;
      if (pop && !push) count_q <= count_q - 1'b1;
      if (!wants || inject) waited_q <= '0;
      else if (waited_q != WaitWidth'(Patience)) waited_q <= waited_q + 1'b1;
      if (claim) claims_q <= 1'b1;
      else if (own_claim) claims_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (push) begin
      mem_q[write_ptr_q]   <= in_data_i;
      dests_q[write_ptr_q] <= in_dests_i;
    end
    if (passes) data_q <= link_data_i;
    else if (inject) data_q <= empty ? in_data_i : mem_q[read_ptr_q];
  end

  assign link_slot_o = slot_q;
  assign link_data_o = data_q;
  assign busy_o      = slot_q.dests != '0 || slot_q.claimed || !empty;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!in_valid_i || in_dests_i != '0) else $error("a packet for nobody");
      assert (!own_claim || (claims_q && !passes)) else $error("a claimed slot came back to node %0d in use", Node);
      assert ((link_slot_i.dests >> Nodes) == '0) else $error("a destination off the ring");
    end
  end
`endif

endmodule
