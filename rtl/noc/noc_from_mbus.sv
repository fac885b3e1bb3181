// SPDX-License-Identifier: Apache-2.0
// A slave of the memory bus that asks on the ring: the management core's way to memory and devices of the card.
//
// Cuts: nothing; a request passes in the same cycle, and so does a response that comes in its turn.
// Orders: responses within an id, in request order, as the bus's law has it; those that come too early wait here. A request
//   waits while another one to its line is under way, unless both read: targets need not keep the order.
// At most Entries requests are under way. They use the tags 0 to Entries - 1.
// A response is a stream here: it waits while rsp_ready_i is low, for an integrator with several slaves that may answer at the
//   same time. Tie it high elsewhere.
// Any status but StatusOk becomes an error.
// Illegal: Entries that are no power of two, or less than 2.
module noc_from_mbus #(
  parameter int unsigned Entries = 8
) (
  input  logic           clk_i,
  input  logic           rst_ni,

  input  logic           req_valid_i,
  output logic           req_ready_o,
  input  mbus_pkg::req_t req_i,
  output logic           rsp_valid_o,
  input  logic           rsp_ready_i,
  output mbus_pkg::rsp_t rsp_o,

  // Initiator of the ring
  output logic           noc_req_valid_o,
  input  logic           noc_req_ready_i,
  output noc_pkg::req_t  noc_req_o,
  input  logic           noc_rsp_valid_i,
  input  noc_pkg::rsp_t  noc_rsp_i,

  output logic           busy_o     // low: nothing will happen until an input moves
);

  localparam int unsigned Ids       = 3;
  localparam int unsigned TagWidth  = $clog2(Entries);
  localparam int unsigned LineWidth = mbus_pkg::AddrWidth - 6;

  // --- requests under way: one entry per tag

  logic [Entries-1:0]      used_q, stored_q, err_q, read_q;
  logic [1:0]              id_q [Entries];
  logic [LineWidth-1:0]    line_q [Entries];
  logic [Entries-1:0]      vacant, conflicts;
  logic                    is_read, admit, take;
  logic [TagWidth-1:0]     tag, tag_q;
  logic                    offered_q;

  assign is_read = req_i.op == mbus_pkg::OpRead;
  assign vacant  = ~used_q & (used_q + 1'b1);   // the lowest free entry

  always_comb begin
    tag       = '0;
    conflicts = '0;
    for (int unsigned i = 0; i < Entries; i++) begin
      if (vacant[i]) tag = TagWidth'(i);
      if (req_valid_i) conflicts[i] = used_q[i] && line_q[i] == req_i.addr[mbus_pkg::AddrWidth-1:6] && !(is_read && read_q[i]);
    end
    if (offered_q) tag = tag_q;   // a request that waits keeps its tag
  end

  assign admit           = vacant != '0 && conflicts == '0;
  assign noc_req_valid_o = req_valid_i && admit;
  assign req_ready_o     = noc_req_ready_i && admit;
  assign take            = req_valid_i && req_ready_o;

  assign noc_req_o.op     = req_i.op;
  assign noc_req_o.source = '0;
  assign noc_req_o.tag    = 8'(tag);
  assign noc_req_o.addr   = req_i.addr;
  assign noc_req_o.size   = req_i.size;
  assign noc_req_o.strb   = req_i.strb;
  assign noc_req_o.data   = req_i.data;

  // --- whose turn it is, per id

  logic [Ids-1:0]          turn_valid, turn_take, turn_stored;
  logic [Ids*TagWidth-1:0] turn_tag;

  // --- responses: those that wait go first, and what comes meanwhile waits too

  logic                    stored_valid, direct, deliver, rsp_err;
  logic [TagWidth-1:0]     stored_tag, noc_tag, rsp_tag;
  logic [1:0]              noc_id, rsp_id, stored_id;
  logic [511:0]            data_q [Entries];

  assign noc_tag = noc_rsp_i.tag[TagWidth-1:0];
  assign noc_id  = id_q[noc_tag];

  for (genvar id = 0; id < Ids; id++) begin : g_turn
    assign turn_take[id]   = deliver && rsp_id == 2'(id);
    assign turn_stored[id] = turn_valid[id] && stored_q[turn_tag[id*TagWidth +: TagWidth]];

    stream_fifo #(
      .Width(TagWidth),
      .Depth(Entries)
    ) u_queue (
      .clk_i,
      .rst_ni,
      .in_valid_i (take && req_i.id == 2'(id)),
      .in_ready_o (),
      .in_data_i  (tag),
      .out_valid_o(turn_valid[id]),
      .out_ready_i(turn_take[id]),
      .out_data_o (turn_tag[id*TagWidth +: TagWidth])
    );
  end

  stream_arbiter #(
    .N    (Ids),
    .Width(TagWidth)
  ) u_stored (
    .clk_i,
    .rst_ni,
    .in_valid_i (turn_stored),
    .in_ready_o (),
    .in_data_i  (turn_tag),
    .out_valid_o(stored_valid),
    .out_ready_i(rsp_ready_i),
    .out_data_o (stored_tag),
    .out_index_o(stored_id)
  );

  always_comb begin
    direct = 1'b0;
    for (int unsigned id = 0; id < Ids; id++) begin
      if (noc_id == 2'(id) && turn_tag[id*TagWidth +: TagWidth] == noc_tag) direct = noc_rsp_valid_i && !stored_valid;
    end
  end

  assign rsp_valid_o = stored_valid || direct;
  assign deliver     = rsp_valid_o && rsp_ready_i;
  assign rsp_tag     = stored_valid ? stored_tag : noc_tag;
  assign rsp_id      = stored_valid ? stored_id : noc_id;
  assign rsp_err     = stored_valid ? err_q[stored_tag] : noc_rsp_i.status != noc_pkg::StatusOk;
  always_comb begin
    rsp_o = {rsp_id, rsp_err, noc_rsp_i.data};
    if (stored_valid) rsp_o.data = data_q[stored_tag];
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      used_q    <= '0;
      stored_q  <= '0;
      offered_q <= 1'b0;
    end else begin
      offered_q <= noc_req_valid_o && !noc_req_ready_i;
      for (int unsigned i = 0; i < Entries; i++) begin
        if (take && tag == TagWidth'(i)) used_q[i] <= 1'b1;
        else if (deliver && rsp_tag == TagWidth'(i)) used_q[i] <= 1'b0;
        if (deliver && rsp_tag == TagWidth'(i)) stored_q[i] <= 1'b0;
        else if (noc_rsp_valid_i && noc_tag == TagWidth'(i)) stored_q[i] <= 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (noc_req_valid_o) tag_q <= tag;
    if (take) begin
      id_q[tag]   <= req_i.id;
      line_q[tag] <= req_i.addr[mbus_pkg::AddrWidth-1:6];
      read_q[tag] <= is_read;
    end
    if (noc_rsp_valid_i && !(direct && rsp_ready_i)) begin
      data_q[noc_tag] <= noc_rsp_i.data;
      err_q[noc_tag]  <= noc_rsp_i.status != noc_pkg::StatusOk;
    end
  end

  assign busy_o = stored_q != '0;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!noc_rsp_valid_i || (used_q[noc_tag] && !stored_q[noc_tag] && noc_rsp_i.tag < 8'(Entries)))
        else $error("the ring answers tag %0d, which waits for nothing", noc_rsp_i.tag);
      assert (!req_valid_i || req_i.id < 2'(Ids)) else $error("a request with an unknown id");
    end
  end
`endif

endmodule
