// SPDX-License-Identifier: Apache-2.0
// Look-aside buffer of the segment table: 16 entries, found by their number at once, refilled by hardware.
//
// A number is looked up as long as lookup_valid_i is high, and must stay the same until the entry is here (hit_o) or it is known
// that there is none (none_o, with the cause). Meanwhile the buffer asks for the 8 bytes in the table, whose address it gives
// with refill_valid_o, and expects the word as refill_done_i. An entry that is not valid, or could not be read, is not kept: that
// answer lasts for the one lookup, until next_i.
// invalidate_i drops everything. What the memory had been asked for before then is not used: it is asked again.
module cg_dslb (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              invalidate_i,
  input  logic [39:0]       table_base_i,

  input  logic              lookup_valid_i,
  input  logic [15:0]       lookup_segment_i,
  input  logic              next_i,          // the lookup is over
  output logic              hit_o,
  output cpe_isa_pkg::segment_entry_t  entry_o,
  output logic              none_o,
  output cpe_isa_pkg::cause_t   cause_o,

  output logic              refill_valid_o,
  input  logic              refill_ready_i,
  output logic [39:0]       refill_addr_o,
  input  logic              refill_done_i,
  input  cpe_isa_pkg::cause_t   refill_cause_i,
  input  cpe_isa_pkg::segment_entry_t  refill_entry_i
);

  localparam int unsigned Entries = 16;

  logic [Entries-1:0] valid_q, used_q;  // used: since all others were
  logic [15:0]        segment_q [Entries];
  logic [63:0]        entry_q [Entries];
  logic               waiting_q, again_q, none_q;
  cpe_isa_pkg::cause_t    cause_q;

  logic [Entries-1:0] hit, used, victim, candidates;
  logic [3:0]         hit_index, victim_index;

  always_comb begin
    hit = '0;
    if (lookup_valid_i) begin
      for (int unsigned i = 0; i < Entries; i++) hit[i] = segment_q[i] == lookup_segment_i;
      hit = hit & valid_q;
    end
  end

  assign hit_index = 4'(hbm_pkg::index_of(64'(hit)));
  assign hit_o     = hit != '0;
  assign entry_o   = entry_q[hit_index];
  assign none_o    = none_q;
  assign cause_o   = cause_q;

  assign refill_valid_o = lookup_valid_i && !hit_o && !none_q && !waiting_q;
  assign refill_addr_o  = table_base_i + {21'b0, lookup_segment_i, 3'b0};

  // A free place first, then one that has not been used for some time.
  assign candidates   = &valid_q ? ~used_q : ~valid_q;
  assign victim       = candidates & (~candidates + 1'b1);
  assign victim_index = 4'(hbm_pkg::index_of(64'(victim)));
  assign used         = used_q | hit;

  logic good, install;
  assign good    = refill_done_i && !again_q && !invalidate_i;
  assign install = good && refill_cause_i == cpe_isa_pkg::CauseNone && refill_entry_i.valid;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q   <= '0;
      used_q    <= '0;
      waiting_q <= 1'b0;
      again_q   <= 1'b0;
      none_q    <= 1'b0;
    end else begin
      if (refill_valid_o && refill_ready_i) begin
        waiting_q <= 1'b1;
        again_q   <= invalidate_i;
      end else if (waiting_q) begin
        if (refill_done_i) waiting_q <= 1'b0;
        if (invalidate_i) again_q <= 1'b1;
      end
      if (invalidate_i) valid_q <= '0;
      else if (install) valid_q <= valid_q | victim;
      if (hit_o) used_q <= &used ? hit : used;
      if (next_i || invalidate_i) none_q <= 1'b0;
      else if (good && !install) none_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (install) begin
      segment_q[victim_index] <= lookup_segment_i;
      entry_q[victim_index]   <= refill_entry_i;
    end
    if (good) cause_q <= refill_cause_i == cpe_isa_pkg::CauseNone ? cpe_isa_pkg::CauseNoSegment : refill_cause_i;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert ((hit & (hit - 1'b1)) == '0) else $error("a segment is here twice: %b", hit);
      assert (!refill_done_i || (waiting_q && lookup_valid_i)) else $error("an entry that nobody asked for");
    end
  end
`endif

endmodule
