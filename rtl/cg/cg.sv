// A core group: HBM controller and registers behind one target port of the ring.
//
// Answers requests to its HBM (0x80_0000_0000 + group * 16 GiB) and its registers (device cg of the register description, at
// group * 0x0100_0000 from there, and, writes only, through the window of sets of groups); StatusNobody to all others.
// Orders: requests to one line of the HBM, accesses to registers; nothing between these. Responses come in any order.
// fault_o is high while poison.pending is set and control.fault_enable allows it. While busy_o is low nothing happens
//   until a request comes, except for refreshes: they go on as long as the clock runs.
// Cores will stand beside the controller, with an initiator port of their own.
module cg #(
  parameter int unsigned HbmLinesLog2 = hbm_pkg::LineWidth
) (
  input  logic          clk_i,
  input  logic          rst_ni,
  input  logic [1:0]    group_i,          // constant

  input  logic          tgt_req_valid_i,
  output logic          tgt_req_ready_o,
  input  noc_pkg::req_t tgt_req_i,
  output logic          tgt_rsp_valid_o,
  input  logic          tgt_rsp_ready_i,
  output noc_pkg::rsp_t tgt_rsp_o,

  output logic          fault_o,
  output logic          busy_o
);

  logic to_hbm;
  assign to_hbm = tgt_req_i.addr[39:34] == {4'b1000, group_i};

  // ------------------------------------------------------------------------------------------------------------ HBM

  logic             hbm_req_ready, hbm_rsp_valid, hbm_rsp_ready, hbm_busy;
  noc_pkg::rsp_t    hbm_rsp;
  hbm_pkg::events_t events;
  logic [27:0]      poison_line;

  hbm #(
    .LinesLog2(HbmLinesLog2)
  ) u_hbm (
    .clk_i,
    .rst_ni,
    .group_i,
    .req_valid_i  (tgt_req_valid_i && to_hbm),
    .req_ready_o  (hbm_req_ready),
    .req_i        (tgt_req_i),
    .rsp_valid_o  (hbm_rsp_valid),
    .rsp_ready_i  (hbm_rsp_ready),
    .rsp_o        (hbm_rsp),
    .events_o     (events),
    .poison_line_o(poison_line),
    .busy_o       (hbm_busy)
  );

  // ------------------------------------------------------------------------------------------------------ registers

  logic              reg_req_ready, reg_rsp_valid, reg_rsp_ready;
  logic [2:0]        reg_dest;
  logic [7:0]        reg_tag;
  logic [1:0]        reg_status;
  logic [63:0]       reg_data;
  reg_pkg::reg_req_t reg_req;
  reg_pkg::reg_rsp_t reg_rsp;

  cg_reg_port u_reg_port (
    .clk_i,
    .rst_ni,
    .group_i,
    .req_valid_i (tgt_req_valid_i && !to_hbm),
    .req_ready_o (reg_req_ready),
    .req_i       (tgt_req_i),
    .rsp_valid_o (reg_rsp_valid),
    .rsp_ready_i (reg_rsp_ready),
    .rsp_dest_o  (reg_dest),
    .rsp_tag_o   (reg_tag),
    .rsp_status_o(reg_status),
    .rsp_data_o  (reg_data),
    .reg_req_o   (reg_req),
    .reg_rsp_i   (reg_rsp)
  );

  // There are no CPEs yet.
  reg_pkg::reg_rsp_t nobody;
  always_comb begin
    nobody       = '0;
    nobody.ready = 1'b1;
    nobody.err   = 1'b1;
  end

  cg_regs #(
    .LinesLog2(HbmLinesLog2),
    .Rows     (0),
    .Columns  (0)
  ) u_regs (
    .clk_i,
    .rst_ni,
    .group_i,
    .req_i        (reg_req),
    .rsp_o        (reg_rsp),
    .events_i     (events),
    .poison_line_i(poison_line),
    .hbm_busy_i   (hbm_busy),
    .fault_o,
    .launch_req_o     (),
    .launch_rsp_i     (nobody),
    .access_req_o     (),
    .access_rsp_i     (nobody),
    .fault_pending_i  (1'b0),
    .cpe_fault_o      (),
    .event_launch_i   (1'b0),
    .event_failure_i  (1'b0),
    .event_refused_i  (1'b0),
    .event_fault_i    (1'b0),
    .event_dslb_hit_i (1'b0),
    .event_dslb_miss_i(1'b0),
    .event_code_hit_i (1'b0),
    .event_code_miss_i(1'b0),
    .event_read_i     (1'b0),
    .event_write_i    (1'b0)
  );

  // ------------------------------------------------------------------------------------------- requests and responses

  assign tgt_req_ready_o = to_hbm ? hbm_req_ready : reg_req_ready;

  // Registers go first, but a response that waits stays.
  logic hbm_waits_q, choose_reg;
  assign choose_reg      = reg_rsp_valid && !hbm_waits_q;
  assign reg_rsp_ready   = tgt_rsp_ready_i && choose_reg;
  assign hbm_rsp_ready   = tgt_rsp_ready_i && !choose_reg;
  assign tgt_rsp_valid_o = hbm_rsp_valid || reg_rsp_valid;
  always_comb begin
    tgt_rsp_o = hbm_rsp;
    if (choose_reg) begin
      tgt_rsp_o.dest   = reg_dest;
      tgt_rsp_o.tag    = reg_tag;
      tgt_rsp_o.status = reg_status;
      tgt_rsp_o.data   = {8{reg_data}};
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) hbm_waits_q <= 1'b0;
    else hbm_waits_q <= hbm_rsp_valid && !choose_reg && !tgt_rsp_ready_i;
  end

  assign busy_o = hbm_busy || !reg_req_ready;

endmodule
