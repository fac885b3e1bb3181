// SPDX-License-Identifier: Apache-2.0
// The registers of the launch hardware (device cg, from launch_mask on but for the counters), and the results of the last
// sixteen launches. Every access is answered in its first cycle. A doorbell that finds the queue full is refused.
module cg_launch_regs #(
  parameter int unsigned N = 4
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  reg_pkg::reg_req_t req_i,
  output reg_pkg::reg_rsp_t rsp_o,

  // Doorbell
  output logic              push_o,
  output cpe_pkg::launch_t  launch_o,
  output logic [7:0]        owner_o,
  output logic              notify_o,
  input  logic              full_i,
  output logic              event_refused_o,

  // Settings, and pulses
  output logic              hold_o,
  output logic              resume_o,
  output logic              kill_o,
  output logic              flush_o,
  output logic [31:0]       watchdog_o,
  output logic [31:0]       boot_pc_o,
  output logic [15:0]       daemon_segment_o,
  output logic [39:0]       table_base_o,
  output logic [16:0]       table_entries_o,
  output logic              dslb_invalidate_o,
  output logic              code_invalidate_o,
  output logic [N-1:0]      enable_o,

  // State
  input  logic [3:0]        queued_i,
  input  logic              running_i,
  input  logic              held_i,
  input  logic [31:0]       ended_i,
  input  logic [31:0]       age_i,
  input  logic [N-1:0]      unfinished_i,
  input  logic [N-1:0]      asleep_i,
  input  logic [N-1:0]      stopped_i,

  // Results
  input  logic              end_i,
  input  logic [3:0]        index_i,
  input  logic [63:0]       result_i,

  // Fault records
  input  logic [N-1:0]      fault_pending_i,
  output logic [N-1:0]      fault_clear_o,
  output logic              record_read_o,
  output logic [4:0]        record_index_o,
  input  cpe_pkg::fault_t   record_i
);

  localparam int unsigned Aw = cg_regs_pkg::AddrWidth;

  logic [31:0]  mask_q, watchdog_q, boot_pc_q;
  logic [40:0]  setup_q;
  logic         hold_q;
  logic [15:0]  daemon_segment_q;
  logic [39:6]  table_q;
  logic [16:0]  entries_q;
  logic [N-1:0] enable_q;
  logic         dslb_q, code_q;
  logic [63:0]  result_q [16];
  logic [15:0]  seen_q;

  logic [Aw-1:0] offset;
  logic          write;
  logic [63:0]   lanes;
  assign offset = {req_i.addr[Aw-1:3], 3'b000};
  assign write  = req_i.valid && req_i.write;
  always_comb begin
    lanes = '0;
    if (write) begin
      for (int unsigned i = 0; i < 8; i++) lanes[8*i +: 8] = {8{req_i.wstrb[i]}};
    end
  end

  // -------------------------------------------------------------------------------------------------------- writing

  logic        bell;
  logic [63:0] ones;   // bits that are written as 1
  assign ones = req_i.wdata & lanes;
  assign bell = write && offset == cg_regs_pkg::DoorbellOffset && req_i.wstrb == '1;

  assign push_o          = bell && !full_i;
  assign event_refused_o = bell && full_i;
  always_comb begin
    launch_o.pc               = req_i.wdata[63:32];
    launch_o.argument         = req_i.wdata[31:0];
    launch_o.mask             = mask_q;
    launch_o.code_segment     = setup_q[15:0];
    launch_o.argument_segment = setup_q[31:16];
  end
  assign owner_o  = setup_q[39:32];
  assign notify_o = setup_q[40];

  logic control;
  assign control  = write && offset == cg_regs_pkg::LaunchControlOffset;
  assign resume_o = control && ones[8];
  assign kill_o   = control && ones[9];
  assign flush_o  = control && ones[10];

  assign fault_clear_o = write && offset == cg_regs_pkg::FaultPendingOffset ? ones[N-1:0] : '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      mask_q           <= '0;
      setup_q          <= '0;
      hold_q           <= 1'b0;
      watchdog_q       <= '0;
      boot_pc_q        <= cg_regs_pkg::DaemonReset[31:0];
      daemon_segment_q <= '0;
      table_q          <= '0;
      entries_q        <= '0;
      enable_q         <= '0;
      dslb_q           <= 1'b0;
      code_q           <= 1'b0;
      seen_q           <= '0;
    end else begin
      dslb_q <= 1'b0;
      code_q <= 1'b0;
      if (write) begin
        case (offset)
          cg_regs_pkg::LaunchMaskOffset:    mask_q <= (mask_q & ~lanes[31:0]) | ones[31:0];
          cg_regs_pkg::LaunchSetupOffset:   setup_q <= (setup_q & ~lanes[40:0]) | ones[40:0];
          cg_regs_pkg::LaunchControlOffset: if (lanes[0]) hold_q <= ones[0];
          cg_regs_pkg::WatchdogOffset:      watchdog_q <= (watchdog_q & ~lanes[31:0]) | ones[31:0];
          cg_regs_pkg::DaemonOffset: begin
            boot_pc_q        <= (boot_pc_q & ~lanes[31:0]) | ones[31:0];
            daemon_segment_q <= (daemon_segment_q & ~lanes[47:32]) | ones[47:32];
          end
          cg_regs_pkg::SegmentTableOffset:  table_q <= (table_q & ~lanes[39:6]) | ones[39:6];
          cg_regs_pkg::SegmentCountOffset:  entries_q <= (entries_q & ~lanes[16:0]) | ones[16:0];
          cg_regs_pkg::InvalidateOffset: begin
            dslb_q <= ones[0];
            code_q <= ones[1];
          end
          cg_regs_pkg::CpeEnableOffset:     enable_q <= (enable_q & ~lanes[N-1:0]) | ones[N-1:0];
          default: ;
        endcase
      end
      if (end_i) seen_q[index_i] <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (end_i) result_q[index_i] <= result_i;
  end

  assign hold_o            = hold_q;
  assign watchdog_o        = watchdog_q;
  assign boot_pc_o         = boot_pc_q;
  assign daemon_segment_o  = daemon_segment_q;
  assign table_base_o      = {table_q, 6'b0};
  assign table_entries_o   = entries_q;
  assign dslb_invalidate_o = dslb_q;
  assign code_invalidate_o = code_q;
  assign enable_o          = enable_q;

  // -------------------------------------------------------------------------------------------------------- reading

  logic in_results, in_record0, in_record1;
  assign in_results = offset[Aw-1:7] == cg_regs_pkg::LaunchCyclesOffset[Aw-1:7];
  assign in_record0 = offset[Aw-1:8] == cg_regs_pkg::FaultRecord0Offset[Aw-1:8];
  assign in_record1 = offset[Aw-1:8] == cg_regs_pkg::FaultRecord1Offset[Aw-1:8];

  assign record_read_o  = req_i.valid && (in_record0 || in_record1);
  assign record_index_o = offset[7:3];

  cg_regs_pkg::launch_status_t status;
  always_comb begin
    status         = '0;
    status.queued  = 8'(queued_i);
    status.free    = 8'd8 - 8'(queued_i);
    status.running = running_i;
    status.held    = held_i;
    status.ended   = ended_i;
  end

  cg_regs_pkg::fault_record0_t record0;
  cg_regs_pkg::fault_record1_t record1;
  always_comb begin
    record0          = '0;
    record0.pc       = record_i.pc;
    record0.cause    = record_i.cause;
    record0.access   = record_i.access;
    record0.dma      = record_i.dma;
    record1.location = record_i.offset;
    record1.segment  = record_i.segment;
  end

  always_comb begin
    rsp_o       = '0;
    rsp_o.ready = 1'b1;
    if (req_i.valid) begin
      case (offset)
        cg_regs_pkg::LaunchMaskOffset:    rsp_o.rdata = 64'(mask_q);
        cg_regs_pkg::LaunchSetupOffset:   rsp_o.rdata = 64'(setup_q);
        cg_regs_pkg::DoorbellOffset:      rsp_o.err   = req_i.write && !push_o;
        cg_regs_pkg::LaunchStatusOffset:  rsp_o.rdata = status;
        cg_regs_pkg::LaunchControlOffset: rsp_o.rdata = 64'(hold_q);
        cg_regs_pkg::WatchdogOffset:      rsp_o.rdata = 64'(watchdog_q);
        cg_regs_pkg::DaemonOffset:        rsp_o.rdata = {16'b0, daemon_segment_q, boot_pc_q};
        cg_regs_pkg::SegmentTableOffset:  rsp_o.rdata = 64'(table_base_o);
        cg_regs_pkg::SegmentCountOffset:  rsp_o.rdata = 64'(entries_q);
        cg_regs_pkg::InvalidateOffset:    rsp_o.rdata = '0;
        cg_regs_pkg::CpeEnableOffset:     rsp_o.rdata = 64'(enable_q);
        cg_regs_pkg::CpeRunningOffset:    rsp_o.rdata = 64'(unfinished_i);
        cg_regs_pkg::CpeAsleepOffset:     rsp_o.rdata = 64'(asleep_i);
        cg_regs_pkg::CpeStoppedOffset:    rsp_o.rdata = 64'(stopped_i);
        cg_regs_pkg::FaultPendingOffset:  rsp_o.rdata = 64'(fault_pending_i);
        cg_regs_pkg::LaunchAgeOffset:     rsp_o.rdata = running_i ? 64'(age_i) : '0;
        default: begin
          rsp_o.err = !in_results && !in_record0 && !in_record1;
          if (in_results) rsp_o.rdata = seen_q[offset[6:3]] ? result_q[offset[6:3]] : '0;
          if (in_record0) rsp_o.rdata = record0;
          if (in_record1) rsp_o.rdata = record1;
        end
      endcase
    end
  end

endmodule
