// SPDX-License-Identifier: Apache-2.0
// What the rest of the card may reach in the management complex: the SRAM, and the inbox. Everything else, and
// reservations (the SRAM has one, the processor's), answers with an error.
//
// Cuts, orders: as mbus_demux.
module soc_visit #(
  parameter int unsigned SramBytes = 32'(memmap_pkg::SramBytes)
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic              req_valid_i,
  output logic              req_ready_o,
  input  mbus_pkg::req_t    req_i,
  output logic              rsp_valid_o,
  output mbus_pkg::rsp_t    rsp_o,

  output mbus_pkg::req_t    slv_req_o,
  output logic              sram_req_valid_o,
  input  logic              sram_req_ready_i,
  input  logic              sram_rsp_valid_i,
  input  mbus_pkg::rsp_t    sram_rsp_i,

  output reg_pkg::reg_req_t inbox_req_o,
  input  reg_pkg::reg_rsp_t inbox_rsp_i
);

  localparam logic [1:0] TargetSram   = 2'd0;
  localparam logic [1:0] TargetInbox  = 2'd1;
  localparam logic [1:0] TargetNobody = 2'd2;

  soc_pkg::target_t local_target;
  logic [1:0]       target, answering;
  logic             reserves;

  soc_decode #(
    .SramBytes (SramBytes)
  ) u_decode (
    .addr_i   (req_i.addr),
    .target_o (local_target)
  );

  assign reserves = req_i.op == mbus_pkg::OpLr || req_i.op == mbus_pkg::OpSc;

  always_comb begin
    target = TargetNobody;
    if (local_target == soc_pkg::TargetSram && !reserves) target = TargetSram;
    if (memmap_pkg::device_of(req_i.addr) == memmap_pkg::DeviceInbox) target = TargetInbox;
  end

  logic [2:0]     slave_req_valid, slave_req_ready, slave_rsp_valid;
  mbus_pkg::rsp_t inbox_rsp, nobody_rsp;

  mbus_demux #(
    .N (3)
  ) u_demux (
    .clk_i,
    .rst_ni,
    .sel_i           (target),
    .mst_req_valid_i (req_valid_i),
    .mst_req_ready_o (req_ready_o),
    .mst_req_i       (req_i),
    .mst_rsp_valid_o (rsp_valid_o),
    .answering_o     (answering),
    .slv_req_valid_o (slave_req_valid),
    .slv_req_ready_i (slave_req_ready),
    .slv_req_o,
    .slv_rsp_valid_i (slave_rsp_valid)
  );

  always_comb begin
    case (answering)
      TargetSram:  rsp_o = sram_rsp_i;
      TargetInbox: rsp_o = inbox_rsp;
      default:     rsp_o = nobody_rsp;
    endcase
  end

  assign sram_req_valid_o            = slave_req_valid[TargetSram];
  assign slave_req_ready[TargetSram] = sram_req_ready_i;
  assign slave_rsp_valid[TargetSram] = sram_rsp_valid_i;

  mbus_to_reg u_to_reg (
    .clk_i,
    .rst_ni,
    .req_valid_i (slave_req_valid[TargetInbox]),
    .req_ready_o (slave_req_ready[TargetInbox]),
    .req_i       (slv_req_o),
    .rsp_valid_o (slave_rsp_valid[TargetInbox]),
    .rsp_o       (inbox_rsp),
    .reg_req_o   (inbox_req_o),
    .reg_rsp_i   (inbox_rsp_i)
  );

  mbus_error u_nobody (
    .clk_i,
    .rst_ni,
    .req_valid_i (slave_req_valid[TargetNobody]),
    .req_ready_o (slave_req_ready[TargetNobody]),
    .req_id_i    (slv_req_o.id),
    .rsp_valid_o (slave_rsp_valid[TargetNobody]),
    .rsp_o       (nobody_rsp)
  );

endmodule
