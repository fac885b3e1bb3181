// SPDX-License-Identifier: Apache-2.0
// The engines of a CPE: what works while the core goes on. DMA engine and channels, arithmetic units, their counters; and the way of the
// core's commands to them. Those to cpe_control, which is with the core, are told apart here as well.
//
// Ports of local memory: line_* the DMA engine's; rs, rr the row's sender and receiver, cs, cr the column's; the others as of cpe_units.
module cpe_engines #(
  parameter int unsigned Rows         = 4,
  parameter int unsigned Columns      = 8,
  parameter int unsigned VectorLanes  = 8,
  parameter int unsigned SpecialLanes = 4,
  parameter bit          Sparse       = 1'b1,
  parameter bit          Serial       = 1'b0
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     awake_i,
  input  logic                     halt_i,
  input  cpe_pkg::id_t             id_i,
  input  logic [7:0]               row_participants_i,
  input  logic [7:0]               column_participants_i,

  input  logic                     issue_valid_i,
  input  cpe_pkg::issue_t          issue_i,
  output logic                     issue_ready_o,
  output logic                     issue_bad_o,
  output logic [31:0]              issue_rdata_o,
  output logic                     issue_control_o,
  input  logic                     control_ready_i,
  input  logic                     control_bad_i,
  input  logic [31:0]              control_rdata_i,

  output logic                     mem_valid_o,
  input  logic                     mem_ready_i,
  output cpe_pkg::mem_req_t        mem_o,
  input  logic                     rsp_valid_i,           // of any kind
  input  cpe_pkg::mem_rsp_t        rsp_i,

  output cpe_ldm_pkg::line_write_t line_write_o,
  output cpe_ldm_pkg::line_read_t  line_read_o,
  input  logic                     line_ready_i,
  input  logic [511:0]             line_rdata_i,
  output cpe_ldm_pkg::read_t       rs_o,
  input  logic                     rs_ready_i,
  input  logic [255:0]             rs_rdata_i,
  output cpe_ldm_pkg::write_t      rr_o,
  input  logic                     rr_ready_i,
  output cpe_ldm_pkg::read_t       cs_o,
  input  logic                     cs_ready_i,
  input  logic [255:0]             cs_rdata_i,
  output cpe_ldm_pkg::write_t      cr_o,
  input  logic                     cr_ready_i,
  output cpe_ldm_pkg::read_t       sx_o,
  input  logic                     sx_ready_i,
  input  logic [255:0]             sx_rdata_i,
  output cpe_ldm_pkg::read_t       sw_o,
  input  logic                     sw_ready_i,
  input  logic [255:0]             sw_rdata_i,
  output cpe_ldm_pkg::access_t     sd_o,
  input  logic                     sd_ready_i,
  input  logic [255:0]             sd_rdata_i,
  output cpe_ldm_pkg::read_t       va_o,
  input  logic                     va_ready_i,
  input  logic [255:0]             va_rdata_i,
  output cpe_ldm_pkg::read_t       vb_o,
  input  logic                     vb_ready_i,
  input  logic [255:0]             vb_rdata_i,
  output cpe_ldm_pkg::read_t       vc_o,
  input  logic                     vc_ready_i,
  input  logic [255:0]             vc_rdata_i,
  output cpe_ldm_pkg::access_t     vd_o,
  input  logic                     vd_ready_i,

  output logic                     row_send_valid_o,
  input  logic                     row_send_ready_i,
  output logic [7:0]               row_send_mask_o,
  output logic [255:0]             row_send_data_o,
  output logic                     row_receive_ready_o,
  output logic                     row_receive_one_o,
  output logic [2:0]               row_receive_source_o,
  input  logic                     row_receive_valid_i,
  input  logic [255:0]             row_receive_data_i,

  output logic                     column_send_valid_o,
  input  logic                     column_send_ready_i,
  output logic [7:0]               column_send_mask_o,
  output logic [255:0]             column_send_data_o,
  output logic                     column_receive_ready_o,
  output logic                     column_receive_one_o,
  output logic [2:0]               column_receive_source_o,
  input  logic                     column_receive_valid_i,
  input  logic [255:0]             column_receive_data_i,

  output logic                     fault_valid_o,
  output cpe_pkg::fault_t          fault_o,
  output logic                     busy_o,
  output logic                     works_o,               // one that comes to its end by itself: no channel
  output logic                     units_awake_o,         // they need their clocks: for some cycles longer
  output logic                     quiet_o,               // no request of the DMA engine's is under way

  input  logic                     conflict_i,            // at the local memory
  input  logic [4:0]               counter_select_i,
  input  logic [31:0]              core_counter_i,
  output logic [31:0]              counter_o
);

  logic            to_dma, to_row, to_column, to_systolic, to_vector;
  logic            dma_ready, row_ready, column_ready, systolic_ready, vector_ready;
  logic            dma_bad, row_bad, column_bad, systolic_bad, vector_bad;
  logic [31:0]     dma_rdata, row_rdata, column_rdata, systolic_rdata, vector_rdata;
  logic            launch_ends;
  logic            movers_busy, dma_busy, units_busy, dma_fault_valid, units_fault_valid;
  cpe_pkg::fault_t dma_fault, units_fault;
  logic            dma_line, row_sent, row_received, column_sent, column_received, systolic_row, vector_group;
  logic [2:0]      systolic_wait;
  logic [1:0]      vector_wait;

  assign busy_o        = movers_busy || units_busy;
  assign works_o       = dma_busy || units_busy;
  assign launch_ends   = issue_control_o && issue_i.op == cpe_isa_pkg::ControlDone && !busy_o;  // cpe_control takes it then
  assign fault_valid_o = dma_fault_valid || units_fault_valid;
  always_comb begin
    fault_o = '0;
    if (Serial || fault_valid_o) fault_o = dma_fault_valid ? dma_fault : units_fault;
  end

  cpe_commands #(
    .Serial(Serial)
  ) u_commands (
    .valid_i         (issue_valid_i),
    .target_i        (issue_i.target),
    .to_control_o    (issue_control_o),
    .to_dma_o        (to_dma),
    .to_row_o        (to_row),
    .to_column_o     (to_column),
    .to_systolic_o   (to_systolic),
    .to_vector_o     (to_vector),
    .control_ready_i,
    .control_bad_i,
    .control_rdata_i,
    .dma_ready_i     (dma_ready),
    .dma_bad_i       (dma_bad),
    .dma_rdata_i     (dma_rdata),
    .row_ready_i     (row_ready),
    .row_bad_i       (row_bad),
    .row_rdata_i     (row_rdata),
    .column_ready_i  (column_ready),
    .column_bad_i    (column_bad),
    .column_rdata_i  (column_rdata),
    .systolic_ready_i(systolic_ready),
    .systolic_bad_i  (systolic_bad),
    .systolic_rdata_i(systolic_rdata),
    .vector_ready_i  (vector_ready),
    .vector_bad_i    (vector_bad),
    .vector_rdata_i  (vector_rdata),
    .ready_o         (issue_ready_o),
    .bad_o           (issue_bad_o),
    .rdata_o         (issue_rdata_o)
  );

  cpe_movers #(
    .Rows   (Rows),
    .Columns(Columns),
    .Serial (Serial)
  ) u_movers (
    .clk_i,
    .rst_ni,
    .halt_i,
    .id_i,
    .row_participants_i,
    .column_participants_i,
    .issue_dma_i            (to_dma),
    .issue_row_i            (to_row),
    .issue_column_i         (to_column),
    .launch_ends_i          (launch_ends),
    .issue_i,
    .dma_ready_o            (dma_ready),
    .dma_rdata_o            (dma_rdata),
    .dma_bad_o              (dma_bad),
    .row_ready_o            (row_ready),
    .row_rdata_o            (row_rdata),
    .row_bad_o              (row_bad),
    .column_ready_o         (column_ready),
    .column_rdata_o         (column_rdata),
    .column_bad_o           (column_bad),
    .mem_valid_o,
    .mem_ready_i,
    .mem_o,
    .rsp_valid_i            (rsp_valid_i && rsp_i.kind == cpe_pkg::MemDma),
    .rsp_i,
    .line_write_o,
    .line_read_o,
    .line_ready_i,
    .line_rdata_i,
    .rs_o,
    .rs_ready_i,
    .rs_rdata_i,
    .rr_o,
    .rr_ready_i,
    .cs_o,
    .cs_ready_i,
    .cs_rdata_i,
    .cr_o,
    .cr_ready_i,
    .row_send_valid_o,
    .row_send_ready_i,
    .row_send_mask_o,
    .row_send_data_o,
    .row_receive_ready_o,
    .row_receive_one_o,
    .row_receive_source_o,
    .row_receive_valid_i,
    .row_receive_data_i,
    .column_send_valid_o,
    .column_send_ready_i,
    .column_send_mask_o,
    .column_send_data_o,
    .column_receive_ready_o,
    .column_receive_one_o,
    .column_receive_source_o,
    .column_receive_valid_i,
    .column_receive_data_i,
    .fault_valid_o          (dma_fault_valid),
    .fault_o                (dma_fault),
    .busy_o                 (movers_busy),
    .dma_busy_o             (dma_busy),
    .dma_foreground_o       (),
    .dma_quiet_o            (quiet_o),
    .event_line_o           (dma_line),
    .event_row_sent_o       (row_sent),
    .event_row_received_o   (row_received),
    .event_column_sent_o    (column_sent),
    .event_column_received_o(column_received)
  );

  cpe_units #(
    .VectorLanes (VectorLanes),
    .SpecialLanes(SpecialLanes),
    .Sparse      (Sparse),
    .Serial      (Serial)
  ) u_units (
    .clk_i,
    .rst_ni,
    .halt_i,
    .issue_i,
    .issue_systolic_i     (to_systolic),
    .systolic_ready_o     (systolic_ready),
    .systolic_bad_o       (systolic_bad),
    .systolic_rdata_o     (systolic_rdata),
    .issue_vector_i       (to_vector),
    .vector_ready_o       (vector_ready),
    .vector_bad_o         (vector_bad),
    .vector_rdata_o       (vector_rdata),
    .sx_o,
    .sx_ready_i,
    .sx_rdata_i,
    .sw_o,
    .sw_ready_i,
    .sw_rdata_i,
    .sd_o,
    .sd_ready_i,
    .sd_rdata_i,
    .va_o,
    .va_ready_i,
    .va_rdata_i,
    .vb_o,
    .vb_ready_i,
    .vb_rdata_i,
    .vc_o,
    .vc_ready_i,
    .vc_rdata_i,
    .vd_o,
    .vd_ready_i,
    .fault_valid_o        (units_fault_valid),
    .fault_o              (units_fault),
    .busy_o               (units_busy),
    .awake_o              (units_awake_o),
    .event_systolic_row_o (systolic_row),
    .event_systolic_wait_o(systolic_wait),
    .event_vector_group_o (vector_group),
    .event_vector_wait_o  (vector_wait)
  );

  // The small one does not count what its engines do.
  if (Serial) begin : g_core_counters
    assign counter_o = core_counter_i;

    logic unused;
    assign unused = ^{dma_line, row_sent, row_received, column_sent, column_received, conflict_i, systolic_row, systolic_wait,
                      vector_group, vector_wait};
  end else begin : g_counters
    cpe_counters u_counters (
      .clk_i,
      .rst_ni,
      .awake_i,
      .movers_busy_i    (movers_busy),
      .dma_busy_i       (dma_busy),
      .dma_line_i       (dma_line),
      .row_sent_i       (row_sent),
      .row_received_i   (row_received),
      .column_sent_i    (column_sent),
      .column_received_i(column_received),
      .conflict_i,
      .units_awake_i    (units_awake_o),
      .systolic_row_i   (systolic_row),
      .systolic_wait_i  (systolic_wait),
      .vector_group_i   (vector_group),
      .vector_wait_i    (vector_wait),
      .select_i         (counter_select_i),
      .core_i           (core_counter_i),
      .counter_o
    );
  end

endmodule
