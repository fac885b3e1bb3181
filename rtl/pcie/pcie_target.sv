// SPDX-License-Identifier: Apache-2.0
// The endpoint as a target of the ring: registers for the management processor. One request at a time.
module pcie_target (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                req_valid_i,
  output logic                req_ready_o,
  input  noc_pkg::req_t       req_i,
  output logic                rsp_valid_o,
  input  logic                rsp_ready_i,
  output noc_pkg::rsp_t       rsp_o,

  output logic                line_valid_o,
  input  logic                line_ready_i,
  output pcie_pkg::line_req_t line_req_o,
  input  logic                line_done_i,
  input  pcie_pkg::line_rsp_t line_rsp_i,
  output logic                busy_o
);

  typedef enum logic [1:0] {Idle, Wait, Respond} state_e;
  state_e state_q, state_d;

  logic here, allowed;
  assign here    = req_i.addr[39:18] == memmap_pkg::CardRegionBase[39:18];
  assign allowed = req_i.op == mbus_pkg::OpRead || req_i.op == mbus_pkg::OpWrite;

  logic [63:0] read_strb;
  always_comb begin
    read_strb = '0;
    if (req_valid_i) begin
      case (req_i.size)
        3'd0:    read_strb = 64'h1 << req_i.addr[5:0];
        3'd1:    read_strb = 64'h3 << {req_i.addr[5:1], 1'b0};
        3'd2:    read_strb = 64'hf << {req_i.addr[5:2], 2'b0};
        3'd3:    read_strb = 64'hff << {req_i.addr[5:3], 3'b0};
        3'd4:    read_strb = 64'hffff << {req_i.addr[5:4], 4'b0};
        3'd5:    read_strb = 64'hffff_ffff << {req_i.addr[5], 5'b0};
        default: read_strb = '1;
      endcase
    end
  end

  assign line_valid_o = state_q == Idle && req_valid_i && here && allowed;
  always_comb begin
    line_req_o        = '0;
    line_req_o.master = 1'b1;
    line_req_o.write  = req_i.op == mbus_pkg::OpWrite;
    line_req_o.line   = req_i.addr[17:6];
    line_req_o.strb   = line_req_o.write ? req_i.strb : read_strb;
    line_req_o.data   = req_i.data;
  end
  assign req_ready_o = state_q == Idle && (line_ready_i || !here || !allowed);

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle:    if (req_valid_i && req_ready_o) state_d = line_valid_o ? Wait : Respond;
      Wait:    if (line_done_i) state_d = Respond;
      default: if (rsp_ready_i) state_d = Idle;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= Idle;
    else state_q <= state_d;
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Idle && req_valid_i) begin
      rsp_o.dest   <= req_i.source;
      rsp_o.tag    <= req_i.tag;
      rsp_o.status <= here ? noc_pkg::StatusDenied : noc_pkg::StatusNobody;
    end
    if (state_q == Wait && line_done_i) begin
      rsp_o.status <= line_rsp_i.err ? noc_pkg::StatusDenied : noc_pkg::StatusOk;
      rsp_o.data   <= line_rsp_i.data;
    end
  end

  assign rsp_valid_o = state_q == Respond;
  assign busy_o      = state_q != Idle;

endmodule
