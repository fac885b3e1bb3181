// SPDX-License-Identifier: Apache-2.0
// Rings of three to six nodes: select_i + 1 groups, the others stay in reset. Of Rings, a bit for each, those with one group and with
// four are there; all take twice as long to compile.
module tb_noc #(
  parameter  bit [3:0]    Rings    = 4'b1001,
  localparam int unsigned Nodes    = 6,
  localparam int unsigned ReqWidth = 634,
  localparam int unsigned RspWidth = 525
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic [1:0]                select_i,

  input  logic [Nodes-1:0]          ini_req_valid_i,
  output logic [Nodes-1:0]          ini_req_ready_o,
  input  logic [Nodes*ReqWidth-1:0] ini_req_i,
  output logic [Nodes-1:0]          ini_rsp_valid_o,
  output logic [Nodes*RspWidth-1:0] ini_rsp_o,
  output logic [Nodes-1:0]          tgt_req_valid_o,
  input  logic [Nodes-1:0]          tgt_req_ready_i,
  output logic [Nodes*ReqWidth-1:0] tgt_req_o,
  input  logic [Nodes-1:0]          tgt_rsp_valid_i,
  output logic [Nodes-1:0]          tgt_rsp_ready_o,
  input  logic [Nodes*RspWidth-1:0] tgt_rsp_i,
  input  logic [Nodes-1:0]          fence_i,
  output logic [Nodes-1:0]          drained_o,
  output logic                      busy_o,
  output logic [Nodes-1:0]          event_injected_o,
  output logic [Nodes-1:0]          event_ejected_o,
  output logic [Nodes-1:0]          event_stalled_o
);

  logic [Nodes-1:0]          ini_req_ready [4], ini_rsp_valid [4], tgt_req_valid [4], tgt_rsp_ready [4], drained [4];
  logic [Nodes-1:0]          injected [4], ejected [4], stalled [4];
  logic [Nodes*RspWidth-1:0] ini_rsp [4];
  logic [Nodes*ReqWidth-1:0] tgt_req [4];
  logic [3:0]                busy;

  for (genvar g = 0; g < 4; g++) begin : g_ring
    localparam int unsigned N = Rings[g] ? g + 3 : 0;

    if (N < Nodes) begin : g_rest
      assign ini_req_ready[g][Nodes-1:N]       = '0;
      assign ini_rsp_valid[g][Nodes-1:N]       = '0;
      assign tgt_req_valid[g][Nodes-1:N]       = '0;
      assign tgt_rsp_ready[g][Nodes-1:N]       = '0;
      assign drained[g][Nodes-1:N]             = '0;
      assign injected[g][Nodes-1:N]            = '0;
      assign ejected[g][Nodes-1:N]             = '0;
      assign stalled[g][Nodes-1:N]             = '0;
      assign ini_rsp[g][Nodes*RspWidth-1:N*RspWidth] = '0;
      assign tgt_req[g][Nodes*ReqWidth-1:N*ReqWidth] = '0;
    end

    if (N == 0) begin : g_absent
      assign busy[g] = 1'b0;
    end else begin : g_present
      noc #(
        .Groups(g + 1)
      ) u_noc (
        .clk_i,
        .rst_ni          (rst_ni && select_i == 2'(g)),
        .ini_req_valid_i (ini_req_valid_i[N-1:0]),
        .ini_req_ready_o (ini_req_ready[g][N-1:0]),
        .ini_req_i       (ini_req_i[N*ReqWidth-1:0]),
        .ini_rsp_valid_o (ini_rsp_valid[g][N-1:0]),
        .ini_rsp_o       (ini_rsp[g][N*RspWidth-1:0]),
        .tgt_req_valid_o (tgt_req_valid[g][N-1:0]),
        .tgt_req_ready_i (tgt_req_ready_i[N-1:0]),
        .tgt_req_o       (tgt_req[g][N*ReqWidth-1:0]),
        .tgt_rsp_valid_i (tgt_rsp_valid_i[N-1:0]),
        .tgt_rsp_ready_o (tgt_rsp_ready[g][N-1:0]),
        .tgt_rsp_i       (tgt_rsp_i[N*RspWidth-1:0]),
        .fence_i         (fence_i[N-1:0]),
        .drained_o       (drained[g][N-1:0]),
        .busy_o          (busy[g]),
        .event_injected_o(injected[g][N-1:0]),
        .event_ejected_o (ejected[g][N-1:0]),
        .event_stalled_o (stalled[g][N-1:0])
      );
    end
  end

  always_comb begin
    ini_req_ready_o  = ini_req_ready[select_i];
    ini_rsp_valid_o  = ini_rsp_valid[select_i];
    ini_rsp_o        = ini_rsp[select_i];
    tgt_req_valid_o  = tgt_req_valid[select_i];
    tgt_req_o        = tgt_req[select_i];
    tgt_rsp_ready_o  = tgt_rsp_ready[select_i];
    drained_o        = drained[select_i];
    busy_o           = busy[select_i];
    event_injected_o = injected[select_i];
    event_ejected_o  = ejected[select_i];
    event_stalled_o  = stalled[select_i];
  end

endmodule
