// SPDX-License-Identifier: Apache-2.0
// The whole ring of three nodes with as little room as it can have, one credit for each target, and next to no payload. The assertions inside the design
// are what is proved: no packet arrives where there is no room, no credit is made or lost, no claimed slot comes back in use.
// Every node asks whomever it likes, multicast too, with up to four tags; every target takes and answers when it likes.
module fv_noc #(
  localparam int unsigned Nodes = 3
) (
  input logic               clk_i,
  input logic [Nodes-1:0]   req_valid_i,
  input logic [Nodes*2-1:0] req_tag_i,
  input logic [Nodes*2-1:0] req_to_i,      // a node, or 3: the set of groups
  input logic [Nodes-1:0]   take_i,
  input logic [Nodes-1:0]   answer_i,
  input logic [Nodes-1:0]   fence_i
);

  logic rst_ni;
  fv_reset u_reset (
    .clk_i,
    .rst_no(rst_ni)
  );

  localparam int unsigned ReqWidth = noc_pkg::ReqWidth;
  localparam int unsigned RspWidth = noc_pkg::RspWidth;

  logic [Nodes-1:0]          req_ready, rsp_valid, tgt_valid, tgt_ready, ans_valid, ans_ready;
  logic [Nodes*ReqWidth-1:0] req, tgt_req;
  logic [Nodes*RspWidth-1:0] rsp, ans;
  logic                      busy;
  logic [Nodes-1:0]          drained, event_injected, event_ejected, event_stalled;

  noc #(
    .Groups     (1),
    .Credits    (1),
    .Outstanding(4),
    .QueueDepth (1)
  ) u_noc (
    .clk_i,
    .rst_ni,
    .ini_req_valid_i (req_valid_i),
    .ini_req_ready_o (req_ready),
    .ini_req_i       (req),
    .ini_rsp_valid_o (rsp_valid),
    .ini_rsp_o       (rsp),
    .tgt_req_valid_o (tgt_valid),
    .tgt_req_ready_i (tgt_ready),
    .tgt_req_o       (tgt_req),
    .tgt_rsp_valid_i (ans_valid),
    .tgt_rsp_ready_o (ans_ready),
    .tgt_rsp_i       (ans),
    .fence_i,
    .drained_o       (drained),
    .busy_o          (busy),
    .event_injected_o(event_injected),
    .event_ejected_o (event_ejected),
    .event_stalled_o (event_stalled)
  );

  for (genvar i = 0; i < Nodes; i++) begin : g_node
    logic [39:0] addr;
    logic [1:0]  to, tag;

    assign to   = req_to_i[i*2 +: 2];
    assign tag  = req_tag_i[i*2 +: 2];
    assign addr = to == 2'd0 ? 40'h00_8000_0000 : to == 2'd1 ? 40'h10_0000_0000 : to == 2'd2 ? 40'h80_0000_0000 : 40'h12_0100_0000;
    assign req[i*ReqWidth +: ReqWidth] = {4'd1, 3'd0, tag, addr, 3'd0, 1'b0, 1'b0};

    stream_law #(.Width(4), .Assume(1'b1)) u_in_law (
      .clk_i, .rst_ni, .valid_i(req_valid_i[i]), .ready_i(req_ready[i]), .data_i({to, tag})
    );

    // A tag that is under way is not used.
    logic [3:0] used_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        used_q <= '0;
      end else begin
        if (rsp_valid[i]) used_q[rsp[i*RspWidth+3 +: 2]] <= 1'b0;
        if (req_valid_i[i] && req_ready[i]) used_q[tag] <= 1'b1;
      end
    end

    // A target that holds one request.
    logic       holds_q;
    logic [2:0] source_q;
    logic [1:0] tag_q;

    assign tgt_ready[i] = take_i[i] && !holds_q;
    assign ans[i*RspWidth +: RspWidth] = {source_q, tag_q, 2'd0, 1'b0};
    logic waits_q;
    assign ans_valid[i] = holds_q && (answer_i[i] || waits_q);

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        holds_q <= 1'b0;
        waits_q <= 1'b0;
      end else begin
        waits_q <= ans_valid[i] && !ans_ready[i];
        if (tgt_valid[i] && tgt_ready[i]) holds_q <= 1'b1;
        else if (ans_valid[i] && ans_ready[i]) holds_q <= 1'b0;
      end
    end
    always_ff @(posedge clk_i) begin
      if (tgt_valid[i] && tgt_ready[i]) begin
        source_q <= tgt_req[i*ReqWidth+47 +: 3];
        tag_q    <= tgt_req[i*ReqWidth+45 +: 2];
      end
    end

    always_comb begin
      if (rst_ni) begin
        if (req_valid_i[i]) assume (!used_q[tag]);
      end
    end
  end

endmodule
