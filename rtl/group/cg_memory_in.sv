// SPDX-License-Identifier: Apache-2.0
// The way in of a group's memory port: chooses one request per cycle, translates it, and sends it to the group's HBM or to the
// ring. Two registers deep: in the first a request waits for its segment, in the second for whoever takes it.
//
// Orders: requests leave in the order in which they were taken; so a request that misses the look-aside buffer, or that the ring
//   does not take, holds up those behind it.
// Lines of code and the CPEs take turns, and so do the CPEs among themselves.
// A request that is not legal goes no further than the second register, and to fault_* from there.
// Whom a response is for is said in 9 bits: 0, CPE, tag of its DMA; 1000, CPE: its scalar core; 101, slot of the code cache; 110: the
//   look-aside buffer. The HBM gets them as source and tag; for the ring there is a table.
module cg_memory_in #(
  parameter  int unsigned N         = 32,
  parameter  int unsigned RingTags  = 32,
  localparam int unsigned RingWidth = $clog2(RingTags)
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic [1:0]                        group_i,
  input  cg_pkg::space_t                    space_i,
  input  logic                              dslb_invalidate_i,

  input  logic [N-1:0]                      mem_valid_i,
  output logic [N-1:0]                      mem_ready_o,
  output logic [4:0]                        mem_cpe_o,       // the one who is next; 0 when there is none
  input  cpe_pkg::mem_req_t                 mem_i,           // its request, in the same cycle

  input  logic                              fill_valid_i,
  output logic                              fill_ready_o,
  input  logic [1:0]                        fill_slot_i,
  input  logic [15:0]                       fill_segment_i,
  input  logic [21:0]                       fill_line_i,

  // Answers to the look-aside buffer
  input  logic                              refill_done_i,
  input  cpe_isa_pkg::cause_t                   refill_cause_i,
  output logic [2:0]                        refill_word_o,   // where in its line the entry lies
  input  logic [63:0]                       refill_entry_i,

  // What is sent to memory, for the way back: whose it is, whether it writes, and how far its bytes are to be turned
  output logic                              note_valid_o,
  output logic [8:0]                        note_who_o,
  output logic                              note_write_o,
  output logic [5:0]                        note_by_o,

  output logic                              hbm_req_valid_o,
  input  logic                              hbm_req_ready_i,
  output noc_pkg::req_t                     hbm_req_o,
  output logic                              ring_req_valid_o,
  input  logic                              ring_req_ready_i,
  output noc_pkg::req_t                     ring_req_o,
  input  logic                              ring_rsp_valid_i,
  input  logic [7:0]                        ring_rsp_tag_i,
  output logic [8:0]                        ring_rsp_who_o,

  output logic                              fault_valid_o,
  input  logic                              fault_ready_i,
  output logic [8:0]                        fault_who_o,
  output cpe_isa_pkg::cause_t                   fault_cause_o,

  output logic                              event_dslb_hit_o,
  output logic                              event_dslb_miss_o,
  output logic                              event_read_o,
  output logic                              event_write_o,
  output logic                              busy_o
);

  // --------------------------------------------------------------------------------------------------- which is next

  logic [N-1:0]        first_q, candidates, grant;
  logic [4:0]          cpe;
  logic                cpe_first_q, a_free, take_cpe, take_fill;

  assign candidates   = |(mem_valid_i & first_q) ? mem_valid_i & first_q : mem_valid_i;
  assign grant        = candidates & (~candidates + 1'b1);
  assign cpe          = 5'(hbm_pkg::index_of(64'(grant)));
  assign take_fill    = fill_valid_i && a_free && !(cpe_first_q && mem_valid_i != '0);
  assign take_cpe     = mem_valid_i != '0 && a_free && !take_fill;
  assign fill_ready_o = take_fill;
  assign mem_ready_o  = take_cpe ? grant : '0;
  assign mem_cpe_o    = cpe;

  // First register: a request as it came
  logic              a_valid_q, a_fetch_q, a_next;
  logic [4:0]        a_cpe_q;
  cpe_pkg::mem_req_t a_q;

  assign a_free = !a_valid_q || a_next;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      first_q     <= '0;
      cpe_first_q <= 1'b0;
      a_valid_q   <= 1'b0;
    end else begin
      if (take_cpe || take_fill) cpe_first_q <= take_fill;
      if (take_cpe) first_q <= ~((grant - 1'b1) | grant);
      if (a_free) a_valid_q <= take_cpe || take_fill;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take_cpe) begin
      a_q       <= mem_i;
      a_cpe_q   <= cpe;
      a_fetch_q <= 1'b0;
    end else if (take_fill) begin
      a_q.write   <= 1'b0;
      a_q.scalar  <= 1'b0;
      a_q.tag     <= {1'b0, fill_slot_i};
      a_q.segment <= fill_segment_i;
      a_q.offset  <= {20'b0, fill_line_i, 6'b0};
      a_q.lane    <= '0;
      a_q.bytes   <= 7'd64;
      a_fetch_q   <= 1'b1;
    end
  end

  logic [8:0] a_who;
  always_comb begin
    a_who = {1'b0, a_cpe_q, a_q.tag};
    if (a_fetch_q) a_who = {6'b101000, a_q.tag};
    else if (a_q.scalar) a_who = {4'b1000, a_cpe_q};
  end

  // ----------------------------------------------------------------------------------------------------- translation

  logic             outside, hit, none, known, refill_valid, refill_ready;
  logic [39:0]      refill_addr;
  cpe_isa_pkg::segment_entry_t entry;
  cpe_isa_pkg::cause_t  none_cause, cause;
  logic             allowed;
  logic [28:0]      granule;

  assign outside = {1'b0, a_q.segment} >= space_i.table_entries;

  cg_dslb u_dslb (
    .clk_i,
    .rst_ni,
    .invalidate_i    (dslb_invalidate_i),
    .table_base_i    (space_i.table_base),
    .lookup_valid_i  (a_valid_q && !outside),
    .lookup_segment_i(a_q.segment),
    .next_i          (a_next),
    .hit_o           (hit),
    .entry_o         (entry),
    .none_o          (none),
    .cause_o         (none_cause),
    .refill_valid_o  (refill_valid),
    .refill_ready_i  (refill_ready),
    .refill_addr_o   (refill_addr),
    .refill_done_i,
    .refill_cause_i,
    .refill_entry_i
  );

  assign refill_word_o = a_q.segment[2:0];
  assign known         = outside || hit || none;
  assign allowed       = a_fetch_q ? entry.execute : a_q.write ? entry.write : entry.read;
  assign granule       = {1'b0, entry.base} + {5'b0, a_q.offset[35:12]};

  // An access lies in one line, a segment ends between two: it is the line that must be inside. What a table entry puts beyond
  // the last address is nowhere.
  always_comb begin
    cause = cpe_isa_pkg::CauseNone;
    if (outside) cause = cpe_isa_pkg::CauseNoSegment;
    else if (none) cause = none_cause;
    else if (entry.owner != cpe_isa_pkg::SharedOwner && entry.owner != space_i.owner) cause = cpe_isa_pkg::CauseOwner;
    else if (!allowed) cause = cpe_isa_pkg::CausePermission;
    else if (a_q.offset[47:12] >= {12'b0, entry.size}) cause = cpe_isa_pkg::CauseLimit;
    else if (granule[28]) cause = cpe_isa_pkg::CauseBus;
  end

  // The smallest aligned block that holds all bytes: registers on the ring answer to nothing else.
  logic [5:0]  last, differ, low_bits;
  logic [2:0]  size;
  logic [63:0] strb;
  always_comb begin
    last     = a_q.offset[5:0] + a_q.bytes[5:0] - 6'd1;
    differ   = a_q.offset[5:0] ^ last;
    size     = 3'd0;
    if (differ[5]) size = 3'd6;
    else if (differ[4]) size = 3'd5;
    else if (differ[3]) size = 3'd4;
    else if (differ[2]) size = 3'd3;
    else if (differ[1]) size = 3'd2;
    else if (differ[0]) size = 3'd1;
    low_bits = 6'(7'd1 << size) - 6'd1;
    strb     = ~(~64'd0 << a_q.bytes) << a_q.offset[5:0];
  end

  // Second register: a request for the HBM or for the ring, or a fault
  logic                 b_hbm_q, b_ring_q, b_fault_q, b_write_q, b_free, b_take, own, to_fault, to_ring;
  logic [8:0]           b_who_q;
  logic [RingWidth-1:0] b_ring_tag_q;
  logic [39:0]          b_addr_q, addr;
  logic [2:0]           b_size_q;
  logic [63:0]          b_strb_q;
  cpe_isa_pkg::cause_t      b_cause_q;

  logic [RingTags-1:0]  ring_used_q, ring_free;
  logic [RingWidth-1:0] ring_tag;
  logic [8:0]           ring_who_q [RingTags];

  assign b_free       = !(b_hbm_q || b_ring_q || b_fault_q) || (b_hbm_q && hbm_req_ready_i) || (b_ring_q && ring_req_ready_i) ||
                        (b_fault_q && fault_ready_i);
  assign addr         = known ? {granule[27:0], a_q.offset[11:6], a_q.offset[5:0] & ~low_bits} : refill_addr;
  assign own          = addr[39:34] == {4'b1000, group_i};
  assign to_fault     = known && cause != cpe_isa_pkg::CauseNone;
  assign to_ring      = !own && !to_fault;
  assign refill_ready = b_free && (own || ring_used_q != '1);
  assign a_next       = a_valid_q && known && b_free && !(to_ring && ring_used_q == '1);
  assign b_take       = a_next || (refill_valid && refill_ready);

  assign ring_free = ~ring_used_q & (ring_used_q + 1'b1);
  assign ring_tag  = RingWidth'(hbm_pkg::index_of(64'(ring_free)));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      b_hbm_q     <= 1'b0;
      b_ring_q    <= 1'b0;
      b_fault_q   <= 1'b0;
      ring_used_q <= '0;
    end else begin
      if (b_free) begin
        b_hbm_q   <= b_take && !to_fault && own;
        b_ring_q  <= b_take && to_ring;
        b_fault_q <= b_take && to_fault;
      end
      if (b_take && to_ring) ring_used_q[ring_tag] <= 1'b1;
      if (ring_rsp_valid_i) ring_used_q[ring_rsp_tag_i[RingWidth-1:0]] <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (b_take) begin
      b_write_q    <= known && a_q.write;
      b_who_q      <= known ? a_who : 9'b110000000;
      b_ring_tag_q <= ring_tag;
      b_addr_q     <= addr;
      b_size_q     <= known ? size : 3'd3;
      b_strb_q     <= strb;
      b_cause_q    <= cause;
      if (to_ring) ring_who_q[ring_tag] <= known ? a_who : 9'b110000000;
    end
  end

  logic [511:0] b_data;
  cg_align u_align (
    .clk_i,
    .en_i  (a_next && a_q.write),
    .by_i  (a_q.offset[5:0] - a_q.lane),
    .data_i(a_q.data),
    .data_o(b_data)
  );

  assign note_valid_o = a_next;
  assign note_who_o   = a_who;
  assign note_write_o = a_q.write;
  assign note_by_o    = a_q.lane - a_q.offset[5:0];

  noc_pkg::req_t b_req;
  always_comb begin
    b_req.op     = b_write_q ? mbus_pkg::OpWrite : mbus_pkg::OpRead;
    b_req.source = b_who_q[8] ? cg_pkg::SourceOther : cg_pkg::SourceDma;
    b_req.tag    = b_ring_q ? 8'(b_ring_tag_q) : b_who_q[7:0];
    b_req.addr   = b_addr_q;
    b_req.size   = b_size_q;
    b_req.strb   = b_strb_q;
    b_req.data   = b_data;
  end

  assign hbm_req_valid_o  = b_hbm_q;
  assign hbm_req_o        = b_req;
  assign ring_req_valid_o = b_ring_q;
  assign ring_req_o       = b_req;
  assign ring_rsp_who_o   = ring_who_q[ring_rsp_tag_i[RingWidth-1:0]];
  assign fault_valid_o    = b_fault_q;
  assign fault_who_o      = b_who_q;
  assign fault_cause_o    = b_cause_q;

  assign event_dslb_hit_o  = a_next && hit;
  assign event_dslb_miss_o = refill_valid && refill_ready;
  assign event_read_o      = a_next && !to_fault && !a_q.write;
  assign event_write_o     = a_next && !to_fault && a_q.write;
  assign busy_o            = a_valid_q || b_hbm_q || b_ring_q || b_fault_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!a_valid_q || (a_q.bytes >= 7'd1 && {2'b0, a_q.offset[5:0]} + {1'b0, a_q.bytes} <= 8'd64)) else
        $error("%0d bytes at %h do not lie in one line", a_q.bytes, a_q.offset);
      assert (!ring_rsp_valid_i || ring_used_q[ring_rsp_tag_i[RingWidth-1:0]]) else $error("an answer that nobody waits for");
      assert ($bits(a_q) == cpe_pkg::MemReqWidth) else $error("cpe_pkg::MemReqWidth is wrong");
    end
  end
`endif

endmodule
