// SPDX-License-Identifier: Apache-2.0
// The path from the CPEs of a group to memory: chooses, checks and translates their requests, aligns their bytes, sends them to
// the group's HBM or over the ring, and brings them code. docs/hardware/cg-memory.md tells more.
//
// A request is a stream (mem_*); its response comes in any order and is never stalled. One bus carries the responses of all: what
//   rsp_valid_o says may be several CPEs when it is code that they wait for together. A fetch is held until it is answered.
// Orders: requests of one CPE to one line of memory take effect in their order, and so do those of different CPEs in the order in
//   which they were taken. Nothing else.
// dslb_invalidate_i, icache_invalidate_i: requests taken, and fetches begun, in a later cycle find nothing of what was kept before.
// space_i changes only while nothing is under way that it concerns, and dslb_invalidate_i follows a new table.
// Latency: two cycles to the HBM's port, one back; code that is here comes three cycles after its fetch.
// At most RingTags requests are under way on the ring.
// Cuts: everything but mem_ready_o, which follows the readiness of HBM and ring.
// busy_o low: nothing will happen until an input moves. It follows the inputs at once, so that a gate may use it.
// Illegal: requests that do not lie in one line; a tag that is under way already; more than 32 CPEs.
module cg_memory #(
  parameter  int unsigned Rows     = 4,
  parameter  int unsigned Columns  = 8,
  parameter  int unsigned RingTags = 32,
  localparam int unsigned N        = Rows * Columns
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic [1:0]                        group_i,      // constant
  input  cg_pkg::space_t                    space_i,
  input  logic                              dslb_invalidate_i,
  input  logic                              icache_invalidate_i,

  input  logic [N-1:0]                      mem_valid_i,
  output logic [N-1:0]                      mem_ready_o,
  output logic [4:0]                        mem_cpe_o,    // the one who is next; 0 when there is none
  input  cpe_pkg::mem_req_t                 mem_i,        // its request, in the same cycle
  output logic [N-1:0]                      rsp_valid_o,
  output cpe_pkg::mem_rsp_t                 rsp_o,
  input  logic [N-1:0]                      fetch_valid_i,
  input  logic [N*26-1:0]                   fetch_line_i,

  output logic                              hbm_req_valid_o,
  input  logic                              hbm_req_ready_i,
  output noc_pkg::req_t                     hbm_req_o,
  input  logic                              hbm_rsp_valid_i,
  output logic                              hbm_rsp_ready_o,
  input  noc_pkg::rsp_t                     hbm_rsp_i,

  output logic                              ring_req_valid_o,
  input  logic                              ring_req_ready_i,
  output noc_pkg::req_t                     ring_req_o,
  input  logic                              ring_rsp_valid_i,
  input  noc_pkg::rsp_t                     ring_rsp_i,

  output logic                              busy_o,
  output logic                              event_dslb_hit_o,
  output logic                              event_dslb_miss_o,
  output logic                              event_icache_hit_o,
  output logic                              event_icache_miss_o,
  output logic                              event_read_o,
  output logic                              event_write_o
);

  logic              fill_valid, fill_ready;
  logic [1:0]        fill_slot;
  logic [15:0]       fill_segment;
  logic [21:0]       fill_line;
  logic              refill_done;
  cpe_isa_pkg::cause_t   refill_cause;
  logic [2:0]        refill_word;
  logic [63:0]       refill_entry;
  logic              note_valid, note_write;
  logic [8:0]        note_who, ring_rsp_who;
  logic [5:0]        note_by;
  logic              fault_valid, fault_ready;
  logic [8:0]        fault_who;
  cpe_isa_pkg::cause_t   fault_cause;
  logic              code_valid, code_ready;
  logic [N-1:0]      code_mask, done_mask, answered;
  cpe_isa_pkg::cause_t   code_cause;
  logic [511:0]      code_data;
  logic              done_valid, done_good;
  logic [1:0]        done_slot;
  cpe_pkg::mem_rsp_t rsp;
  logic              in_busy, icache_busy, memory;

  cg_memory_in #(
    .N       (N),
    .RingTags(RingTags)
  ) u_in (
    .clk_i,
    .rst_ni,
    .group_i,
    .space_i,
    .dslb_invalidate_i,
    .mem_valid_i,
    .mem_ready_o,
    .mem_cpe_o,
    .mem_i,
    .fill_valid_i    (fill_valid),
    .fill_ready_o    (fill_ready),
    .fill_slot_i     (fill_slot),
    .fill_segment_i  (fill_segment),
    .fill_line_i     (fill_line),
    .refill_done_i   (refill_done),
    .refill_cause_i  (refill_cause),
    .refill_word_o   (refill_word),
    .refill_entry_i  (refill_entry),
    .note_valid_o    (note_valid),
    .note_who_o      (note_who),
    .note_write_o    (note_write),
    .note_by_o       (note_by),
    .hbm_req_valid_o,
    .hbm_req_ready_i,
    .hbm_req_o,
    .ring_req_valid_o,
    .ring_req_ready_i,
    .ring_req_o,
    .ring_rsp_valid_i,
    .ring_rsp_tag_i  (ring_rsp_i.tag),
    .ring_rsp_who_o  (ring_rsp_who),
    .fault_valid_o   (fault_valid),
    .fault_ready_i   (fault_ready),
    .fault_who_o     (fault_who),
    .fault_cause_o   (fault_cause),
    .event_dslb_hit_o,
    .event_dslb_miss_o,
    .event_read_o,
    .event_write_o,
    .busy_o          (in_busy)
  );

  cg_memory_out #(
    .N(N)
  ) u_out (
    .clk_i,
    .rst_ni,
    .note_valid_i    (note_valid),
    .note_who_i      (note_who),
    .note_write_i    (note_write),
    .note_by_i       (note_by),
    .hbm_rsp_valid_i,
    .hbm_rsp_ready_o,
    .hbm_rsp_i,
    .ring_rsp_valid_i,
    .ring_rsp_i,
    .ring_rsp_who_i  (ring_rsp_who),
    .fault_valid_i   (fault_valid),
    .fault_ready_o   (fault_ready),
    .fault_who_i     (fault_who),
    .fault_cause_i   (fault_cause),
    .code_valid_i    (code_valid),
    .code_ready_o    (code_ready),
    .code_mask_i     (code_mask),
    .code_cause_i    (code_cause),
    .code_data_i     (code_data),
    .done_valid_o    (done_valid),
    .done_slot_o     (done_slot),
    .done_good_o     (done_good),
    .done_mask_i     (done_mask),
    .refill_done_o   (refill_done),
    .refill_cause_o  (refill_cause),
    .refill_word_i   (refill_word),
    .refill_entry_o  (refill_entry),
    .rsp_valid_o,
    .rsp_o           (rsp),
    .memory_o        (memory)
  );

  assign rsp_o    = rsp;
  assign answered = rsp.kind == cpe_pkg::MemFetch ? rsp_valid_o : '0;

  cg_icache #(
    .N(N)
  ) u_icache (
    .clk_i,
    .rst_ni,
    .invalidate_i    (icache_invalidate_i),
    .daemon_segment_i(space_i.daemon_segment),
    .code_segment_i  (space_i.code_segment),
    .fetch_valid_i,
    .fetch_line_i,
    .answered_i      (answered),
    .code_valid_o    (code_valid),
    .code_ready_i    (code_ready),
    .code_mask_o     (code_mask),
    .code_cause_o    (code_cause),
    .code_data_o     (code_data),
    .fill_valid_o    (fill_valid),
    .fill_ready_i    (fill_ready),
    .fill_slot_o     (fill_slot),
    .fill_segment_o  (fill_segment),
    .fill_line_o     (fill_line),
    .done_valid_i    (done_valid),
    .done_slot_i     (done_slot),
    .done_good_i     (done_good),
    .done_mask_o     (done_mask),
    .done_data_i     (rsp.data),
    .event_hit_o     (event_icache_hit_o),
    .event_miss_o    (event_icache_miss_o),
    .busy_o          (icache_busy)
  );

  // How many answers from memory are awaited; all tags of all CPEs at most, and a few for code and segments.
  logic [9:0] awaited_q;
  logic       sent;
  assign sent = (hbm_req_valid_o && hbm_req_ready_i) || (ring_req_valid_o && ring_req_ready_i);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) awaited_q <= '0;
    else if (sent != memory) awaited_q <= sent ? awaited_q + 1'b1 : awaited_q - 1'b1;
  end

  assign busy_o = in_busy || icache_busy || awaited_q != '0 || rsp_valid_o != '0 || mem_valid_i != '0 || fetch_valid_i != '0 ||
                  dslb_invalidate_i || icache_invalidate_i;

endmodule
