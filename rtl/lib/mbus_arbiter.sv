// SPDX-License-Identifier: Apache-2.0
// Several masters share one slave of the memory bus.
//
// Cuts: nothing; requests and responses pass in the same cycle.
// Orders: requests as stream_arbiter (round robin, the choice stands while stalled). Responses of one id come back in
//   request order, as the bus's law has it, so a queue per id remembers whose they are.
// A request whose turn it is waits while MaxOutstanding requests of its id are unanswered, and the others with it: to let
//   them pass would be unfair to it. Two are enough for one request per cycle to a slave that answers in the next one.
// Master i has bits [i*ReqWidth +: ReqWidth] of mst_req_i. All masters see mst_rsp_o; the one it is for has its bit of
// mst_rsp_valid_o set.
module mbus_arbiter #(
  parameter  int unsigned N              = 2,
  parameter  int unsigned MaxOutstanding = 4,
  localparam int unsigned ReqWidth       = 9 + mbus_pkg::AddrWidth + mbus_pkg::LineBytes + mbus_pkg::LineBits
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic [N-1:0]          mst_req_valid_i,
  output logic [N-1:0]          mst_req_ready_o,
  input  logic [N*ReqWidth-1:0] mst_req_i,
  output logic [N-1:0]          mst_rsp_valid_o,
  output mbus_pkg::rsp_t        mst_rsp_o,

  output logic                  slv_req_valid_o,
  input  logic                  slv_req_ready_i,
  output mbus_pkg::req_t        slv_req_o,
  input  logic                  slv_rsp_valid_i,
  input  mbus_pkg::rsp_t        slv_rsp_i
);

  localparam int unsigned IndexWidth = N > 1 ? $clog2(N) : 1;
  localparam int unsigned Ids        = 3;

  logic                  req_valid, room;
  logic [IndexWidth-1:0] grant_index;

  // One route queue per id.
  logic [Ids-1:0]        route_in_valid, route_in_ready, route_out_valid, route_out_ready;
  logic [Ids*IndexWidth-1:0] route_index;
  logic [IndexWidth-1:0] rsp_index;

  // Only a request that leaves takes room away: once there is room for the one that waits, it stays.
  always_comb begin
    room = 1'b0;
    for (int unsigned id = 0; id < Ids; id++) begin
      if (slv_req_o.id == 2'(id)) room = route_in_ready[id];
    end
  end

  assign slv_req_valid_o = req_valid && room;

  stream_arbiter #(
    .N    (N),
    .Width(ReqWidth)
  ) u_arbiter (
    .clk_i,
    .rst_ni,
    .in_valid_i (mst_req_valid_i),
    .in_ready_o (mst_req_ready_o),
    .in_data_i  (mst_req_i),
    .out_valid_o(req_valid),
    .out_ready_i(slv_req_ready_i && room),
    .out_data_o (slv_req_o),
    .out_index_o(grant_index)
  );

  for (genvar id = 0; id < Ids; id++) begin : g_route
    assign route_in_valid[id]  = slv_req_valid_o && slv_req_ready_i && slv_req_o.id == 2'(id);
    assign route_out_ready[id] = slv_rsp_valid_i && slv_rsp_i.id == 2'(id);

    stream_fifo #(
      .Width(IndexWidth),
      .Depth(MaxOutstanding)
    ) u_queue (
      .clk_i,
      .rst_ni,
      .in_valid_i (route_in_valid[id]),
      .in_ready_o (route_in_ready[id]),
      .in_data_i  (grant_index),
      .out_valid_o(route_out_valid[id]),
      .out_ready_i(route_out_ready[id]),
      .out_data_o (route_index[id*IndexWidth +: IndexWidth])
    );
  end

  always_comb begin
    rsp_index = '0;
    for (int unsigned id = 0; id < Ids; id++) begin
      if (slv_rsp_i.id == 2'(id)) rsp_index = route_index[id*IndexWidth +: IndexWidth];
    end
    for (int unsigned i = 0; i < N; i++) begin
      mst_rsp_valid_o[i] = slv_rsp_valid_i && rsp_index == IndexWidth'(i);
    end
  end

  assign mst_rsp_o = slv_rsp_i;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert ($bits(mbus_pkg::req_t) == ReqWidth) else $error("ReqWidth is not the width of a request");
      assert ((route_out_ready & ~route_out_valid) == '0) else $error("a response that nobody asked for");
      assert (!slv_rsp_valid_i || slv_rsp_i.id < 2'(Ids)) else $error("a response with an unknown id");
      assert (!req_valid || slv_req_o.id < 2'(Ids)) else $error("master %0d uses an unknown id", grant_index);
    end
  end
`endif

endmodule
