// SPDX-License-Identifier: Apache-2.0
// Rings the management processor: bits become writes to `inbox.work` over the ring, one at a time; bits that come meanwhile go
// together with the next.
module pcie_inbox (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [63:0]      bits_i,            // pulses

  output logic             noc_req_valid_o,
  input  logic             noc_req_ready_i,
  output noc_pkg::req_t    noc_req_o,
  input  logic             noc_rsp_valid_i,
  input  noc_pkg::status_t noc_rsp_status_i,
  output logic             failed_o,          // pulse: nobody heard it
  output logic             busy_o
);

  logic [63:0] pending_q, sent_q;
  logic        valid_q, waiting_q, start;
  assign start = pending_q != '0 && !valid_q && !waiting_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      pending_q <= '0;
      valid_q   <= 1'b0;
      waiting_q <= 1'b0;
    end else begin
      pending_q <= (start ? '0 : pending_q) | bits_i;
      if (start) valid_q <= 1'b1;
      else if (noc_req_ready_i) valid_q <= 1'b0;
      if (valid_q && noc_req_ready_i) waiting_q <= 1'b1;
      else if (noc_rsp_valid_i) waiting_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (start) sent_q <= pending_q;
  end

  assign noc_req_valid_o = valid_q;
  always_comb begin
    noc_req_o            = '0;
    noc_req_o.op         = mbus_pkg::OpWrite;
    noc_req_o.source     = noc_pkg::NodePcie;
    noc_req_o.tag        = pcie_pkg::TagInbox;
    noc_req_o.addr       = memmap_pkg::InboxDeviceBase + {28'd0, inbox_regs_pkg::WorkOffset};
    noc_req_o.size       = 3'd3;
    noc_req_o.strb       = 64'hff;
    noc_req_o.data[63:0] = sent_q;
  end
  assign failed_o = noc_rsp_valid_i && noc_rsp_status_i >= noc_pkg::StatusDenied;
  assign busy_o   = pending_q != '0 || valid_q || waiting_q;

endmodule
