// SPDX-License-Identifier: Apache-2.0
// The modules of the memory bus: select_i names the design under test, the others stay in reset. Three masters, three
// slaves and one register device are C++ (mbus_test.cpp has a table of the designs with the same numbers).
module tb_mbus #(
  localparam int unsigned ReqWidth = 625,
  localparam int unsigned RspWidth = 515
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic [2:0]            select_i,

  input  logic [2:0]            mst_req_valid_i,
  output logic [2:0]            mst_req_ready_o,
  input  logic [3*ReqWidth-1:0] mst_req_i,
  output logic [2:0]            mst_rsp_valid_o,
  output logic [RspWidth-1:0]   mst_rsp_o,

  input  logic [1:0]            sel_i,            // the slave that the demultiplexer's request is for
  output logic [2:0]            slv_req_valid_o,
  input  logic [2:0]            slv_req_ready_i,
  output logic [ReqWidth-1:0]   slv_req_o,
  input  logic [2:0]            slv_rsp_valid_i,
  output logic                  patient_rsp_ready_o,  // of slave 1 where it is a patient one
  input  logic [3*RspWidth-1:0] slv_rsp_i,

  output logic                  reg_valid_o,
  output logic                  reg_write_o,
  output logic [31:0]           reg_addr_o,
  output logic [63:0]           reg_wdata_o,
  output logic [7:0]            reg_wstrb_o,
  input  logic                  reg_ready_i,
  input  logic                  reg_err_i,
  input  logic [63:0]           reg_rdata_i
);

  localparam int unsigned Designs = 8;

  typedef enum logic [2:0] {
    Arbiter,
    Demux,
    Sram,
    OddSram,
    ToReg,
    Nobody,
    System,
    Split
  } design_e;

  logic [2:0]          mst_req_ready [Designs];
  logic [2:0]          mst_rsp_valid [Designs];
  logic [RspWidth-1:0] mst_rsp [Designs];
  logic [Designs-1:0]  rst_n;
  mbus_pkg::req_t      first_req;
  reg_pkg::reg_rsp_t   reg_rsp;
  reg_pkg::reg_req_t   reg_req, system_reg_req, selected_reg_req;

  assign first_req = mst_req_i[ReqWidth-1:0];
  assign reg_rsp   = '{ready: reg_ready_i, err: reg_err_i, rdata: reg_rdata_i};

  always_comb begin
    for (int unsigned d = 0; d < Designs; d++) rst_n[d] = rst_ni && select_i == 3'(d);
    mst_req_ready_o = mst_req_ready[select_i];
    mst_rsp_valid_o = mst_rsp_valid[select_i];
    mst_rsp_o       = mst_rsp[select_i];
  end

  // Designs of which some or all have slaves in C++
  logic                demux_select;
  logic [2:0]          demux_req_valid;
  logic [1:0]          split_req_valid;
  logic                arbiter_req_valid;
  mbus_pkg::req_t      demux_req, arbiter_req;

  assign demux_select     = select_i == Demux;
  assign slv_req_valid_o  = demux_select ? demux_req_valid :
                            select_i == Split ? {1'b0, split_req_valid} : {2'b0, arbiter_req_valid};
  assign slv_req_o        = demux_select ? demux_req : select_i == Split ? first_req : arbiter_req;
  assign selected_reg_req = select_i == System ? system_reg_req : reg_req;
  assign reg_valid_o      = selected_reg_req.valid;
  assign reg_write_o      = selected_reg_req.write;
  assign reg_addr_o       = selected_reg_req.addr;
  assign reg_wdata_o      = selected_reg_req.wdata;
  assign reg_wstrb_o      = selected_reg_req.wstrb;

  mbus_arbiter #(
    .N             (3),
    .MaxOutstanding(3)
  ) u_arbiter (
    .clk_i,
    .rst_ni         (rst_n[Arbiter]),
    .mst_req_valid_i,
    .mst_req_ready_o(mst_req_ready[Arbiter]),
    .mst_req_i,
    .mst_rsp_valid_o(mst_rsp_valid[Arbiter]),
    .mst_rsp_o      (mst_rsp[Arbiter]),
    .slv_req_valid_o(arbiter_req_valid),
    .slv_req_ready_i(slv_req_ready_i[0]),
    .slv_req_o      (arbiter_req),
    .slv_rsp_valid_i(slv_rsp_valid_i[0]),
    .slv_rsp_i      (slv_rsp_i[RspWidth-1:0])
  );

  logic [1:0] answering;
  assign mst_req_ready[Demux][2:1] = '0;
  assign mst_rsp_valid[Demux][2:1] = '0;
  mbus_demux #(
    .N             (3),
    .MaxOutstanding(4)
  ) u_demux (
    .clk_i,
    .rst_ni         (rst_n[Demux]),
    .sel_i,
    .mst_req_valid_i(mst_req_valid_i[0]),
    .mst_req_ready_o(mst_req_ready[Demux][0]),
    .mst_req_i      (first_req),
    .mst_rsp_valid_o(mst_rsp_valid[Demux][0]),
    .answering_o    (answering),
    .slv_req_valid_o(demux_req_valid),
    .slv_req_ready_i,
    .slv_req_o      (demux_req),
    .slv_rsp_valid_i
  );
  assign mst_rsp[Demux] = slv_rsp_i[answering*RspWidth +: RspWidth];

  assign mst_req_ready[Split][2:1] = '0;
  assign mst_rsp_valid[Split][2:1] = '0;
  mbus_split #(
    .MaxOutstanding(4)
  ) u_split (
    .clk_i,
    .rst_ni             (rst_n[Split]),
    .patient_i          (sel_i[0]),
    .mst_req_valid_i    (mst_req_valid_i[0]),
    .mst_req_ready_o    (mst_req_ready[Split][0]),
    .mst_req_i          (first_req),
    .mst_rsp_valid_o    (mst_rsp_valid[Split][0]),
    .mst_rsp_o          (mst_rsp[Split]),
    .prompt_req_valid_o (split_req_valid[0]),
    .prompt_req_ready_i (slv_req_ready_i[0]),
    .prompt_rsp_valid_i (slv_rsp_valid_i[0]),
    .prompt_rsp_i       (slv_rsp_i[RspWidth-1:0]),
    .patient_req_valid_o(split_req_valid[1]),
    .patient_req_ready_i(slv_req_ready_i[1]),
    .patient_rsp_valid_i(slv_rsp_valid_i[1]),
    .patient_rsp_ready_o,
    .patient_rsp_i      (slv_rsp_i[2*RspWidth-1:RspWidth])
  );

  for (genvar s = 0; s < 2; s++) begin : g_sram
    localparam int unsigned D = s == 0 ? int'(Sram) : int'(OddSram);
    assign mst_req_ready[D][2:1] = '0;
    assign mst_rsp_valid[D][2:1] = '0;
    mbus_sram #(
      .Bytes(s == 0 ? 4096 : 4160),
      .Base (s == 0 ? 40'h00_8000_0000 : 40'h92_3456_6000)
    ) u_sram (
      .clk_i,
      .rst_ni     (rst_n[D]),
      .req_valid_i(mst_req_valid_i[0]),
      .req_ready_o(mst_req_ready[D][0]),
      .req_i      (first_req),
      .rsp_valid_o(mst_rsp_valid[D][0]),
      .rsp_o      (mst_rsp[D])
    );
  end

  assign mst_req_ready[ToReg][2:1] = '0;
  assign mst_rsp_valid[ToReg][2:1] = '0;
  mbus_to_reg u_to_reg (
    .clk_i,
    .rst_ni     (rst_n[ToReg]),
    .req_valid_i(mst_req_valid_i[0]),
    .req_ready_o(mst_req_ready[ToReg][0]),
    .req_i      (first_req),
    .rsp_valid_o(mst_rsp_valid[ToReg][0]),
    .rsp_o      (mst_rsp[ToReg]),
    .reg_req_o  (reg_req),
    .reg_rsp_i  (reg_rsp)
  );

  assign mst_req_ready[Nobody][2:1] = '0;
  assign mst_rsp_valid[Nobody][2:1] = '0;
  mbus_error u_nobody (
    .clk_i,
    .rst_ni     (rst_n[Nobody]),
    .req_valid_i(mst_req_valid_i[0]),
    .req_ready_o(mst_req_ready[Nobody][0]),
    .req_id_i   (first_req.id),
    .rsp_valid_o(mst_rsp_valid[Nobody][0]),
    .rsp_o      (mst_rsp[Nobody])
  );

  tb_mbus_system u_system (
    .clk_i,
    .rst_ni         (rst_n[System]),
    .mst_req_valid_i,
    .mst_req_ready_o(mst_req_ready[System]),
    .mst_req_i,
    .mst_rsp_valid_o(mst_rsp_valid[System]),
    .mst_rsp_o      (mst_rsp[System]),
    .reg_req_o      (system_reg_req),
    .reg_rsp_i      (reg_rsp)
  );

endmodule
