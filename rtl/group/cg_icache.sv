// SPDX-License-Identifier: Apache-2.0
// Code cache that the CPEs of a group share, behind their private ones: 64 KiB, 4 ways of 64-byte lines, by scalar address.
//
// A CPE holds fetch_valid_i and its line until it is answered. All that ask for one line when it is looked up, or while it
// is on its way from memory, are answered together: code_mask_o, or done_mask_o when the answer is the line just come.
// Lines that are not here are asked for as offsets in the daemon's or the kernel's segment, up to four at a time; what comes back is
// answered at once by whoever gets it, and written here one cycle later (done_data_i). A line that failed is not kept.
// A line may be asked for ahead: fetch_line_i is {ahead, address}. That is answered at once, too: with the line, or with a cause, and then
// the line is asked for unless others need the room. Nobody hears what becomes of it.
// Behind a line that is not here, the next ones (Behind) are looked up when nobody asks, and asked for likewise: code that nobody has run yet
// comes from memory in the time of one line after the other, and not of each by itself.
// invalidate_i drops everything. Lines on their way are answered, but not kept, and nobody joins them who asks later.
// Latency: three cycles from fetch_valid_i to the answer at the CPE, one of them the response register behind this module.
// Cuts: everything but done_mask_o.
module cg_icache #(
  parameter int unsigned N = 32
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            invalidate_i,
  input  logic [15:0]     daemon_segment_i,
  input  logic [15:0]     code_segment_i,

  input  logic [N-1:0]    fetch_valid_i,
  input  logic [N*26-1:0] fetch_line_i,
  input  logic [N-1:0]    answered_i,       // the CPEs that get their answer in this cycle

  // Answers from here
  output logic            code_valid_o,
  input  logic            code_ready_i,
  output logic [N-1:0]    code_mask_o,
  output cpe_isa_pkg::cause_t code_cause_o,
  output logic [511:0]    code_data_o,

  // Lines from memory
  output logic            fill_valid_o,
  input  logic            fill_ready_i,
  output logic [1:0]      fill_slot_o,
  output logic [15:0]     fill_segment_o,
  output logic [21:0]     fill_line_o,      // in the segment
  input  logic            done_valid_i,
  input  logic [1:0]      done_slot_i,
  input  logic            done_good_i,
  output logic [N-1:0]    done_mask_o,
  input  logic [511:0]    done_data_i,      // one cycle later

  output logic            event_hit_o,
  output logic            event_miss_o,
  output logic            busy_o
);

  localparam int unsigned Slots = 4;
  localparam int unsigned Ways  = 4;
  localparam int unsigned Sets  = 256;
  localparam int unsigned Behind = 2;

  localparam int unsigned SetBits = $clog2(Sets);
  localparam int unsigned TagBits = 23 - SetBits;  // of a line's address in either space

  // ----------------------------------------------------------------------------------------------- which line is next

  logic [N-1:0]  inflight_q, first_q;  // looked at and not answered yet; those whose turn it is
  logic [N-1:0]  asking, candidates, grant;
  logic [4:0]    chosen;
  logic          pick, look_free, look_next;
  logic          pick_behind;

  assign asking     = fetch_valid_i & ~inflight_q;
  assign candidates = |(asking & first_q) ? asking & first_q : asking;
  assign grant      = candidates & (~candidates + 1'b1);
  assign chosen     = 5'(hbm_pkg::index_of(64'(grant)));
  assign pick       = asking != '0 && look_free;

  logic          look_q, behind_q;  // nobody asks for it
  logic [25:0]   line_q, line;
  logic [24:0]   next_line_q;       // to be looked up behind others
  logic [1:0]    next_count_q;
  logic [N-1:0]  mask_q, same;

  always_comb begin
    line = '0;
    same = '0;
    if (pick_behind) line = {1'b1, next_line_q};
    if (pick) begin
      line = fetch_line_i[26*chosen +: 26];
      for (int unsigned i = 0; i < N; i++) same[i] = fetch_line_i[26*i +: 26] == line;
      same = same & asking;
    end
  end

  assign look_free = !look_q || look_next;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      inflight_q <= '0;
      first_q    <= '0;
      look_q     <= 1'b0;
    end else begin
      inflight_q <= (inflight_q & ~answered_i) | same;
      if (pick) first_q <= ~((grant - 1'b1) | grant);
      if (look_free) look_q <= pick || pick_behind;
    end
  end

  always_ff @(posedge clk_i) begin
    if (pick || pick_behind) begin
      line_q   <= line;
      mask_q   <= same;
      behind_q <= pick_behind;
    end
  end

  // ---------------------------------------------------------------------------------------------------- is it here?

  logic [Sets-1:0] live_q;            // something of the set is here,
  logic [3:0]      valid_q [Sets];    // namely these ways
  logic [Ways*TagBits-1:0] tags_q [Sets];
  logic [1:0]      victim_q [Sets];   // the way that is replaced next; any will do after power-up
  logic [SetBits-1:0] set;
  logic [TagBits-1:0] tag;
  logic [Ways*TagBits-1:0] tags;
  logic [3:0]      hits;
  logic            ahead, vacant, hit, absent;

  assign set    = line_q[SetBits-1:0];
  assign tag    = line_q[22:SetBits];
  assign ahead  = line_q[25];
  assign vacant = line_q[24:22] != 3'(cpe_isa_pkg::SpaceDaemon) && line_q[24:22] != 3'(cpe_isa_pkg::SpaceKernel);

  always_comb begin
    tags = '0;
    hits = '0;
    if (look_q) begin
      tags = tags_q[set];
      for (int unsigned w = 0; w < Ways; w++) hits[w] = tags[TagBits*w +: TagBits] == tag;
      hits = live_q[set] ? hits & valid_q[set] : '0;
    end
  end

  assign hit    = hits != '0 && !vacant;
  assign absent = look_q && !vacant && !hit;

  // ---------------------------------------------------------------------------------------------- lines on their way

  logic [Slots-1:0] slot_q, asked_q, killed_q;
  logic [24:0]      slot_line_q [Slots];
  logic [N-1:0]     slot_mask_q [Slots];
  logic [Slots-1:0] match, free, done;
  logic [1:0]       match_index, free_index;
  logic             room, join_slot, take_slot;

  always_comb begin
    match = '0;
    if (look_q) begin
      for (int unsigned s = 0; s < Slots; s++) match[s] = slot_line_q[s] == line_q[24:0];
      match = match & slot_q & ~killed_q;
    end
  end

  assign free        = ~slot_q;
  assign free_index  = free[0] ? 2'd0 : free[1] ? 2'd1 : free[2] ? 2'd2 : 2'd3;
  assign match_index = match[0] ? 2'd0 : match[1] ? 2'd1 : match[2] ? 2'd2 : 2'd3;
  assign done        = done_valid_i ? 4'd1 << done_slot_i : 4'd0;
  assign done_mask_o = slot_mask_q[done_slot_i];

  assign pick_behind = asking == '0 && look_free && next_count_q != '0 && (free & (free - 1'b1)) != '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || invalidate_i) next_count_q <= '0;
    else if (absent && !behind_q) next_count_q <= 2'(Behind);
    else if (pick_behind) next_count_q <= next_count_q - 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (absent && !behind_q) next_line_q <= line_q[24:0] + 1'b1;
    else if (pick_behind) next_line_q <= next_line_q + 1'b1;
  end

  // Those who come while the answer to the line goes out are looked up again. Nobody joins ahead; what is asked for ahead leaves room for
  // another line.
  logic answer_free, answer, write_q;
  assign room      = ahead ? (free & (free - 1'b1)) != '0 : free != '0;
  assign join_slot = absent && !ahead && (match & ~done) != '0;
  assign take_slot = absent && match == '0 && room;
  assign answer    = look_q && !behind_q && (vacant || (hit && !write_q) || (absent && ahead)) && answer_free;
  assign look_next = behind_q || answer || join_slot || (take_slot && !ahead);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      slot_q   <= '0;
      asked_q  <= '0;
      killed_q <= '0;
    end else begin
      if (take_slot) begin
        slot_q[free_index]   <= 1'b1;
        asked_q[free_index]  <= 1'b0;
        killed_q[free_index] <= 1'b0;
      end
      if (fill_valid_o && fill_ready_i) asked_q[fill_slot_o] <= 1'b1;
      if (done_valid_i) slot_q[done_slot_i] <= 1'b0;
      if (invalidate_i) killed_q <= '1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take_slot) begin
      slot_line_q[free_index] <= line_q[24:0];
      slot_mask_q[free_index] <= ahead ? '0 : mask_q;
    end
    if (join_slot) slot_mask_q[match_index] <= slot_mask_q[match_index] | mask_q;
  end

  logic [Slots-1:0] to_ask;
  logic [24:0]      fill_line;
  assign to_ask         = slot_q & ~asked_q;
  assign fill_valid_o   = to_ask != '0;
  assign fill_slot_o    = to_ask[0] ? 2'd0 : to_ask[1] ? 2'd1 : to_ask[2] ? 2'd2 : 2'd3;
  assign fill_line      = slot_line_q[fill_slot_o];
  assign fill_line_o    = fill_line[21:0];
  assign fill_segment_o = fill_line[22] ? code_segment_i : daemon_segment_i;

  // A line that came takes the place of another: its tag now, its data in the next cycle.
  logic        install;
  logic [24:0] done_line;
  logic [SetBits-1:0] done_set, write_set_q;
  logic [1:0]  done_way, write_way_q;
  logic [Ways*TagBits-1:0] done_tags;
  logic [3:0]  done_valid;

  assign install   = done_valid_i && done_good_i && !killed_q[done_slot_i] && !invalidate_i;
  assign done_line = slot_line_q[done_slot_i];
  assign done_set  = done_line[SetBits-1:0];
  assign done_way  = victim_q[done_set];
  always_comb begin
    done_tags  = '0;
    done_valid = '0;
    if (install) begin
      done_valid           = 4'd1 << done_way | (live_q[done_set] ? valid_q[done_set] : 4'd0);
      done_tags            = tags_q[done_set];
      done_tags[TagBits*done_way +: TagBits] = done_line[22:SetBits];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      live_q  <= '0;
      write_q <= 1'b0;
    end else begin
      write_q <= install;
      if (invalidate_i) live_q <= '0;
      else if (install) live_q[done_set] <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (install) begin
      tags_q[done_set]   <= done_tags;
      valid_q[done_set]  <= done_valid;
      victim_q[done_set] <= done_way + 2'd1;
      write_set_q        <= done_set;
      write_way_q        <= done_way;
    end
  end

  // --------------------------------------------------------------------------------------------------------- answers

  logic            answer_q;
  logic [N-1:0]    answer_mask_q;
  cpe_isa_pkg::cause_t cause_q;
  logic [1:0]      hit_way;

  assign hit_way     = {hits[3] || hits[2], hits[3] || hits[1]};
  assign answer_free = !answer_q || code_ready_i;

  ram_1rw #(
    .Depth    (Sets * Ways),
    .Width    (512),
    .LaneWidth(512)
  ) u_data (
    .clk_i,
    .en_i   (write_q || (answer && hit)),
    .we_i   (write_q),
    .addr_i (write_q ? {write_set_q, write_way_q} : {set, hit_way}),
    .strb_i (1'b1),
    .wdata_i(done_data_i),
    .rdata_o(code_data_o)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) answer_q <= 1'b0;
    else if (answer_free) answer_q <= answer;
  end

  always_ff @(posedge clk_i) begin
    if (answer) begin
      answer_mask_q <= mask_q;
      cause_q       <= hit ? cpe_isa_pkg::CauseNone : cpe_isa_pkg::CauseVacant;
    end
  end

  assign code_valid_o = answer_q;
  assign code_mask_o  = answer_mask_q;
  assign code_cause_o = cause_q;
  assign event_hit_o  = answer && hit;
  assign event_miss_o = take_slot;
  assign busy_o       = inflight_q != '0 || slot_q != '0 || write_q || look_q || next_count_q != '0;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert ((hits & (hits - 1'b1)) == '0) else $error("a line is here twice: %b", hits);
      assert ((inflight_q & ~fetch_valid_i & ~answered_i) == '0) else $error("a fetch was withdrawn");
      assert (!done_valid_i || slot_q[done_slot_i]) else $error("a line that nobody asked for");
    end
  end
`endif

endmodule
