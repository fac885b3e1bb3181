// SPDX-License-Identifier: Apache-2.0
// The launch hardware of a core group: registers, queue, the launch that runs, resets and fault records of the CPEs, done words.
//
// A doorbell (a register write) queues a launch; each CPE of its mask is offered it (launch_valid_o, until launch_ready_i);
// when all are through, a done word goes to the management processor's inbox, and the next launch starts. docs/hardware/launch.md
// has the steps with their cycles. halt_o: the CPE is to stop, and to say quiet_i when nothing of it is under way any more; then
// it is reset (tile_rst_no). fault_valid_i, fault_i: levels until reset. pc_i is read while a CPE stands still. parked_o: in
// reset, and stays; no clock needed. active_o: the CPEs of the launch that runs, for barriers. busy_o: an edge of the clock would
// change something. It is high in the cycle of whatever comes from outside.
module cg_launch #(
  parameter  int unsigned Rows    = 4,
  parameter  int unsigned Columns = 8,
  localparam int unsigned N       = Rows * Columns
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,
  input  logic [1:0]                       group_i,
  input  reg_pkg::reg_req_t                req_i,
  output reg_pkg::reg_rsp_t                rsp_o,

  // CPEs
  output logic [N-1:0]                     launch_valid_o,
  input  logic [N-1:0]                     launch_ready_i,
  output cpe_pkg::launch_t                 launch_o,
  input  logic [N-1:0]                     finished_i,
  output logic [N-1:0]                     active_o,
  output logic [N-1:0]                     halt_o,
  input  logic [N-1:0]                     quiet_i,
  output logic [N-1:0]                     tile_rst_no,
  output logic [N-1:0]                     parked_o,
  input  logic [N-1:0]                     asleep_i,        // its clock stands still
  input  logic [N-1:0]                     fault_valid_i,
  output logic                             record_o,        // a record is taken
  output logic [4:0]                       record_cpe_o,    // of this CPE,
  input  cpe_pkg::fault_t                  fault_i,         // which says these in the same cycle
  input  logic [31:0]                      pc_i,
  output logic [31:0]                      boot_pc_o,

  // Memory port
  output cg_pkg::space_t                   space_o,
  output logic                             dslb_invalidate_o,
  output logic                             code_invalidate_o,

  // Done words, to the ring
  output logic                             done_valid_o,
  input  logic                             done_ready_i,
  output noc_pkg::req_t                    done_o,
  input  logic                             done_rsp_valid_i,

  output logic                             fault_pending_o,
  output logic                             event_launch_o,
  output logic                             event_failure_o,
  output logic                             event_refused_o,
  output logic                             event_fault_o,
  output logic                             busy_o
);

  localparam int unsigned QueueDepth = 8;

  // ------------------------------------------------------------------------------------------------------ registers

  logic             push, full, notify, hold, resume, kill, flush, reg_dslb, reg_code, read_record;
  cpe_pkg::launch_t launch;
  logic [7:0]       owner;
  logic [31:0]      watchdog;
  logic [15:0]      daemon_segment;
  logic [39:0]      table_base;
  logic [16:0]      table_entries;
  logic [N-1:0]     enable, unfinished, fault_pending, fault_clear;
  logic [3:0]       queued;
  logic             running, held;
  logic [31:0]      ended;
  logic             launch_end;
  logic [31:0]      sequence_number, cycles, waited;
  logic             failed, by_watchdog;
  logic [4:0]       record_index;
  cpe_pkg::fault_t  record;
  logic [29:0]      run_cycles;

  assign run_cycles = cycles[31:30] != '0 ? '1 : cycles[29:0];

  cpe_isa_pkg::done_word_t done_word;
  assign done_word.cycles   = run_cycles;
  assign done_word.watchdog = by_watchdog;
  assign done_word.failed   = failed;
  assign done_word.launch   = sequence_number;

  cg_launch_regs #(
    .N(N)
  ) u_regs (
    .clk_i,
    .rst_ni,
    .req_i,
    .rsp_o,
    .push_o           (push),
    .launch_o         (launch),
    .owner_o          (owner),
    .notify_o         (notify),
    .full_i           (full),
    .event_refused_o,
    .hold_o           (hold),
    .resume_o         (resume),
    .kill_o           (kill),
    .flush_o          (flush),
    .watchdog_o       (watchdog),
    .boot_pc_o,
    .daemon_segment_o (daemon_segment),
    .table_base_o     (table_base),
    .table_entries_o  (table_entries),
    .dslb_invalidate_o(reg_dslb),
    .code_invalidate_o(reg_code),
    .enable_o         (enable),
    .queued_i         (queued),
    .running_i        (running),
    .held_i           (held),
    .ended_i          (ended),
    .age_i            (cycles),
    .unfinished_i     (unfinished),
    .asleep_i         (asleep_i & tile_rst_no),
    .stopped_i        (~tile_rst_no | halt_o),
    .end_i            (launch_end),
    .index_i          (sequence_number[3:0]),
    .result_i         ({waited, failed, by_watchdog, run_cycles}),
    .fault_pending_i  (fault_pending),
    .fault_clear_o    (fault_clear),
    .record_read_o    (read_record),
    .record_index_o   (record_index),
    .record_i         (record)
  );

  // ---------------------------------------------------------------------------------------------------------- queue

  localparam int unsigned EntryWidth = cpe_pkg::LaunchWidth + 8 + 1;
  logic             head_valid, pop, head_notify;
  cpe_pkg::launch_t head;
  logic [7:0]       head_owner;
  logic [31:0]      head_waited;

  cg_launch_queue #(
    .Depth(QueueDepth),
    .Width(EntryWidth)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .push_i  (push),
    .launch_i({notify, owner, launch}),
    .full_o  (full),
    .valid_o (head_valid),
    .pop_i   (pop),
    .launch_o({head_notify, head_owner, head}),
    .waited_o(head_waited),
    .count_o (queued)
  );

  // ------------------------------------------------------------------------------------------------------------ run

  logic [N-1:0] usable, restarting, fault, in_launch, taken, stop, to_record;
  logic         record_watchdog, run_code, run_notify, run_busy;
  logic [7:0]   run_owner;

  cg_launch_run #(
    .Rows   (Rows),
    .Columns(Columns)
  ) u_run (
    .clk_i,
    .rst_ni,
    .head_valid_i     (head_valid),
    .pop_o            (pop),
    .head_i           (head),
    .owner_i          (head_owner),
    .notify_i         (head_notify),
    .waited_i         (head_waited),
    .flush_i          (flush),
    .count_i          (queued),
    .hold_i           (hold),
    .resume_i         (resume),
    .kill_i           (kill),
    .watchdog_i       (watchdog),
    .launch_valid_o,
    .launch_ready_i,
    .launch_o,
    .owner_o          (run_owner),
    .finished_i,
    .alive_i          (tile_rst_no & ~halt_o),
    .enable_i         (enable),
    .usable_i         (usable),
    .restarting_i     (restarting),
    .fault_i          (fault),
    .in_launch_o      (in_launch),
    .taken_o          (taken),
    .active_o,
    .stop_o           (stop),
    .record_o         (to_record),
    .record_watchdog_o(record_watchdog),
    .code_invalidate_o(run_code),
    .running_o        (running),
    .held_o           (held),
    .unfinished_o     (unfinished),
    .ended_o          (ended),
    .end_o            (launch_end),
    .sequence_o       (sequence_number),
    .cycles_o         (cycles),
    .waited_o         (waited),
    .failed_o         (failed),
    .watchdog_o       (by_watchdog),
    .notify_o         (run_notify),
    .busy_o           (run_busy)
  );

  // ----------------------------------------------------------------------------------------------- CPEs and records

  logic [N-1:0] still, unrecorded;
  logic         tiles_busy, records_busy, done_busy;

  cg_launch_tiles #(
    .N(N)
  ) u_tiles (
    .clk_i,
    .rst_ni,
    .enable_i     (enable),
    .stop_i       (stop),
    .in_launch_i  (in_launch),
    .taken_i      (taken),
    .fault_valid_i,
    .quiet_i,
    .unrecorded_i (unrecorded | to_record),
    .fault_o      (fault),
    .halt_o,
    .still_o      (still),
    .tile_rst_no,
    .parked_o,
    .restarting_o (restarting),
    .usable_o     (usable),
    .busy_o       (tiles_busy)
  );

  cg_records #(
    .N(N)
  ) u_records (
    .clk_i,
    .rst_ni,
    .fault_i   (fault),
    .stop_i    (to_record),
    .watchdog_i(record_watchdog),
    .still_i   (still | ~tile_rst_no),
    .take_o    (record_o),
    .cpe_o     (record_cpe_o),
    .record_i  (fault_i),
    .pc_i,
    .waiting_o (unrecorded),
    .clear_i   (fault_clear),
    .pending_o (fault_pending),
    .read_i    (read_record),
    .index_i   (record_index),
    .read_o    (record),
    .event_o   (event_fault_o),
    .busy_o    (records_busy)
  );

  cg_launch_done u_done (
    .clk_i,
    .rst_ni,
    .group_i,
    .end_i           (launch_end),
    .word_i          (done_word),
    .notify_i        (run_notify),
    .done_valid_o,
    .done_ready_i,
    .done_o,
    .done_rsp_valid_i,
    .busy_o          (done_busy)
  );

  always_comb begin
    space_o.table_base     = table_base;
    space_o.table_entries  = table_entries;
    space_o.daemon_segment = daemon_segment;
    space_o.code_segment   = launch_o.code_segment;
    space_o.owner          = run_owner;
  end

  assign dslb_invalidate_o = reg_dslb;
  assign code_invalidate_o = reg_code || run_code;
  assign fault_pending_o   = fault_pending != '0;
  assign event_launch_o    = launch_end;
  assign event_failure_o   = launch_end && failed;
  assign busy_o = req_i.valid || run_busy || tiles_busy || records_busy || done_busy || reg_dslb || reg_code;

endmodule
