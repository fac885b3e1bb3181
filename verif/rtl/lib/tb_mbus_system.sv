// SPDX-License-Identifier: Apache-2.0
// A little system of the bus modules: three masters, SRAM of 4 KiB at 0x8000_0000, a register device in the 4 KiB at
// 0x1000_0000, nobody elsewhere.
module tb_mbus_system #(
  localparam int unsigned ReqWidth = 625,
  localparam int unsigned RspWidth = 515
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic [2:0]            mst_req_valid_i,
  output logic [2:0]            mst_req_ready_o,
  input  logic [3*ReqWidth-1:0] mst_req_i,
  output logic [2:0]            mst_rsp_valid_o,
  output logic [RspWidth-1:0]   mst_rsp_o,

  output reg_pkg::reg_req_t     reg_req_o,
  input  reg_pkg::reg_rsp_t     reg_rsp_i
);

  logic           req_valid, req_ready, rsp_valid;
  mbus_pkg::req_t req;
  mbus_pkg::rsp_t rsp;

  logic [1:0]     sel, answering;
  logic [2:0]     slv_req_valid, slv_req_ready, slv_rsp_valid;
  mbus_pkg::req_t slv_req;
  mbus_pkg::rsp_t sram_rsp, reg_rsp, error_rsp;

  mbus_arbiter #(
    .N(3)
  ) u_arbiter (
    .clk_i,
    .rst_ni,
    .mst_req_valid_i,
    .mst_req_ready_o,
    .mst_req_i,
    .mst_rsp_valid_o,
    .mst_rsp_o,
    .slv_req_valid_o(req_valid),
    .slv_req_ready_i(req_ready),
    .slv_req_o      (req),
    .slv_rsp_valid_i(rsp_valid),
    .slv_rsp_i      (rsp)
  );

  assign sel = req.addr[39:12] == 28'h0080000 ? 2'd0 : req.addr[39:12] == 28'h0010000 ? 2'd1 : 2'd2;

  mbus_demux #(
    .N(3)
  ) u_demux (
    .clk_i,
    .rst_ni,
    .sel_i          (sel),
    .mst_req_valid_i(req_valid),
    .mst_req_ready_o(req_ready),
    .mst_req_i      (req),
    .mst_rsp_valid_o(rsp_valid),
    .answering_o    (answering),
    .slv_req_valid_o(slv_req_valid),
    .slv_req_ready_i(slv_req_ready),
    .slv_req_o      (slv_req),
    .slv_rsp_valid_i(slv_rsp_valid)
  );
  assign rsp = answering == 2'd0 ? sram_rsp : answering == 2'd1 ? reg_rsp : error_rsp;

  mbus_sram #(
    .Bytes(4096),
    .Base (40'h00_8000_0000)
  ) u_sram (
    .clk_i,
    .rst_ni,
    .req_valid_i(slv_req_valid[0]),
    .req_ready_o(slv_req_ready[0]),
    .req_i      (slv_req),
    .rsp_valid_o(slv_rsp_valid[0]),
    .rsp_o      (sram_rsp)
  );

  mbus_to_reg u_to_reg (
    .clk_i,
    .rst_ni,
    .req_valid_i(slv_req_valid[1]),
    .req_ready_o(slv_req_ready[1]),
    .req_i      (slv_req),
    .rsp_valid_o(slv_rsp_valid[1]),
    .rsp_o      (reg_rsp),
    .reg_req_o,
    .reg_rsp_i
  );

  mbus_error u_error (
    .clk_i,
    .rst_ni,
    .req_valid_i(slv_req_valid[2]),
    .req_ready_o(slv_req_ready[2]),
    .req_id_i   (slv_req.id),
    .rsp_valid_o(slv_rsp_valid[2]),
    .rsp_o      (error_rsp)
  );

endmodule
