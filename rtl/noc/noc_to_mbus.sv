// SPDX-License-Identifier: Apache-2.0
// A target of the ring that is a master of the memory bus: the ring's way to the management processor's memory and inbox.
//
// Cuts: nothing; requests pass in the same cycle, responses too while the ring takes them.
// Orders: everything: all requests have one id, and so come back in order.
// At most Entries requests are under way, each with room here for its answer.
// An error on the bus becomes StatusDenied.
module noc_to_mbus #(
  parameter int unsigned   Entries = 4,
  parameter mbus_pkg::id_e Id      = mbus_pkg::IdRead
) (
  input  logic           clk_i,
  input  logic           rst_ni,

  // Target of the ring
  input  logic           noc_req_valid_i,
  output logic           noc_req_ready_o,
  input  noc_pkg::req_t  noc_req_i,
  output logic           noc_rsp_valid_o,
  input  logic           noc_rsp_ready_i,
  output noc_pkg::rsp_t  noc_rsp_o,

  output logic           req_valid_o,
  input  logic           req_ready_i,
  output mbus_pkg::req_t req_o,
  input  logic           rsp_valid_i,
  input  mbus_pkg::rsp_t rsp_i,

  output logic           busy_o     // low: nothing will happen until an input moves
);

  localparam int unsigned WhoWidth  = 3 + noc_pkg::TagWidth;
  localparam int unsigned RspWidth  = 1 + mbus_pkg::LineBits;

  logic                take, give, room;
  logic [WhoWidth-1:0] who;     // asked for the response that is next to go
  logic                rsp_err;

  assign req_valid_o     = noc_req_valid_i && room;
  assign noc_req_ready_o = req_ready_i && room;
  assign take            = req_valid_o && req_ready_i;
  assign give            = noc_rsp_valid_o && noc_rsp_ready_i;

  assign req_o           = {noc_req_i.op, Id, noc_req_i.addr, noc_req_i.size, noc_req_i.strb, noc_req_i.data};

  credit_counter #(
    .Credits(Entries)
  ) u_room (
    .clk_i,
    .rst_ni,
    .take_i (take),
    .give_i (give),
    .avail_o(room),
    .count_o()
  );

  stream_fifo #(
    .Width(WhoWidth),
    .Depth(Entries)
  ) u_who (
    .clk_i,
    .rst_ni,
    .in_valid_i (take),
    .in_ready_o (),
    .in_data_i  ({noc_req_i.source, noc_req_i.tag}),
    .out_valid_o(),
    .out_ready_i(give),
    .out_data_o (who)
  );

  stream_fifo #(
    .Width      (RspWidth),
    .Depth      (Entries),
    .FallThrough(1'b1)
  ) u_answers (
    .clk_i,
    .rst_ni,
    .in_valid_i (rsp_valid_i),
    .in_ready_o (),
    .in_data_i  ({rsp_i.err, rsp_i.data}),
    .out_valid_o(noc_rsp_valid_o),
    .out_ready_i(noc_rsp_ready_i),
    .out_data_o ({rsp_err, noc_rsp_o.data})
  );

  assign noc_rsp_o.dest   = who[WhoWidth-1 -: 3];
  assign noc_rsp_o.tag    = who[noc_pkg::TagWidth-1:0];
  assign noc_rsp_o.status = rsp_err ? noc_pkg::StatusDenied : noc_pkg::StatusOk;

  assign busy_o = noc_rsp_valid_o;

endmodule
