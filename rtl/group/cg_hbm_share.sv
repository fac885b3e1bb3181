// SPDX-License-Identifier: Apache-2.0
// Two users of the group's HBM: its own CPEs, and whoever comes over the ring. One request per cycle, in turns when both want.
//
// Cuts: nothing; a request passes in the same cycle, and so does a response, to whom its `dest` names (cg_pkg::SourceDma and
//   SourceOther: the group's own).
// Orders: the requests of each user keep their order. While the HBM stalls the choice does not change.
module cg_hbm_share (
  input  logic          clk_i,
  input  logic          rst_ni,

  input  logic          ring_req_valid_i,
  output logic          ring_req_ready_o,
  input  noc_pkg::req_t ring_req_i,
  output logic          ring_rsp_valid_o,
  input  logic          ring_rsp_ready_i,
  output noc_pkg::rsp_t ring_rsp_o,

  input  logic          own_req_valid_i,
  output logic          own_req_ready_o,
  input  noc_pkg::req_t own_req_i,
  output logic          own_rsp_valid_o,
  input  logic          own_rsp_ready_i,
  output noc_pkg::rsp_t own_rsp_o,

  output logic          hbm_req_valid_o,
  input  logic          hbm_req_ready_i,
  output noc_pkg::req_t hbm_req_o,
  input  logic          hbm_rsp_valid_i,
  output logic          hbm_rsp_ready_o,
  input  noc_pkg::rsp_t hbm_rsp_i
);

  // The user that goes first when both want: the other than the last one, or the one that is stalled.
  logic own_first_q, own;
  assign own = own_req_valid_i && (own_first_q || !ring_req_valid_i);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) own_first_q <= 1'b0;
    else if (hbm_req_valid_o) own_first_q <= own != hbm_req_ready_i;
  end

  assign hbm_req_valid_o  = own_req_valid_i || ring_req_valid_i;
  assign own_req_ready_o  = hbm_req_ready_i && own;
  assign ring_req_ready_o = hbm_req_ready_i && !own;
  assign hbm_req_o        = own ? own_req_i : ring_req_i;

  logic to_own;
  assign to_own           = hbm_rsp_i.dest >= cg_pkg::SourceDma;
  assign own_rsp_valid_o  = hbm_rsp_valid_i && to_own;
  assign ring_rsp_valid_o = hbm_rsp_valid_i && !to_own;
  assign hbm_rsp_ready_o  = to_own ? own_rsp_ready_i : ring_rsp_ready_i;
  assign own_rsp_o        = hbm_rsp_i;
  assign ring_rsp_o       = hbm_rsp_i;

`ifndef SYNTHESIS
  logic stalled_q, own_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      stalled_q <= 1'b0;
      own_q     <= 1'b0;
    end else begin
      stalled_q <= hbm_req_valid_o && !hbm_req_ready_i;
      own_q     <= own;
      assert (!stalled_q || own == own_q) else $error("the choice changed while the HBM stalled");
    end
  end
`endif

endmodule
