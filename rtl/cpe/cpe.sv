// SPDX-License-Identifier: Apache-2.0
// A compute core (CPE): scalar core, local memory, systolic and vector unit, DMA engine, row and column channel, control.
// docs/hardware/cpe.md is the tour.
//
// Its reset is a register of the group's: taken with the clock, which runs meanwhile.
// All inputs come from registers of the group, or logic behind them, and are quiet unless they are for this CPE. clk_i stands still
// while it sleeps and nothing is for it (cg_wake). Gates of their own have the core (cpe_core_gate), the arithmetic units (cpe_unit_gate)
// and what moves data (cpe_movers_gate).
// awake_i: this CPE has its edge; it is low in one that only others need, when a group has one clock for all (see cg_cpes).
// halt_i: stop for good. quiet_o: no request is under way any more; then, and only then, may it be reset.
//
// The parameters below Columns trade speed for area. What programs see is the same, but for runs with sparse weights, which fault
// without Sparse. Serial: one access to local memory, one product row, one element at a time, and no gates for inputs.
// docs/hardware/fpga.md tells what the smallest CPE takes.
module cpe #(
  parameter int unsigned Rows         = 4,
  parameter int unsigned Columns      = 8,
  parameter int unsigned VectorLanes  = 8,    // 1, 2, 4, 8
  parameter int unsigned SpecialLanes = 4,    // 1, 2, 4, 8
  parameter bit          Sparse       = 1'b1,
  parameter bit          Serial       = 1'b0
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  cpe_pkg::id_t        id_i,               // constant
  input  logic [31:0]         boot_pc_i,
  input  logic [15:0]         daemon_segment_i,

  input  logic                awake_i,            // the coming edge is for this CPE
  input  logic                halt_i,
  output logic                quiet_o,
  output logic                asleep_o,
  output logic [31:0]         pc_o,

  input  logic                launch_valid_i,
  output logic                launch_ready_o,
  input  cpe_pkg::launch_t    launch_i,
  output logic                finished_o,
  output logic                fault_valid_o,
  output cpe_pkg::fault_t     fault_o,

  output logic [2:0]          arrive_o,
  input  logic [2:0]          release_i,

  output logic                mem_valid_o,
  input  logic                mem_ready_i,
  output cpe_pkg::mem_req_t   mem_o,
  input  logic                rsp_valid_i,
  input  cpe_pkg::mem_rsp_t   rsp_i,
  output logic                fetch_valid_o,
  output logic [25:0]         fetch_line_o,
  input  logic                invalidate_i,

  output logic                row_send_valid_o,
  input  logic                row_send_ready_i,
  output logic [7:0]          row_send_mask_o,
  output logic [255:0]        row_send_data_o,
  output logic                row_receive_ready_o,
  output logic                row_receive_one_o,
  output logic [2:0]          row_receive_source_o,
  input  logic                row_receive_valid_i,
  input  logic [255:0]        row_receive_data_i,

  output logic                column_send_valid_o,
  input  logic                column_send_ready_i,
  output logic [7:0]          column_send_mask_o,
  output logic [255:0]        column_send_data_o,
  output logic                column_receive_ready_o,
  output logic                column_receive_one_o,
  output logic [2:0]          column_receive_source_o,
  input  logic                column_receive_valid_i,
  input  logic [255:0]        column_receive_data_i,

  input  logic                access_valid_i,
  input  cpe_pkg::access_req_t access_i,
  output logic                access_ready_o,
  output logic [63:0]         access_rdata_o
);
  /* verilator no_inline_module */

  logic                in_rst_n;
  cpe_pkg::id_t        in_id;
  logic [31:0]         in_boot_pc;
  logic [15:0]         in_daemon_segment;
  logic                in_awake;
  logic                in_halt;
  logic                in_launch_valid;
  cpe_pkg::launch_t    in_launch;
  logic [2:0]          in_release;
  logic                in_mem_ready;
  logic                in_rsp_valid;
  cpe_pkg::mem_rsp_t   in_rsp;
  logic                in_invalidate;
  logic                in_row_send_ready;
  logic                in_row_receive_valid;
  logic [255:0]        in_row_receive_data;
  logic                in_column_send_ready;
  logic                in_column_receive_valid;
  logic [255:0]        in_column_receive_data;
  logic                in_access_valid;
  cpe_pkg::access_req_t in_access;

  cpe_isolation #(
    .Gates(!Serial)
  ) u_isolation (
    .rst_ni,
    .rst_no                (in_rst_n),
    .id_i,
    .id_o                  (in_id),
    .boot_pc_i,
    .boot_pc_o             (in_boot_pc),
    .daemon_segment_i,
    .daemon_segment_o      (in_daemon_segment),
    .awake_i,
    .awake_o               (in_awake),
    .halt_i,
    .halt_o                (in_halt),
    .launch_valid_i,
    .launch_valid_o        (in_launch_valid),
    .launch_i,
    .launch_o              (in_launch),
    .release_i,
    .release_o             (in_release),
    .mem_ready_i,
    .mem_ready_o           (in_mem_ready),
    .rsp_valid_i,
    .rsp_valid_o           (in_rsp_valid),
    .rsp_i,
    .rsp_o                 (in_rsp),
    .invalidate_i,
    .invalidate_o          (in_invalidate),
    .row_send_ready_i,
    .row_send_ready_o      (in_row_send_ready),
    .row_receive_valid_i,
    .row_receive_valid_o   (in_row_receive_valid),
    .row_receive_data_i,
    .row_receive_data_o    (in_row_receive_data),
    .column_send_ready_i,
    .column_send_ready_o   (in_column_send_ready),
    .column_receive_valid_i,
    .column_receive_valid_o(in_column_receive_valid),
    .column_receive_data_i,
    .column_receive_data_o (in_column_receive_data),
    .access_valid_i,
    .access_valid_o        (in_access_valid),
    .access_i,
    .access_o              (in_access)
  );

  logic stop, halt;
  assign halt = in_halt || stop;

  // --- Scalar core --------------------------------------------------------------------------------------------------

  logic                 core_clk, core_waiting, core_halted, core_fault_valid, win_mem_valid, win_mem_ready, win_quiet;
  logic                 issue_valid, issue_control, issue_ready, issue_bad;
  cpe_pkg::issue_t      issue;
  logic [31:0]          issue_rdata, core_counter, counter;
  logic [4:0]           counter_select;
  cpe_pkg::launch_t     launch;
  cpe_pkg::fault_t      core_fault, engine_fault;
  cpe_pkg::mem_req_t    win_mem, dma_mem;
  logic                 engine_fault_valid, engines_busy, engines_work, units_awake, dma_mem_valid, dma_mem_ready, dma_quiet;
  cpe_ldm_pkg::scalar_t s;
  logic                 s_ready;
  logic [31:0]          s_rdata;

  cpe_scalar #(
    .Rows   (Rows),
    .Columns(Columns),
    .Serial (Serial)
  ) u_scalar (
    .clk_i,
    .rst_ni          (in_rst_n),
    .id_i            (in_id),
    .boot_pc_i       (in_boot_pc),
    .daemon_segment_i(in_daemon_segment),
    .launch_i        (launch),
    .awake_i         (in_awake),
    .halt_i          (halt),
    .invalidate_i    (in_invalidate),
    .wake_i          (in_access_valid || access_ready_o || engine_fault_valid),
    .core_clk_o      (core_clk),
    .issue_valid_o   (issue_valid),
    .issue_o         (issue),
    .issue_control_i (issue_control),
    .issue_ready_i   (issue_ready),
    .issue_bad_i     (issue_bad),
    .issue_rdata_i   (issue_rdata),
    .ldm_o           (s),
    .ldm_ready_i     (s_ready),
    .ldm_rdata_i     (s_rdata),
    .fetch_valid_o,
    .fetch_line_o,
    .mem_valid_o     (win_mem_valid),
    .mem_ready_i     (win_mem_ready),
    .mem_o           (win_mem),
    .rsp_valid_i     (in_rsp_valid),
    .rsp_i           (in_rsp),
    .fault_valid_o   (core_fault_valid),
    .fault_o         (core_fault),
    .waiting_o       (core_waiting),
    .halted_o        (core_halted),
    .quiet_o         (win_quiet),
    .pc_o,
    .counter_select_i(counter_select[4] ? 4'd15 : counter_select[3:0]),
    .counter_o       (core_counter)
  );

  // --- Control ------------------------------------------------------------------------------------------------------

  logic        control_ready, control_bad, control_asleep, ldm_busy;
  logic [31:0] control_rdata;

  assign asleep_o = control_asleep && !ldm_busy && !units_awake;

  cpe_control u_control (
    .clk_i               (core_clk),
    .rst_ni              (in_rst_n),
    .halt_i              (in_halt),
    .issue_valid_i       (issue_control),
    .issue_i             (issue),
    .issue_ready_o       (control_ready),
    .issue_rdata_o       (control_rdata),
    .issue_bad_o         (control_bad),
    .launch_valid_i      (in_launch_valid),
    .launch_ready_o,
    .launch_i            (in_launch),
    .launch_o            (launch),
    .finished_o,
    .arrive_o,
    .release_i           (in_release),
    .engines_busy_i      (engines_busy),
    .core_waiting_i      (core_waiting),
    .halted_i            (core_halted),
    .asleep_o            (control_asleep),
    .core_fault_valid_i  (core_fault_valid),
    .core_fault_i        (core_fault),
    .engine_fault_valid_i(engine_fault_valid),
    .engine_fault_i      (engine_fault),
    .stop_o              (stop),
    .fault_valid_o,
    .fault_o
  );

  // --- Global memory ------------------------------------------------------------------------------------------------

  cpe_memory_port #(
    .Serial(Serial)
  ) u_memory_port (
    .clk_i,
    .rst_ni     (in_rst_n),
    .win_valid_i(win_mem_valid),
    .win_ready_o(win_mem_ready),
    .win_i      (win_mem),
    .dma_valid_i(dma_mem_valid),
    .dma_ready_o(dma_mem_ready),
    .dma_i      (dma_mem),
    .mem_valid_o,
    .mem_ready_i(in_mem_ready),
    .mem_o
  );

  always_comb begin
    quiet_o = 1'b0;
    if (core_halted) quiet_o = dma_quiet && win_quiet;
  end

  // --- Engines ------------------------------------------------------------------------------------------------------

  logic [7:0] row_participants_q, column_participants_q;
  always_ff @(posedge core_clk) begin
    if (launch_ready_o && in_launch_valid) begin
      row_participants_q    <= '0;
      column_participants_q <= '0;
      for (int unsigned c = 0; c < Columns; c++) row_participants_q[c] <= in_launch.mask[32'(in_id.row) * Columns + c];
      for (int unsigned r = 0; r < Rows; r++) column_participants_q[r] <= in_launch.mask[r * Columns + 32'(in_id.column)];
    end
  end

  cpe_ldm_pkg::line_write_t line_write;
  cpe_ldm_pkg::line_read_t  line_read;
  cpe_ldm_pkg::read_t       rs, cs, sx, sw, va, vb, vc;
  cpe_ldm_pkg::write_t      rr, cr;
  cpe_ldm_pkg::access_t     sd, vd;
  logic                     line_ready, rs_ready, rr_ready, cs_ready, cr_ready;
  logic                     sx_ready, sw_ready, sd_ready, va_ready, vb_ready, vc_ready, vd_ready, conflict;
  logic [511:0]             line_rdata;
  logic [255:0]             rs_rdata, cs_rdata, sx_rdata, sw_rdata, sd_rdata, va_rdata, vb_rdata, vc_rdata;

  cpe_engines #(
    .Rows        (Rows),
    .Columns     (Columns),
    .VectorLanes (VectorLanes),
    .SpecialLanes(SpecialLanes),
    .Sparse      (Sparse),
    .Serial      (Serial)
  ) u_engines (
    .clk_i,
    .rst_ni                 (in_rst_n),
    .awake_i                (in_awake),
    .halt_i                 (halt),
    .id_i                   (in_id),
    .row_participants_i     (row_participants_q),
    .column_participants_i  (column_participants_q),
    .issue_valid_i          (issue_valid),
    .issue_i                (issue),
    .issue_ready_o          (issue_ready),
    .issue_bad_o            (issue_bad),
    .issue_rdata_o          (issue_rdata),
    .issue_control_o        (issue_control),
    .control_ready_i        (control_ready),
    .control_bad_i          (control_bad),
    .control_rdata_i        (control_rdata),
    .mem_valid_o            (dma_mem_valid),
    .mem_ready_i            (dma_mem_ready),
    .mem_o                  (dma_mem),
    .rsp_valid_i            (in_rsp_valid),
    .rsp_i                  (in_rsp),
    .line_write_o           (line_write),
    .line_read_o            (line_read),
    .line_ready_i           (line_ready),
    .line_rdata_i           (line_rdata),
    .rs_o                   (rs),
    .rs_ready_i             (rs_ready),
    .rs_rdata_i             (rs_rdata),
    .rr_o                   (rr),
    .rr_ready_i             (rr_ready),
    .cs_o                   (cs),
    .cs_ready_i             (cs_ready),
    .cs_rdata_i             (cs_rdata),
    .cr_o                   (cr),
    .cr_ready_i             (cr_ready),
    .sx_o                   (sx),
    .sx_ready_i             (sx_ready),
    .sx_rdata_i             (sx_rdata),
    .sw_o                   (sw),
    .sw_ready_i             (sw_ready),
    .sw_rdata_i             (sw_rdata),
    .sd_o                   (sd),
    .sd_ready_i             (sd_ready),
    .sd_rdata_i             (sd_rdata),
    .va_o                   (va),
    .va_ready_i             (va_ready),
    .va_rdata_i             (va_rdata),
    .vb_o                   (vb),
    .vb_ready_i             (vb_ready),
    .vb_rdata_i             (vb_rdata),
    .vc_o                   (vc),
    .vc_ready_i             (vc_ready),
    .vc_rdata_i             (vc_rdata),
    .vd_o                   (vd),
    .vd_ready_i             (vd_ready),
    .row_send_valid_o,
    .row_send_ready_i       (in_row_send_ready),
    .row_send_mask_o,
    .row_send_data_o,
    .row_receive_ready_o,
    .row_receive_one_o,
    .row_receive_source_o,
    .row_receive_valid_i    (in_row_receive_valid),
    .row_receive_data_i     (in_row_receive_data),
    .column_send_valid_o,
    .column_send_ready_i    (in_column_send_ready),
    .column_send_mask_o,
    .column_send_data_o,
    .column_receive_ready_o,
    .column_receive_one_o,
    .column_receive_source_o,
    .column_receive_valid_i (in_column_receive_valid),
    .column_receive_data_i  (in_column_receive_data),
    .fault_valid_o          (engine_fault_valid),
    .fault_o                (engine_fault),
    .busy_o                 (engines_busy),
    .works_o                (engines_work),
    .units_awake_o          (units_awake),
    .quiet_o                (dma_quiet),
    .conflict_i             (conflict),
    .counter_select_i       (counter_select),
    .core_counter_i         (core_counter),
    .counter_o              (counter)
  );

  // --- Local memory -------------------------------------------------------------------------------------------------

  cpe_ldm_pkg::outer_t a;
  logic                a_ready, clear, clearing;
  logic [63:0]         a_rdata;

  cpe_local_memory #(
    .Serial(Serial)
  ) u_local_memory (
    .clk_i,
    .rst_ni           (in_rst_n),
    .s_i              (s),
    .s_ready_o        (s_ready),
    .s_rdata_o        (s_rdata),
    .a_i              (a),
    .a_ready_o        (a_ready),
    .a_rdata_o        (a_rdata),
    .line_write_i     (line_write),
    .line_read_i      (line_read),
    .line_ready_o     (line_ready),
    .line_rdata_o     (line_rdata),
    .rs_i             (rs),
    .rs_ready_o       (rs_ready),
    .rs_rdata_o       (rs_rdata),
    .rr_i             (rr),
    .rr_ready_o       (rr_ready),
    .cs_i             (cs),
    .cs_ready_o       (cs_ready),
    .cs_rdata_o       (cs_rdata),
    .cr_i             (cr),
    .cr_ready_o       (cr_ready),
    .sx_i             (sx),
    .sx_ready_o       (sx_ready),
    .sx_rdata_o       (sx_rdata),
    .sw_i             (sw),
    .sw_ready_o       (sw_ready),
    .sw_rdata_o       (sw_rdata),
    .sd_i             (sd),
    .sd_ready_o       (sd_ready),
    .sd_rdata_o       (sd_rdata),
    .va_i             (va),
    .va_ready_o       (va_ready),
    .va_rdata_o       (va_rdata),
    .vb_i             (vb),
    .vb_ready_o       (vb_ready),
    .vb_rdata_o       (vb_rdata),
    .vc_i             (vc),
    .vc_ready_o       (vc_ready),
    .vc_rdata_o       (vc_rdata),
    .vd_i             (vd),
    .vd_ready_o       (vd_ready),
    .clear_i          (clear),
    .clearing_o       (clearing),
    .busy_o           (ldm_busy),
    .event_conflict_o (conflict)
  );

  cpe_isa_pkg::cpe_status_t status;
  always_comb begin
    status = '0;
    if (in_access_valid) begin
      status.asleep = asleep_o;
      status.halted = core_halted;
      status.fault  = fault_valid_o;
      status.idle   = finished_o;
      status.busy   = engines_busy;
      status.works  = engines_work;
      status.sync   = arrive_o;
      if (issue_valid) begin
        status.waits = !issue_ready;
        status.unit  = issue.target;
        status.op    = issue.op;
      end
    end
  end

  cpe_access u_access (
    .clk_i           (core_clk),
    .rst_ni          (in_rst_n),
    .access_valid_i  (in_access_valid),
    .access_i        (in_access),
    .access_ready_o,
    .access_rdata_o,
    .a_valid_o       (a.valid),
    .a_ready_i       (a_ready),
    .a_write_o       (a.write),
    .a_addr_o        (a.addr),
    .a_wdata_o       (a.wdata),
    .a_strb_o        (a.strb),
    .a_rdata_i       (a_rdata),
    .clear_o         (clear),
    .clearing_i      (clearing),
    .status_i        (status),
    .pc_i            (pc_o),
    .fault_i         (fault_o),
    .counter_select_o(counter_select),
    .counter_i       (counter)
  );

endmodule
