// SPDX-License-Identifier: Apache-2.0
// One master of the memory bus reaches several slaves.
//
// Cuts: nothing; requests and responses pass in the same cycle.
// Orders: responses have no ready and two slaves might answer in one cycle, so only one slave at a time has
//   requests outstanding: a request for another one waits until all are answered. That keeps the order within an id too.
// At most MaxOutstanding requests are unanswered at a time.
// sel_i names the slave of the request and is part of it: still while the request waits. What it decodes to is the
// business of the address map around this module; give addresses where nobody lives to an mbus_error.
// All slaves see slv_req_o. Responses do not pass through here: answering_o names the slave whose response counts, and the
// user picks it. (A vector of all responses would be moved in every cycle of a simulation.)
module mbus_demux #(
  parameter  int unsigned N              = 2,
  parameter  int unsigned MaxOutstanding = 8,
  localparam int unsigned IndexWidth     = N > 1 ? $clog2(N) : 1
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic [IndexWidth-1:0] sel_i,
  input  logic                  mst_req_valid_i,
  output logic                  mst_req_ready_o,
  input  mbus_pkg::req_t        mst_req_i,
  output logic                  mst_rsp_valid_o,
  output logic [IndexWidth-1:0] answering_o,

  output logic [N-1:0]          slv_req_valid_o,
  input  logic [N-1:0]          slv_req_ready_i,
  output mbus_pkg::req_t        slv_req_o,
  input  logic [N-1:0]          slv_rsp_valid_i
);

  localparam int unsigned CountWidth = $clog2(MaxOutstanding + 1);

  logic [IndexWidth-1:0] current_q;   // the slave that has requests outstanding
  logic [CountWidth-1:0] free;
  logic                  room, all_answered, admit, ready, take;

  assign all_answered    = free == CountWidth'(MaxOutstanding);
  assign admit           = all_answered || (room && sel_i == current_q);
  assign mst_req_ready_o = admit && ready;
  assign take            = mst_req_valid_i && mst_req_ready_o;
  assign slv_req_o       = mst_req_i;

  stream_demux #(
    .N(N)
  ) u_demux (
    .sel_i,
    .in_valid_i (mst_req_valid_i && admit),
    .in_ready_o (ready),
    .out_valid_o(slv_req_valid_o),
    .out_ready_i(slv_req_ready_i)
  );

  credit_counter #(
    .Credits(MaxOutstanding)
  ) u_outstanding (
    .clk_i,
    .rst_ni,
    .take_i (take),
    .give_i (mst_rsp_valid_o),
    .avail_o(room),
    .count_o(free)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) current_q <= '0;
    else if (take) current_q <= sel_i;
  end

  assign answering_o     = current_q;
  assign mst_rsp_valid_o = slv_rsp_valid_i[current_q];

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!mst_req_valid_i || {1'b0, sel_i} < (IndexWidth + 1)'(N)) else $error("slave %0d of %0d", sel_i, N);
      assert ((slv_rsp_valid_i & ~(N'(1) << current_q)) == '0) else $error("a response out of turn: %b", slv_rsp_valid_i);
    end
  end
`endif

endmodule
