// A compute core (CPE): scalar core, local memory, systolic and vector unit, DMA engine, row and column channel, control. docs/cpe.md is
// the tour.
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
// docs/roadmap.md tells what the smallest CPE takes.
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

  // -------------------------------------------------------------------------------------------------- core

  logic            issue_valid, issue_ready, issue_bad;
  cpe_pkg::issue_t issue;
  logic [31:0]     issue_rdata;
  logic            core_waiting, core_halted, core_fault_valid;
  cpe_pkg::fault_t core_fault;

  logic            refill_valid;
  logic            ldm_valid, ldm_ready, ldm_write;
  logic [16:2]     ldm_addr;
  logic [31:0]     ldm_wdata, ldm_rdata;
  logic [3:0]      ldm_strb;

  logic            win_valid, win_write, win_done;
  logic [31:0]     win_addr, win_wdata, win_rdata;
  logic [1:0]      win_size;
  cpe_isa_pkg::cause_t win_cause;
  logic [15:0]     win_segment;
  logic [47:0]     win_offset;
  logic [63:0]     win_pointer;

  cpe_pkg::launch_t launch;
  logic [4:0]       counter_select;
  logic [31:0]      core_counter, counter;

  // The core stands still while it waits for an engine; so do window, control and access port, which have nothing to do then.
  logic             core_clk, core_en, core_awake, core_wake;
  logic [7:0]       core_waited;
  logic             core_ldm_ready;

  // The small core's counters take no more than one cycle at a time, and its registers no gate.
  if (Serial) begin : g_core_runs
    assign core_en     = 1'b1;
    assign core_awake  = in_awake;
    assign core_waited = '0;
  end else begin : g_core_stops
    cpe_core_wait u_core_wait (
      .clk_i,
      .rst_ni   (in_rst_n),
      .awake_i  (in_awake),
      .waiting_i(core_waiting && issue_valid && !to_control),
      .ready_i  (issue_ready),
      .wake_i   (core_wake),
      .en_o     (core_en),
      .awake_o  (core_awake),
      .waited_o (core_waited)
    );
  end

  cpe_core_gate u_core_gate (
    .clk_i,
    .en_i       (core_en),
    .clk_o      (core_clk),
    .ldm_valid_i(ldm_valid),
    .ldm_ready_i(ldm_ready),
    .ldm_ready_o(core_ldm_ready)
  );

  // Answers to the DMA engine are not for the core, and those who wait for an engine wait for nothing else.
  always_comb begin
    core_wake = 1'b0;
    if (core_waiting) begin
      core_wake = !in_rst_n || halt || in_invalidate || in_access_valid || access_ready_o || engine_fault_valid
               || (in_rsp_valid && in_rsp.kind != cpe_pkg::MemDma);
    end
  end

  assign refill_valid = in_rsp_valid && in_rsp.kind == cpe_pkg::MemFetch;

  cpe_core #(
    .Serial(Serial)
  ) u_core (
    .clk_i           (core_clk),
    .rst_ni          (in_rst_n),
    .boot_pc_i       (in_boot_pc),
    .id_i            (in_id),
    .config_i        ({16'd128, 8'(Columns), 8'(Rows)}),
    .awake_i         (core_awake),
    .waited_i        (core_waited),
    .halt_i          (halt),
    .fetch_valid_o,
    .fetch_line_o,
    .refill_valid_i  (refill_valid),
    .refill_cause_i  (in_rsp.cause),
    .refill_data_i   (in_rsp.data),
    .invalidate_i    (in_invalidate),
    .ldm_valid_o     (ldm_valid),
    .ldm_ready_i     (core_ldm_ready),
    .ldm_write_o     (ldm_write),
    .ldm_addr_o      (ldm_addr),
    .ldm_wdata_o     (ldm_wdata),
    .ldm_strb_o      (ldm_strb),
    .ldm_rdata_i     (ldm_rdata),
    .win_valid_o     (win_valid),
    .win_write_o     (win_write),
    .win_addr_o      (win_addr),
    .win_size_o      (win_size),
    .win_wdata_o     (win_wdata),
    .win_done_i      (win_done),
    .win_rdata_i     (win_rdata),
    .win_cause_i     (win_cause),
    .win_segment_i   (win_segment),
    .win_offset_i    (win_offset),
    .win_pointer_o   (win_pointer),
    .issue_valid_o   (issue_valid),
    .issue_o         (issue),
    .issue_ready_i   (issue_ready),
    .issue_rdata_i   (issue_rdata),
    .issue_bad_i     (issue_bad),
    .launch_mask_i   (launch.mask),
    .fault_valid_o   (core_fault_valid),
    .fault_o         (core_fault),
    .waiting_o       (core_waiting),
    .halted_o        (core_halted),
    .pc_o,
    .counter_select_i(counter_select[4] ? 4'd15 : counter_select[3:0]),
    .counter_o       (core_counter)
`ifdef CPE_RVFI
    ,
    .rvfi_valid      (),
    .rvfi_trap       (),
    .rvfi_insn       (),
    .rvfi_pc         (),
    .rvfi_next_pc    (),
    .rvfi_rd         (),
    .rvfi_rd_wdata   (),
    .rvfi_mem_addr   (),
    .rvfi_mem_rmask  (),
    .rvfi_mem_wmask  (),
    .rvfi_mem_rdata  (),
    .rvfi_mem_wdata  ()
`endif
  );

  // ----------------------------------------------------------------------------------------------- commands

  logic        to_control, to_dma, to_row, to_column, to_systolic, to_vector;
  logic        control_ready, dma_ready, row_ready, column_ready, systolic_ready, vector_ready;
  logic        control_bad, dma_bad, row_bad, column_bad, systolic_bad, vector_bad;
  logic [31:0] control_rdata, dma_rdata, row_rdata, column_rdata, systolic_rdata, vector_rdata;

  always_comb begin
    to_control  = 1'b0;
    to_dma      = 1'b0;
    to_row      = 1'b0;
    to_column   = 1'b0;
    to_systolic = 1'b0;
    to_vector   = 1'b0;
    if (issue_valid) begin
      to_control  = issue.target == cpe_isa_pkg::UnitControl;
      to_dma      = issue.target == cpe_isa_pkg::UnitDma;
      to_row      = issue.target == cpe_isa_pkg::UnitRow;
      to_column   = issue.target == cpe_isa_pkg::UnitColumn;
      to_systolic = issue.target == cpe_isa_pkg::UnitSystolic;
      to_vector   = issue.target == cpe_isa_pkg::UnitVector;
    end
  end

  always_comb begin
    issue_ready = 1'b0;
    issue_bad   = 1'b0;
    issue_rdata = '0;
    if (Serial || issue_valid) begin
      case (issue.target)
        cpe_isa_pkg::UnitControl: begin
          issue_ready = control_ready;
          issue_bad   = control_bad;
          issue_rdata = control_rdata;
        end
        cpe_isa_pkg::UnitDma: begin
          issue_ready = dma_ready;
          issue_bad   = dma_bad;
          issue_rdata = dma_rdata;
        end
        cpe_isa_pkg::UnitRow: begin
          issue_ready = row_ready;
          issue_bad   = row_bad;
          issue_rdata = row_rdata;
        end
        cpe_isa_pkg::UnitColumn: begin
          issue_ready = column_ready;
          issue_bad   = column_bad;
          issue_rdata = column_rdata;
        end
        cpe_isa_pkg::UnitSystolic: begin
          issue_ready = systolic_ready;
          issue_bad   = systolic_bad;
          issue_rdata = systolic_rdata;
        end
        cpe_isa_pkg::UnitVector: begin
          issue_ready = vector_ready;
          issue_bad   = vector_bad;
          issue_rdata = vector_rdata;
        end
        default: begin  // a unit that is not there
          issue_ready = 1'b1;
          issue_bad   = 1'b1;
          issue_rdata = '0;
        end
      endcase
    end
  end

  // ------------------------------------------------------------------------------------------------ control

  logic            movers_busy, dma_busy, systolic_busy, vector_busy, ldm_busy, control_asleep, engines_busy;
  logic            systolic_awake, vector_awake;
  logic            dma_fault_valid, systolic_fault_valid, vector_fault_valid, engine_fault_valid;
  cpe_pkg::fault_t dma_fault, systolic_fault, vector_fault, engine_fault;

  assign engines_busy       = movers_busy || systolic_busy || vector_busy;
  assign engine_fault_valid = dma_fault_valid || systolic_fault_valid || vector_fault_valid;
  always_comb begin
    engine_fault = '0;
    if (Serial || engine_fault_valid) begin
      if (dma_fault_valid) engine_fault = dma_fault;
      else if (systolic_fault_valid) engine_fault = systolic_fault;
      else engine_fault = vector_fault;
    end
  end
  assign asleep_o     = control_asleep && !ldm_busy && !systolic_awake && !vector_awake;

  cpe_control u_control (
    .clk_i               (core_clk),
    .rst_ni              (in_rst_n),
    .halt_i              (in_halt),
    .issue_valid_i       (to_control),
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

  // ----------------------------------------------------------------------------------------- global memory

  logic              dma_mem_valid, dma_mem_ready, win_mem_valid, win_mem_ready, dma_quiet, win_quiet;
  cpe_pkg::mem_req_t dma_mem, win_mem;

  logic              line_we, line_re, line_re_ready;
  logic [16:0]       line_waddr, line_raddr;
  logic [6:0]        line_wbytes, line_rbytes;
  logic [511:0]      line_wdata, line_rdata;
  logic              dma_line;

  cpe_window u_window (
    .clk_i             (core_clk),
    .rst_ni            (in_rst_n),
    .halt_i            (halt),
    .win_valid_i       (win_valid),
    .win_done_o        (win_done),
    .win_write_i       (win_write),
    .win_addr_i        (win_addr),
    .win_size_i        (win_size),
    .win_wdata_i       (win_wdata),
    .win_rdata_o       (win_rdata),
    .win_cause_o       (win_cause),
    .win_segment_o     (win_segment),
    .win_offset_o      (win_offset),
    .pointer_i         (win_pointer),
    .daemon_segment_i  (in_daemon_segment),
    .code_segment_i    (launch.code_segment),
    .argument_segment_i(launch.argument_segment),
    .mem_valid_o       (win_mem_valid),
    .mem_ready_i       (win_mem_ready),
    .mem_o             (win_mem),
    .rsp_valid_i       (in_rsp_valid && in_rsp.kind == cpe_pkg::MemScalar),
    .rsp_i             (in_rsp),
    .quiet_o           (win_quiet)
  );

  // The scalar core goes first, but a request that is offered stays so.
  logic dma_waits_q, choose_dma;
  assign mem_valid_o = dma_mem_valid || win_mem_valid;

  always_comb begin
    choose_dma    = 1'b0;
    dma_mem_ready = 1'b0;
    win_mem_ready = 1'b0;
    if (mem_valid_o) begin
      choose_dma    = dma_waits_q || !win_mem_valid;
      dma_mem_ready = in_mem_ready && choose_dma;
      win_mem_ready = in_mem_ready && !choose_dma;
    end
  end

  always_comb begin
    mem_o = choose_dma ? dma_mem : win_mem;
    // The scalar core has 4 bytes of data; what the others are does not matter.
    if (Serial) mem_o.data[511:32] = dma_mem.data[511:32];
  end

  always_ff @(posedge clk_i) begin
    if (!in_rst_n) dma_waits_q <= 1'b0;
    else if (mem_valid_o) dma_waits_q <= choose_dma && !in_mem_ready;
  end

  always_comb begin
    quiet_o = 1'b0;
    if (core_halted) quiet_o = dma_quiet && win_quiet;
  end

  // ----------------------------------------------------------------------------------------------- channels

  logic [7:0] row_participants_q, column_participants_q;
  always_ff @(posedge core_clk) begin
    if (launch_ready_o && in_launch_valid) begin
      row_participants_q    <= '0;
      column_participants_q <= '0;
      for (int unsigned c = 0; c < Columns; c++) row_participants_q[c] <= in_launch.mask[32'(in_id.row) * Columns + c];
      for (int unsigned r = 0; r < Rows; r++) column_participants_q[r] <= in_launch.mask[r * Columns + 32'(in_id.column)];
    end
  end

  logic         rs_valid, rs_ready, rr_valid, rr_ready, cs_valid, cs_ready, cr_valid, cr_ready;
  logic [11:0]  rs_addr, rr_addr, cs_addr, cr_addr;
  logic [255:0] rs_rdata, rr_wdata, cs_rdata, cr_wdata;
  logic         row_sent, row_received, column_sent, column_received;

  // DMA engine and channels, behind one door.
  cpe_movers #(
    .Rows   (Rows),
    .Columns(Columns),
    .Serial (Serial)
  ) u_movers (
    .clk_i,
    .rst_ni                 (in_rst_n),
    .halt_i                 (halt),
    .id_i                   (in_id),
    .row_participants_i     (row_participants_q),
    .column_participants_i  (column_participants_q),
    .issue_dma_i            (to_dma),
    .issue_row_i            (to_row),
    .issue_column_i         (to_column),
    .issue_i                (issue),
    .dma_ready_o            (dma_ready),
    .dma_rdata_o            (dma_rdata),
    .dma_bad_o              (dma_bad),
    .row_ready_o            (row_ready),
    .row_rdata_o            (row_rdata),
    .row_bad_o              (row_bad),
    .column_ready_o         (column_ready),
    .column_rdata_o         (column_rdata),
    .column_bad_o           (column_bad),
    .mem_valid_o            (dma_mem_valid),
    .mem_ready_i            (dma_mem_ready),
    .mem_o                  (dma_mem),
    .rsp_valid_i            (in_rsp_valid && in_rsp.kind == cpe_pkg::MemDma),
    .rsp_i                  (in_rsp),
    .line_we_o              (line_we),
    .line_waddr_o           (line_waddr),
    .line_wbytes_o          (line_wbytes),
    .line_wdata_o           (line_wdata),
    .line_re_o              (line_re),
    .line_re_ready_i        (line_re_ready),
    .line_raddr_o           (line_raddr),
    .line_rbytes_o          (line_rbytes),
    .line_rdata_i           (line_rdata),
    .rs_valid_o             (rs_valid),
    .rs_ready_i             (rs_ready),
    .rs_addr_o              (rs_addr),
    .rs_rdata_i             (rs_rdata),
    .rr_valid_o             (rr_valid),
    .rr_ready_i             (rr_ready),
    .rr_addr_o              (rr_addr),
    .rr_wdata_o             (rr_wdata),
    .cs_valid_o             (cs_valid),
    .cs_ready_i             (cs_ready),
    .cs_addr_o              (cs_addr),
    .cs_rdata_i             (cs_rdata),
    .cr_valid_o             (cr_valid),
    .cr_ready_i             (cr_ready),
    .cr_addr_o              (cr_addr),
    .cr_wdata_o             (cr_wdata),
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
    .fault_valid_o          (dma_fault_valid),
    .fault_o                (dma_fault),
    .busy_o                 (movers_busy),
    .dma_busy_o             (dma_busy),
    .dma_quiet_o            (dma_quiet),
    .event_line_o           (dma_line),
    .event_row_sent_o       (row_sent),
    .event_row_received_o   (row_received),
    .event_column_sent_o    (column_sent),
    .event_column_received_o(column_received)
  );

  // ------------------------------------------------------------------------------------------- arithmetic units

  logic         sx_valid, sx_ready, sw_valid, sw_ready, sd_valid, sd_ready, sd_write;
  logic [11:0]  sx_addr, sw_addr, sd_addr;
  logic [255:0] sx_rdata, sw_rdata, sd_rdata, sd_wdata;
  logic [31:0]  sd_strb;
  logic         systolic_row, vector_group;
  logic [2:0]   systolic_wait;
  logic [1:0]   vector_wait;

  fp32_serial_pkg::request_t systolic_math, vector_math;
  logic [31:0]            systolic_operand, vector_operand;
  logic [1:0]             math_which;
  fp32_serial_pkg::answer_t  systolic_answer, vector_answer;

  cpe_systolic #(
    .Sparse(Sparse),
    .Serial(Serial)
  ) u_systolic (
    .clk_i,
    .rst_ni                  (in_rst_n),
    .halt_i                  (halt),
    .issue_valid_i           (to_systolic),
    .issue_i                 (issue),
    .issue_ready_o           (systolic_ready),
    .issue_rdata_o           (systolic_rdata),
    .issue_bad_o             (systolic_bad),
    .x_valid_o               (sx_valid),
    .x_ready_i               (sx_ready),
    .x_addr_o                (sx_addr),
    .x_rdata_i               (sx_rdata),
    .w_valid_o               (sw_valid),
    .w_ready_i               (sw_ready),
    .w_addr_o                (sw_addr),
    .w_rdata_i               (sw_rdata),
    .d_valid_o               (sd_valid),
    .d_ready_i               (sd_ready),
    .d_write_o               (sd_write),
    .d_addr_o                (sd_addr),
    .d_wdata_o               (sd_wdata),
    .d_strb_o                (sd_strb),
    .d_rdata_i               (sd_rdata),
    .fault_valid_o           (systolic_fault_valid),
    .fault_o                 (systolic_fault),
    .busy_o                  (systolic_busy),
    .awake_o                 (systolic_awake),
    .event_row_o             (systolic_row),
    .event_wait_o            (systolic_wait),
    .math_o                  (systolic_math),
    .math_operand_o          (systolic_operand),
    .math_which_i            (math_which),
    .math_i                  (systolic_answer)
  );

  logic         va_valid, va_ready, vb_valid, vb_ready, vc_valid, vc_ready, vd_valid, vd_ready, vd_write;
  logic [11:0]  va_addr, vb_addr, vc_addr, vd_addr;
  logic [255:0] va_rdata, vb_rdata, vc_rdata, vd_wdata;
  logic [31:0]  vd_strb;

  cpe_vector #(
    .Lanes       (Serial ? 0 : VectorLanes),
    .SpecialLanes(SpecialLanes)
  ) u_vector (
    .clk_i,
    .rst_ni               (in_rst_n),
    .halt_i               (halt),
    .issue_valid_i        (to_vector),
    .issue_i              (issue),
    .issue_ready_o        (vector_ready),
    .issue_rdata_o        (vector_rdata),
    .issue_bad_o          (vector_bad),
    .a_valid_o            (va_valid),
    .a_ready_i            (va_ready),
    .a_addr_o             (va_addr),
    .a_rdata_i            (va_rdata),
    .b_valid_o            (vb_valid),
    .b_ready_i            (vb_ready),
    .b_addr_o             (vb_addr),
    .b_rdata_i            (vb_rdata),
    .c_valid_o            (vc_valid),
    .c_ready_i            (vc_ready),
    .c_addr_o             (vc_addr),
    .c_rdata_i            (vc_rdata),
    .d_valid_o            (vd_valid),
    .d_ready_i            (vd_ready),
    .d_write_o            (vd_write),
    .d_addr_o             (vd_addr),
    .d_wdata_o            (vd_wdata),
    .d_strb_o             (vd_strb),
    .fault_valid_o        (vector_fault_valid),
    .fault_o              (vector_fault),
    .busy_o               (vector_busy),
    .awake_o              (vector_awake),
    .event_group_o        (vector_group),
    .event_wait_operands_o(vector_wait[0]),
    .event_wait_store_o   (vector_wait[1]),
    .math_o               (vector_math),
    .math_operand_o       (vector_operand),
    .math_which_i         (math_which),
    .math_i               (vector_answer)
  );

  if (Serial) begin : g_math
    cpe_math u_math (
      .clk_i,
      .which_o         (math_which),
      .vector_i        (vector_math),
      .vector_operand_i(vector_operand),
      .vector_o        (vector_answer),
      .drain_i         (systolic_math),
      .drain_operand_i (systolic_operand),
      .drain_o         (systolic_answer)
    );
  end else begin : g_no_math
    assign {math_which, vector_answer, systolic_answer} = '0;

    logic unused;
    assign unused = ^{vector_math, vector_operand, systolic_math, systolic_operand};
  end

  // ------------------------------------------------------------------------------------------- local memory

  // Its ports: row send and receive, column send and receive; activations, weights and drain of the systolic unit; a, b, c and results
  // of the vector unit.
  logic         a_valid, a_ready, a_write, clear, clearing, conflict;
  logic [16:3]  a_addr;
  logic [63:0]  a_wdata, a_rdata;
  logic [7:0]   a_strb;
  logic [255:0] unused_row, unused_column, unused_results;

  if (Serial) begin : g_ldm_serial
    // Of the arithmetic units' ports, those of the drain, of a and of results serve for everything.
    logic [7*12-1:0]  e_addr;
    logic [7*256-1:0] e_rdata;
    logic             unused;

    assign e_addr = {vd_addr, va_addr, sd_addr, cr_addr, cs_addr, rr_addr, rs_addr};
    assign {unused_results, va_rdata, sd_rdata, unused_column, cs_rdata, unused_row, rs_rdata} = e_rdata;
    assign {vc_ready, vb_ready, sw_ready, sx_ready} = '0;
    assign {vc_rdata, vb_rdata, sw_rdata, sx_rdata} = '0;
    assign unused = ^{vc_valid, vb_valid, sw_valid, sx_valid, vc_addr, vb_addr, sw_addr, sx_addr};

    cpe_ldm_serial #(
      .Engines(7),
      .Writes (7'b10_1_1010),
      .First  (1),
      .Second (3)
    ) u_ldm (
      .clk_i,
      .rst_ni          (in_rst_n),
      .line_we_i       (line_we),
      .line_waddr_i    (line_waddr),
      .line_wbytes_i   (line_wbytes),
      .line_wdata_i    (line_wdata),
      .line_re_i       (line_re),
      .line_re_ready_o (line_re_ready),
      .line_raddr_i    (line_raddr),
      .line_rbytes_i   (line_rbytes),
      .line_rdata_o    (line_rdata),
      .s_valid_i       (ldm_valid),
      .s_ready_o       (ldm_ready),
      .s_write_i       (ldm_write),
      .s_addr_i        (ldm_addr),
      .s_wdata_i       (ldm_wdata),
      .s_strb_i        (ldm_strb),
      .s_rdata_o       (ldm_rdata),
      .e_valid_i       ({vd_valid, va_valid, sd_valid, cr_valid, cs_valid, rr_valid, rs_valid}),
      .e_ready_o       ({vd_ready, va_ready, sd_ready, cr_ready, cs_ready, rr_ready, rs_ready}),
      .e_write_i       ({vd_write, 1'b0, sd_write, 4'b1010}),
      .e_addr_i        (e_addr),
      .e_wdata_i       ({vd_wdata, 256'd0, sd_wdata, cr_wdata, 256'd0, rr_wdata, 256'd0}),
      .e_strb_i        ({vd_strb, 32'd0, sd_strb, {128{1'b1}}}),
      .e_rdata_o       (e_rdata),
      .a_valid_i       (a_valid),
      .a_ready_o       (a_ready),
      .a_write_i       (a_write),
      .a_addr_i        (a_addr),
      .a_wdata_i       (a_wdata),
      .a_strb_i        (a_strb),
      .a_rdata_o       (a_rdata),
      .clear_i         (clear),
      .clearing_o      (clearing),
      .busy_o          (ldm_busy),
      .event_conflict_o(conflict)
    );
  end else begin : g_ldm
    localparam int unsigned Engines = 11;

    // What engines ask for: each says nothing while it has nothing to do.
    logic [Engines-1:0]     e_valid, e_write;
    logic [32*Engines-1:0]  e_addr;
    logic [256*Engines-1:0] e_wdata;
    logic [32*Engines-1:0]  e_strb;
    logic [256*Engines-1:0] e_rdata;

    // What has a door has a process of its own, which a simulator runs when the door is open.
    always_comb begin
      e_valid[3:0]             = {cr_valid, cs_valid, rr_valid, rs_valid};
      e_addr[32*0 +: 32]       = {20'd0, rs_addr};
      e_addr[32*1 +: 32]       = {20'd0, rr_addr};
      e_addr[32*2 +: 32]       = {20'd0, cs_addr};
      e_addr[32*3 +: 32]       = {20'd0, cr_addr};
      e_wdata[256*1 +: 256]    = rr_wdata;
      e_wdata[256*3 +: 256]    = cr_wdata;
    end

    always_comb begin
      e_valid[6:4]             = {sd_valid, sw_valid, sx_valid};
      e_addr[32*4 +: 32]       = {20'd0, sx_addr};
      e_addr[32*5 +: 32]       = {20'd0, sw_addr};
      e_addr[32*6 +: 32]       = {20'd0, sd_addr};
      e_wdata[256*6 +: 256]    = sd_wdata;
      e_strb[32*6 +: 32]       = sd_strb;
    end

    always_comb begin
      e_valid[10:7]            = {vd_valid, vc_valid, vb_valid, va_valid};
      e_addr[32*7 +: 32]       = {20'd0, va_addr};
      e_addr[32*8 +: 32]       = {20'd0, vb_addr};
      e_addr[32*9 +: 32]       = {20'd0, vc_addr};
      e_addr[32*10 +: 32]      = {20'd0, vd_addr};
      e_wdata[256*10 +: 256]   = vd_wdata;
      e_strb[32*10 +: 32]      = vd_strb;
    end

    // The others only read; those of the channels write whole words.
    assign e_write                = {vd_write, 3'b000, sd_write, 6'b00_1010};
    assign e_wdata[255:0]         = '0;
    assign e_wdata[256*2 +: 256]  = '0;
    assign e_wdata[256*4 +: 512]  = '0;
    assign e_wdata[256*7 +: 768]  = '0;
    assign e_strb[32*6-1:0]       = {64'd0, {128{1'b1}}};
    assign e_strb[32*7 +: 96]     = '0;

    assign {unused_results, vc_rdata, vb_rdata, va_rdata, sd_rdata, sw_rdata, sx_rdata, unused_column, cs_rdata, unused_row,
            rs_rdata} = e_rdata;

    cpe_ldm #(
      .Engines(Engines),
      .Holds  (11'b0000_111_0000)  // the systolic unit looks at what it has read for longer than a cycle
    ) u_ldm (
      .clk_i,
      .rst_ni          (in_rst_n),
      .line_we_i       (line_we),
      .line_waddr_i    (line_waddr),
      .line_wbytes_i   (line_wbytes),
      .line_wdata_i    (line_wdata),
      .line_re_i       (line_re),
      .line_re_ready_o (line_re_ready),
      .line_raddr_i    (line_raddr),
      .line_rbytes_i   (line_rbytes),
      .line_rdata_o    (line_rdata),
      .s_valid_i       (ldm_valid),
      .s_ready_o       (ldm_ready),
      .s_write_i       (ldm_write),
      .s_addr_i        (ldm_addr),
      .s_wdata_i       (ldm_wdata),
      .s_strb_i        (ldm_strb),
      .s_rdata_o       (ldm_rdata),
      .e_valid_i       (e_valid),
      .e_ready_o       ({vd_ready, vc_ready, vb_ready, va_ready, sd_ready, sw_ready, sx_ready, cr_ready, cs_ready, rr_ready, rs_ready}),
      .e_write_i       (e_write),
      .e_addr_i        (e_addr),
      .e_wdata_i       (e_wdata),
      .e_strb_i        (e_strb),
      .e_rdata_o       (e_rdata),
      .a_valid_i       (a_valid),
      .a_ready_o       (a_ready),
      .a_write_i       (a_write),
      .a_addr_i        (a_addr),
      .a_wdata_i       (a_wdata),
      .a_strb_i        (a_strb),
      .a_rdata_o       (a_rdata),
      .clear_i         (clear),
      .clearing_o      (clearing),
      .busy_o          (ldm_busy),
      .event_conflict_o(conflict)
    );
  end

  // The small one does not count what its engines do.
  if (Serial) begin : g_core_counters
    assign counter = core_counter;

    logic unused;
    assign unused = ^{dma_busy, dma_line, row_sent, row_received, column_sent, column_received, conflict, systolic_row, systolic_wait,
                      vector_group, vector_wait};
  end else begin : g_counters
    cpe_counters u_counters (
      .clk_i,
      .rst_ni           (in_rst_n),
      .awake_i          (in_awake),
      .movers_busy_i    (movers_busy),
      .dma_busy_i       (dma_busy),
      .dma_line_i       (dma_line),
      .row_sent_i       (row_sent),
      .row_received_i   (row_received),
      .column_sent_i    (column_sent),
      .column_received_i(column_received),
      .conflict_i       (conflict),
      .units_awake_i    (systolic_awake || vector_awake),
      .systolic_row_i   (systolic_row),
      .systolic_wait_i  (systolic_wait),
      .vector_group_i   (vector_group),
      .vector_wait_i    (vector_wait),
      .select_i         (counter_select),
      .core_i           (core_counter),
      .counter_o        (counter)
    );
  end

  cpe_access u_access (
    .clk_i           (core_clk),
    .rst_ni          (in_rst_n),
    .access_valid_i  (in_access_valid),
    .access_i        (in_access),
    .access_ready_o,
    .access_rdata_o,
    .a_valid_o       (a_valid),
    .a_ready_i       (a_ready),
    .a_write_o       (a_write),
    .a_addr_o        (a_addr),
    .a_wdata_o       (a_wdata),
    .a_strb_o        (a_strb),
    .a_rdata_i       (a_rdata),
    .clear_o         (clear),
    .clearing_i      (clearing),
    .status_i        ({engines_busy, finished_o, fault_valid_o, core_halted, asleep_o}),
    .pc_i            (pc_o),
    .fault_i         (fault_o),
    .counter_select_o(counter_select),
    .counter_i       (counter)
  );

`ifndef SYNTHESIS
  // Nothing between what sleeps and the arbiter would keep it from asking for local memory.
  always_ff @(posedge clk_i) begin
    if (in_rst_n) begin
      assert (systolic_awake || {sd_valid, sw_valid, sx_valid} == '0) else $error("the systolic unit sleeps, and asks");
      assert (vector_awake || {vd_valid, vc_valid, vb_valid, va_valid} == '0) else $error("the vector unit sleeps, and asks");
      assert (movers_busy || {cr_valid, cs_valid, rr_valid, rs_valid, line_we, line_re} == '0) else $error("a mover sleeps, and asks");
    end
  end
`endif

endmodule
