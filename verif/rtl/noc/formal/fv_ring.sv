// SPDX-License-Identifier: Apache-2.0
// One class of the ring in one direction: noc_stop after noc_stop, in a circle.
//
// Every packet comes out at each of its destinations exactly once, unchanged, after exactly as many cycles as there are hops, and
// then is gone. So nothing on the ring ever waits. A packet that is allowed to go waits less than Patience + 2*Nodes cycles.
module fv_ring #(
  parameter int unsigned Nodes      = 3,
  parameter int unsigned Patience   = 3,
  parameter int unsigned QueueDepth = 1
) (
  input logic                   clk_i,
  input logic [Nodes-1:0]       in_valid_i,
  input logic [Nodes*Nodes-1:0] in_dests_i,
  input logic [Nodes-1:0]       head_ok_i,
  input logic                   pick_i,
  input logic [2:0]             pick_node_i
);

  logic rst_ni;
  fv_reset u_reset (
    .clk_i,
    .rst_no(rst_ni)
  );

  localparam int unsigned Longest = Patience + 2*Nodes;

  logic [Nodes-1:0]       eject, inject;
  logic [Nodes*Nodes-1:0] head_dests, register_dests, register_data;

  localparam int unsigned SlotWidth = 10;
  logic [Nodes*SlotWidth-1:0] slots;

  for (genvar i = 0; i < Nodes; i++) begin : g_node
    localparam int unsigned Before = (i + Nodes - 1) % Nodes;

    logic [5:0]     head;
    logic           in_ready, busy;
    assign head_dests[i*Nodes +: Nodes]     = head[Nodes-1:0];
    assign register_dests[i*Nodes +: Nodes] = slots[i*SlotWidth+4 +: Nodes];

    noc_stop #(
      .Width     (Nodes),
      .Nodes     (Nodes),
      .Node      (i),
      .QueueDepth(QueueDepth),
      .Patience  (Patience)
    ) u_stop (
      .clk_i,
      .rst_ni,
      .link_slot_i (slots[Before*SlotWidth +: SlotWidth]),
      .link_data_i (register_data[Before*Nodes +: Nodes]),
      .link_slot_o (slots[i*SlotWidth +: SlotWidth]),
      .link_data_o (register_data[i*Nodes +: Nodes]),
      .eject_o     (eject[i]),
      .in_valid_i  (in_valid_i[i]),
      .in_ready_o  (in_ready),
      .in_dests_i  ({(6-Nodes)'(0), in_dests_i[i*Nodes +: Nodes]}),
      .in_data_i   (in_dests_i[i*Nodes +: Nodes]),   // the payload: where it has to go
      .head_dests_o(head),
      .head_ok_i   (head_ok_i[i]),
      .inject_o    (inject[i]),
      .busy_o      (busy)
    );

    stream_law #(.Width(Nodes), .Assume(1'b1)) u_in_law (
      .clk_i, .rst_ni, .valid_i(in_valid_i[i]), .ready_i(in_ready),
      .data_i(in_dests_i[i*Nodes +: Nodes])
    );

    // What waits may go at some time, and then until it has gone.
    logic       waits, allowed_q;
    logic [1:0] queued_q;
    logic [4:0] waited_q;

    assign waits = (queued_q != '0 || in_valid_i[i]) && head_ok_i[i] && !inject[i];

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        queued_q  <= '0;
        allowed_q <= 1'b0;
        waited_q  <= '0;
      end else begin
        queued_q  <= queued_q + 2'(in_valid_i[i] && in_ready) - 2'(inject[i]);
        allowed_q <= waits;
        waited_q  <= waits ? waited_q + 1'b1 : '0;
      end
    end

    always_comb begin
      if (rst_ni) begin
        if (in_valid_i[i]) assume (in_dests_i[i*Nodes +: Nodes] != '0);
        if (allowed_q) assume (head_ok_i[i]);
        assert (waited_q < 5'(Longest));
        assert (queued_q <= 2'(QueueDepth));
        assert (!inject[i] || queued_q != '0 || in_valid_i[i]);
      end
    end
  end

  // One packet, picked at any time when it enters a slot, and followed.
  logic             followed_q, starts;
  logic [2:0]       at_q;              // it stands in the register behind this node
  logic [2:0]       hops_q;            // so many hops after it entered
  logic [Nodes-1:0] left_q, dests_q;   // where it still must go, and where it had to go at first
  logic [Nodes-1:0] entering, slot_dests, slot_data;
  logic [2:0]       next;
  logic             ejected;

  always_comb begin
    entering   = '0;
    starts     = 1'b0;
    slot_dests = '0;
    slot_data  = '0;
    ejected    = 1'b0;
    next       = at_q == 3'(Nodes - 1) ? '0 : at_q + 1'b1;
    for (int unsigned i = 0; i < Nodes; i++) begin
      if (pick_node_i == 3'(i)) begin
        entering = head_dests[i*Nodes +: Nodes];
        starts   = pick_i && inject[i];
      end
      if (at_q == 3'(i)) begin
        slot_dests = register_dests[i*Nodes +: Nodes];
        slot_data  = register_data[i*Nodes +: Nodes];
      end
      if (next == 3'(i)) ejected = eject[i];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) followed_q <= 1'b0;
    else if (!followed_q) followed_q <= starts;
    else followed_q <= (left_q & ~(Nodes'(1) << next)) != '0;
  end

  always_ff @(posedge clk_i) begin
    if (!followed_q) begin
      at_q    <= pick_node_i;
      left_q  <= entering;
      dests_q <= entering;
      hops_q  <= 3'd1;
    end else begin
      at_q    <= next;
      left_q  <= left_q & ~(Nodes'(1) << next);
      hops_q  <= hops_q + 1'b1;
    end
  end

  always_comb begin
    if (rst_ni && followed_q) begin
      assert (hops_q <= 3'(Nodes));
      assert (slot_dests == left_q);
      assert (slot_data == dests_q);
      assert (ejected == left_q[next[1:0]]);
    end
  end

endmodule
