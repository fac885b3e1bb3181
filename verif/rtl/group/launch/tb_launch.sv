// SPDX-License-Identifier: Apache-2.0
// The launch hardware with its registers, and as many CPEs as it has: their control units behind their clocks are real, their
// cores, engines and memories are the testbench's. The launch hardware has a clock only while it asks for one.
module tb_launch #(
  localparam int unsigned Rows    = 2,
  localparam int unsigned Columns = 4,
  localparam int unsigned N       = Rows * Columns,
  localparam int unsigned Fw      = cpe_pkg::FaultWidth
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [1:0]             group_i,

  // Registers, over the ring
  input  logic                   req_valid_i,
  output logic                   req_ready_o,
  input  noc_pkg::req_t          req_i,
  output logic                   rsp_valid_o,
  input  logic                   rsp_ready_i,
  output logic [1:0]             rsp_status_o,
  output logic [63:0]            rsp_data_o,

  // Cores and engines
  output logic [N-1:0]           enable_o,         // this CPE's clock has the coming edge
  output logic [N-1:0]           tile_rst_no,
  output logic [N-1:0]           stop_o,
  input  logic [N-1:0]           issue_valid_i,
  input  logic [N*7-1:0]         issue_op_i,
  input  logic [N*32-1:0]        issue_rs1_i,
  output logic [N-1:0]           issue_ready_o,
  output logic [N-1:0]           issue_bad_o,
  output logic [N*32-1:0]        issue_rdata_o,
  output logic [N*128-1:0]       launch_o,         // as each control unit has it
  input  logic [N-1:0]           waiting_i,
  input  logic [N-1:0]           halted_i,
  input  logic [N-1:0]           engines_busy_i,
  input  logic [N-1:0]           core_fault_valid_i,
  input  logic [N*Fw-1:0]        core_fault_i,
  input  logic [N-1:0]           dma_fault_valid_i,
  input  logic [N*Fw-1:0]        dma_fault_i,
  input  logic [N-1:0]           quiet_i,
  input  logic [N*32-1:0]        pc_i,
  input  logic [N-1:0]           nudge_i,          // a reason to be awake for a cycle
  output logic [N-1:0]           access_valid_o,
  input  logic [N-1:0]           access_ready_i,
  output cpe_pkg::access_req_t    access_o,
  input  logic [N*64-1:0]        access_rdata_i,

  output logic                   done_valid_o,
  input  logic                   done_ready_i,
  output noc_pkg::req_t          done_o,
  input  logic                   done_rsp_valid_i,

  output cg_pkg::space_t         space_o,
  output logic                   dslb_invalidate_o,
  output logic                   code_invalidate_o,
  output logic [31:0]            boot_pc_o,
  output logic                   cpe_fault_o,
  output logic                   busy_o,

  // What goes on inside
  output logic                   push_o,
  output logic                   pop_o,
  output logic [N-1:0]           usable_o,
  output logic                   running_o,        // launches are offered
  output logic                   end_o,
  output logic [31:0]            sequence_o,
  output logic                   kill_o,
  output logic                   flush_o,
  output logic [N-1:0]           enable_bits_o,
  output logic [N-1:0]           fault_valid_o,
  output logic [N-1:0]           launch_valid_o,
  output logic [N-1:0]           finished_o,
  output logic [N-1:0]           halt_o,
  output logic [N-1:0]           recorded_o,
  output logic [N-1:0]           cleared_o,
  output logic [N-1:0]           parked_o
);

  reg_pkg::reg_req_t reg_req, launch_req, access_req;
  reg_pkg::reg_rsp_t reg_rsp, launch_rsp, access_rsp;
  logic [2:0]        rsp_dest;
  logic [7:0]        rsp_tag;

  cg_reg_port u_port (
    .clk_i,
    .rst_ni,
    .group_i,
    .req_valid_i,
    .req_ready_o,
    .req_i,
    .rsp_valid_o,
    .rsp_ready_i,
    .rsp_dest_o  (rsp_dest),
    .rsp_tag_o   (rsp_tag),
    .rsp_status_o,
    .rsp_data_o,
    .reg_req_o   (reg_req),
    .reg_rsp_i   (reg_rsp)
  );

  logic memory_fault, fault_pending, event_launch, event_failure, event_refused, event_fault;

  cg_regs #(
    .Rows   (Rows),
    .Columns(Columns)
  ) u_regs (
    .clk_i,
    .rst_ni,
    .group_i,
    .req_i            (reg_req),
    .rsp_o            (reg_rsp),
    .events_i         ('0),
    .poison_line_i    ('0),
    .hbm_busy_i       (1'b0),
    .fault_o          (memory_fault),
    .launch_req_o     (launch_req),
    .launch_rsp_i     (launch_rsp),
    .access_req_o     (access_req),
    .access_rsp_i     (access_rsp),
    .fault_pending_i  (fault_pending),
    .cpe_fault_o,
    .event_launch_i   (event_launch),
    .event_failure_i  (event_failure),
    .event_refused_i  (event_refused),
    .event_fault_i    (event_fault),
    .event_dslb_hit_i (1'b0),
    .event_dslb_miss_i(1'b0),
    .event_code_hit_i (1'b0),
    .event_code_miss_i(1'b0),
    .event_read_i     (1'b0),
    .event_write_i    (1'b0)
  );

  logic             access_busy;
  logic [N-1:0]     launch_ready, active, asleep, fault_valid;
  logic [N*Fw-1:0]  fault;
  logic [4:0]       record_cpe;
  cpe_pkg::fault_t  record;
  logic             record_valid;
  logic [63:0]      access_rdata;
  logic [3*N-1:0]   arrive, release_all;
  cpe_pkg::launch_t launch;
  logic             clk_launch, busy;

  clock_gate u_clock (
    .clk_i,
    .en_i (busy),
    .clk_o(clk_launch)
  );

  cg_launch #(
    .Rows   (Rows),
    .Columns(Columns)
  ) u_launch (
    .clk_i          (clk_launch),
    .rst_ni,
    .group_i,
    .req_i          (launch_req),
    .rsp_o          (launch_rsp),
    .launch_valid_o,
    .launch_ready_i (launch_ready),
    .launch_o       (launch),
    .finished_i     (finished_o),
    .active_o       (active),
    .halt_o,
    .quiet_i,
    .tile_rst_no,
    .parked_o,
    .asleep_i       (~enable_o),
    .fault_valid_i  (fault_valid),
    .record_o       (record_valid),
    .record_cpe_o   (record_cpe),
    .fault_i        (record),
    .pc_i           (pc_i[32*record_cpe +: 32]),
    .boot_pc_o,
    .space_o,
    .dslb_invalidate_o,
    .code_invalidate_o,
    .done_valid_o,
    .done_ready_i,
    .done_o,
    .done_rsp_valid_i,
    .fault_pending_o(fault_pending),
    .event_launch_o (event_launch),
    .event_failure_o(event_failure),
    .event_refused_o(event_refused),
    .event_fault_o  (event_fault),
    .busy_o         (busy)
  );

  cg_access #(
    .N(N)
  ) u_access (
    .clk_i,
    .rst_ni,
    .req_i         (access_req),
    .rsp_o         (access_rsp),
    .tile_rst_ni   (tile_rst_no),
    .access_valid_o,
    .access_ready_i,
    .access_o,
    .access_rdata_i(access_rdata),
    .busy_o        (access_busy)
  );

  cg_sync #(
    .Rows   (Rows),
    .Columns(Columns)
  ) u_sync (
    .clk_i,
    .rst_ni,
    .arrive_i (arrive),
    .active_i (active),
    .release_o(release_all)
  );

  assign record = fault[Fw*record_cpe +: Fw];

  always_comb begin
    access_rdata = '0;
    for (int unsigned i = 0; i < N; i++) access_rdata = access_rdata | (access_valid_o[i] ? access_rdata_i[64*i +: 64] : '0);
  end

  for (genvar i = 0; i < N; i++) begin : g_cpe
    logic            clk;
    logic [2:0]      released;
    cpe_pkg::issue_t issue;

    cg_wake u_wake (
      .clk_i,
      .parked_i    (parked_o[i]),
      .asleep_i    (asleep[i]),
      .reset_i     (!tile_rst_no[i]),
      .launch_i    (launch_valid_o[i]),
      .release_i   (released != '0),
      .response_i  (nudge_i[i]),
      .channel_i   (1'b0),
      .access_i    (access_valid_o[i]),
      .halt_i      (halt_o[i]),
      .invalidate_i(code_invalidate_o),
      .enable_o    (enable_o[i]),
      .clk_o       (clk)
    );

    assign released = {release_all[2*N+i], release_all[N+i], release_all[i]};

    always_comb begin
      issue        = '0;
      issue.target = cpe_isa_pkg::UnitControl;
      issue.op     = issue_op_i[7*i +: 7];
      issue.rs1    = issue_rs1_i[32*i +: 32];
      issue.pc     = pc_i[32*i +: 32];
    end

    cpe_control u_control (
      .clk_i             (clk),
      .rst_ni            (tile_rst_no[i]),
      .halt_i            (halt_o[i]),
      .issue_valid_i     (issue_valid_i[i]),
      .issue_i           (issue),
      .issue_ready_o     (issue_ready_o[i]),
      .issue_rdata_o     (issue_rdata_o[32*i +: 32]),
      .issue_bad_o       (issue_bad_o[i]),
      .launch_valid_i    (launch_valid_o[i]),
      .launch_ready_o    (launch_ready[i]),
      .launch_i          (launch),
      .launch_o          (launch_o[128*i +: 128]),
      .finished_o        (finished_o[i]),
      .arrive_o          ({arrive[2*N+i], arrive[N+i], arrive[i]}),
      .release_i         (released),
      .engines_busy_i    (engines_busy_i[i]),
      .core_waiting_i    (waiting_i[i]),
      .halted_i          (halted_i[i]),
      .asleep_o          (asleep[i]),
      .core_fault_valid_i(core_fault_valid_i[i]),
      .core_fault_i      (core_fault_i[Fw*i +: Fw]),
      .engine_fault_valid_i(dma_fault_valid_i[i]),
      .engine_fault_i    (dma_fault_i[Fw*i +: Fw]),
      .stop_o            (stop_o[i]),
      .fault_valid_o     (fault_valid[i]),
      .fault_o           (fault[Fw*i +: Fw])
    );
  end

  assign busy_o     = busy;
  assign push_o     = u_launch.u_queue.push_i;
  assign pop_o      = u_launch.u_queue.pop_i;
  assign usable_o   = u_launch.usable;
  assign running_o  = u_launch.u_run.running;
  assign end_o      = u_launch.launch_end;
  assign sequence_o = u_launch.sequence_number;
  assign kill_o     = u_launch.kill;
  assign flush_o    = u_launch.flush;
  assign enable_bits_o = u_launch.enable;
  assign fault_valid_o = fault_valid;
  assign recorded_o = u_launch.u_records.chosen;
  assign cleared_o  = u_launch.u_records.clear_i;

endmodule
