// SPDX-License-Identifier: Apache-2.0
// A core group: CPEs, launch hardware, HBM controller and registers, with a target and an initiator port of the ring.
//
// Answers requests to its HBM (0x80_0000_0000 + group * 16 GiB) and its registers (device cg of the register description, at
// group * 0x0100_0000 from there, and, writes only, through the window of sets of groups); StatusNobody to all others.
// Orders: requests to one line of the HBM, accesses to registers; nothing between these. Responses come in any order.
// fault_o is high while poison.pending is set and control.fault_enable allows it, cpe_fault_o while a CPE has a fault record.
// clk_i always runs; what is in here stops its own clocks. While busy_o is low nothing happens until a request comes, except for
//   refreshes: they go on as long as the clock runs.
module cg #(
  parameter int unsigned HbmLinesLog2 = hbm_pkg::LineWidth,
  parameter int unsigned Rows         = 4,
  parameter int unsigned Columns      = 8,
  parameter bit          SharedClock  = 1'b0, // see cg_cpes
  parameter bit          SmallCpes    = 1'b0  // for an FPGA, see cpe
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

  output logic          ini_req_valid_o,
  input  logic          ini_req_ready_i,
  output noc_pkg::req_t ini_req_o,
  input  logic          ini_rsp_valid_i,
  input  noc_pkg::rsp_t ini_rsp_i,

  output logic          fault_o,
  output logic          cpe_fault_o,
  output logic          busy_o
);

  localparam int unsigned N = Rows * Columns;

  // -------------------------------------------------------------------------------------------------- clock

  // Of all but HBM and CPEs, which have gates of their own.
  logic clk, fabric_busy;
  logic hbm_busy, memory_busy, launch_busy, access_busy, cpes_busy, reg_req_ready;

  assign fabric_busy = tgt_req_valid_i || hbm_busy || memory_busy || launch_busy || access_busy || !reg_req_ready;
  idle_clock u_clock (
    .clk_i,
    .rst_ni,
    .busy_i(fabric_busy),
    .clk_o (clk)
  );

  // ------------------------------------------------------------------------------------------------------------ HBM

  logic to_hbm;
  assign to_hbm = tgt_req_i.addr[39:34] == {4'b1000, group_i};

  logic             ring_req_ready, ring_rsp_valid, ring_rsp_ready;
  logic             own_req_valid, own_req_ready, own_rsp_valid, own_rsp_ready;
  logic             hbm_req_valid, hbm_req_ready, hbm_rsp_valid, hbm_rsp_ready;
  noc_pkg::req_t    own_req, hbm_req;
  noc_pkg::rsp_t    ring_rsp, own_rsp, hbm_rsp;
  hbm_pkg::events_t events;
  logic [27:0]      poison_line;

  cg_hbm_share u_share (
    .clk_i           (clk),
    .rst_ni,
    .ring_req_valid_i(tgt_req_valid_i && to_hbm),
    .ring_req_ready_o(ring_req_ready),
    .ring_req_i      (tgt_req_i),
    .ring_rsp_valid_o(ring_rsp_valid),
    .ring_rsp_ready_i(ring_rsp_ready),
    .ring_rsp_o      (ring_rsp),
    .own_req_valid_i (own_req_valid),
    .own_req_ready_o (own_req_ready),
    .own_req_i       (own_req),
    .own_rsp_valid_o (own_rsp_valid),
    .own_rsp_ready_i (own_rsp_ready),
    .own_rsp_o       (own_rsp),
    .hbm_req_valid_o (hbm_req_valid),
    .hbm_req_ready_i (hbm_req_ready),
    .hbm_req_o       (hbm_req),
    .hbm_rsp_valid_i (hbm_rsp_valid),
    .hbm_rsp_ready_o (hbm_rsp_ready),
    .hbm_rsp_i       (hbm_rsp)
  );

  hbm #(
    .LinesLog2(HbmLinesLog2)
  ) u_hbm (
    .clk_i,
    .rst_ni,
    .group_i,
    .req_valid_i  (hbm_req_valid),
    .req_ready_o  (hbm_req_ready),
    .req_i        (hbm_req),
    .rsp_valid_o  (hbm_rsp_valid),
    .rsp_ready_i  (hbm_rsp_ready),
    .rsp_o        (hbm_rsp),
    .events_o     (events),
    .poison_line_o(poison_line),
    .busy_o       (hbm_busy)
  );

  // ----------------------------------------------------------------------------------------------- memory port

  logic [N-1:0]                      mem_valid, mem_take, mem_taken_q, rsp_valid, fetch_valid;
  logic [4:0]                        mem_cpe;
  cpe_pkg::mem_req_t                 mem;
  cpe_pkg::mem_rsp_t                 rsp;
  logic [N*26-1:0]                   fetch_line;
  cg_pkg::space_t                    space;
  logic                              dslb_invalidate, code_invalidate;
  logic                              out_req_valid, out_req_ready, out_rsp_valid;
  noc_pkg::req_t                     out_req;
  logic                              dslb_hit, dslb_miss, code_hit, code_miss, read, write;

  cg_memory #(
    .Rows   (Rows),
    .Columns(Columns)
  ) u_memory (
    .clk_i              (clk),
    .rst_ni,
    .group_i,
    .space_i            (space),
    .dslb_invalidate_i  (dslb_invalidate),
    .icache_invalidate_i(code_invalidate),
    .mem_valid_i        (mem_valid & ~mem_taken_q),
    .mem_ready_o        (mem_take),
    .mem_cpe_o          (mem_cpe),
    .mem_i              (mem),
    .rsp_valid_o        (rsp_valid),
    .rsp_o              (rsp),
    .fetch_valid_i      (fetch_valid),
    .fetch_line_i       (fetch_line),
    .hbm_req_valid_o    (own_req_valid),
    .hbm_req_ready_i    (own_req_ready),
    .hbm_req_o          (own_req),
    .hbm_rsp_valid_i    (own_rsp_valid),
    .hbm_rsp_ready_o    (own_rsp_ready),
    .hbm_rsp_i          (own_rsp),
    .ring_req_valid_o   (out_req_valid),
    .ring_req_ready_i   (out_req_ready),
    .ring_req_o         (out_req),
    .ring_rsp_valid_i   (out_rsp_valid),
    .ring_rsp_i         (ini_rsp_i),
    .busy_o             (memory_busy),
    .event_dslb_hit_o   (dslb_hit),
    .event_dslb_miss_o  (dslb_miss),
    .event_icache_hit_o (code_hit),
    .event_icache_miss_o(code_miss),
    .event_read_o       (read),
    .event_write_o      (write)
  );

  // A CPE learns from a register that its request was taken, a cycle later: nothing in a CPE hangs on what goes on in memory and on
  // the ring in the same cycle.
  always_ff @(posedge clk) begin
    if (!rst_ni) mem_taken_q <= '0;
    else         mem_taken_q <= mem_valid & ~mem_taken_q & mem_take;
  end

  // ------------------------------------------------------------------------------------------------------ launch

  reg_pkg::reg_req_t                reg_req, launch_reg_req, access_reg_req;
  reg_pkg::reg_rsp_t                reg_rsp, launch_reg_rsp, access_reg_rsp;
  logic [N-1:0]                     launch_valid, launch_ready, finished, active, halt, quiet, tile_rst_n, parked, asleep, fault_valid;
  cpe_pkg::launch_t                 launch;
  logic                             record;
  logic [4:0]                       record_cpe;
  cpe_pkg::fault_t                  fault;
  logic [31:0]                      pc;
  logic [31:0]                      boot_pc;
  logic                             done_valid, done_ready, done_rsp_valid;
  noc_pkg::req_t                    done;
  logic                             fault_pending, event_launch, event_failure, event_refused, event_fault;

  cg_launch #(
    .Rows   (Rows),
    .Columns(Columns)
  ) u_launch (
    .clk_i            (clk),
    .rst_ni,
    .group_i,
    .req_i            (launch_reg_req),
    .rsp_o            (launch_reg_rsp),
    .launch_valid_o   (launch_valid),
    .launch_ready_i   (launch_ready),
    .launch_o         (launch),
    .finished_i       (finished),
    .active_o         (active),
    .halt_o           (halt),
    .quiet_i          (quiet),
    .tile_rst_no      (tile_rst_n),
    .parked_o         (parked),
    .asleep_i         (asleep),
    .fault_valid_i    (fault_valid),
    .record_o         (record),
    .record_cpe_o     (record_cpe),
    .fault_i          (fault),
    .pc_i             (pc),
    .boot_pc_o        (boot_pc),
    .space_o          (space),
    .dslb_invalidate_o(dslb_invalidate),
    .code_invalidate_o(code_invalidate),
    .done_valid_o     (done_valid),
    .done_ready_i     (done_ready),
    .done_o           (done),
    .done_rsp_valid_i (done_rsp_valid),
    .fault_pending_o  (fault_pending),
    .event_launch_o   (event_launch),
    .event_failure_o  (event_failure),
    .event_refused_o  (event_refused),
    .event_fault_o    (event_fault),
    .busy_o           (launch_busy)
  );

  logic [N-1:0]        access_valid, access_ready;
  cpe_pkg::access_req_t access;
  logic [63:0]         access_rdata;

  cg_access #(
    .N(N)
  ) u_access (
    .clk_i         (clk),
    .rst_ni,
    .req_i         (access_reg_req),
    .rsp_o         (access_reg_rsp),
    .tile_rst_ni   (tile_rst_n),
    .access_valid_o(access_valid),
    .access_ready_i(access_ready),
    .access_o      (access),
    .access_rdata_i(access_rdata),
    .busy_o        (access_busy)
  );

  // -------------------------------------------------------------------------------------------------------- CPEs

  cg_cpes #(
    .Rows       (Rows),
    .Columns    (Columns),
    .SharedClock(SharedClock),
    .SmallCpes  (SmallCpes)
  ) u_cpes (
    .clk_i,
    .rst_ni,
    .group_i,
    .boot_pc_i        (boot_pc),
    .daemon_segment_i (space.daemon_segment),
    .launch_valid_i   (launch_valid),
    .launch_ready_o   (launch_ready),
    .launch_i         (launch),
    .finished_o       (finished),
    .active_i         (active),
    .halt_i           (halt),
    .quiet_o          (quiet),
    .tile_rst_ni      (tile_rst_n),
    .parked_i         (parked),
    .asleep_o         (asleep),
    .fault_valid_o    (fault_valid),
    .record_i         (record),
    .record_cpe_i     (record_cpe),
    .fault_o          (fault),
    .pc_o             (pc),
    .mem_valid_o      (mem_valid),
    .mem_ready_i      (mem_taken_q),
    .mem_cpe_i        (mem_cpe),
    .mem_o            (mem),
    .rsp_valid_i      (rsp_valid),
    .rsp_i            (rsp),
    .fetch_valid_o    (fetch_valid),
    .fetch_line_o     (fetch_line),
    .code_invalidate_i(code_invalidate),
    .access_valid_i   (access_valid),
    .access_ready_o   (access_ready),
    .access_i         (access),
    .access_rdata_o   (access_rdata),
    .busy_o           (cpes_busy)
  );

  // ------------------------------------------------------------------------------------------------------ registers

  logic        reg_rsp_valid, reg_rsp_ready;
  logic [2:0]  reg_dest;
  logic [7:0]  reg_tag;
  logic [1:0]  reg_status;
  logic [63:0] reg_data;

  cg_reg_port u_reg_port (
    .clk_i       (clk),
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

  cg_regs #(
    .LinesLog2(HbmLinesLog2),
    .Rows     (Rows),
    .Columns  (Columns)
  ) u_regs (
    .clk_i            (clk),
    .rst_ni,
    .group_i,
    .req_i            (reg_req),
    .rsp_o            (reg_rsp),
    .events_i         (events),
    .poison_line_i    (poison_line),
    .hbm_busy_i       (hbm_busy),
    .fault_o,
    .launch_req_o     (launch_reg_req),
    .launch_rsp_i     (launch_reg_rsp),
    .access_req_o     (access_reg_req),
    .access_rsp_i     (access_reg_rsp),
    .fault_pending_i  (fault_pending),
    .cpe_fault_o,
    .event_launch_i   (event_launch),
    .event_failure_i  (event_failure),
    .event_refused_i  (event_refused),
    .event_fault_i    (event_fault),
    .event_dslb_hit_i (dslb_hit),
    .event_dslb_miss_i(dslb_miss),
    .event_code_hit_i (code_hit),
    .event_code_miss_i(code_miss),
    .event_read_i     (read),
    .event_write_i    (write)
  );

  // ------------------------------------------------------------------------------------------------------ the ring

  assign tgt_req_ready_o = to_hbm ? ring_req_ready : reg_req_ready;

  // Registers go first, but a response that waits stays.
  logic hbm_waits_q, choose_reg;
  assign choose_reg      = reg_rsp_valid && !hbm_waits_q;
  assign reg_rsp_ready   = tgt_rsp_ready_i && choose_reg;
  assign ring_rsp_ready  = tgt_rsp_ready_i && !choose_reg;
  assign tgt_rsp_valid_o = ring_rsp_valid || reg_rsp_valid;
  always_comb begin
    tgt_rsp_o = ring_rsp;
    if (choose_reg) begin
      tgt_rsp_o.dest   = reg_dest;
      tgt_rsp_o.tag    = reg_tag;
      tgt_rsp_o.status = reg_status;
      tgt_rsp_o.data   = {8{reg_data}};
    end
  end

  always_ff @(posedge clk) begin
    if (!rst_ni) hbm_waits_q <= 1'b0;
    else hbm_waits_q <= ring_rsp_valid && !choose_reg && !tgt_rsp_ready_i;
  end

  // Done words go first, but a request that waits stays. They have the one tag that is beyond those of the memory port.
  localparam logic [7:0] DoneTag = 8'hff;
  logic out_waits_q, choose_done;
  assign choose_done     = done_valid && !out_waits_q;
  assign ini_req_valid_o = done_valid || out_req_valid;
  assign done_ready      = ini_req_ready_i && choose_done;
  assign out_req_ready   = ini_req_ready_i && !choose_done;
  always_comb begin
    ini_req_o = out_req;
    if (choose_done) begin
      ini_req_o     = done;
      ini_req_o.tag = DoneTag;
    end
  end
  assign done_rsp_valid = ini_rsp_valid_i && ini_rsp_i.tag == DoneTag;
  assign out_rsp_valid  = ini_rsp_valid_i && ini_rsp_i.tag != DoneTag;

  always_ff @(posedge clk) begin
    if (!rst_ni) out_waits_q <= 1'b0;
    else out_waits_q <= out_req_valid && !choose_done && !ini_req_ready_i;
  end

  assign busy_o = fabric_busy || cpes_busy;

endmodule
