// SPDX-License-Identifier: Apache-2.0
// Branch prediction: a 2-way branch target buffer of 128 entries, two-bit counters chosen by address and by the outcomes
// of the latest branches, and a return stack.
//
// The unit of prediction is the aligned 8-byte fetch block. An entry belongs to the block that holds the last halfword
// of a control instruction, and says: after halfword `last` of this block, fetch goes to `target`. A wrong prediction
// costs time and nothing else: execute checks every one.
module mpe_predictor (
    input  logic               clk_i,
    input  logic               rst_ni,

    // Fetch: the block is named in one cycle, predicted in the next.
    input  logic               lookup_i,
    input  logic [63:0]        lookup_pc_i,
    input  logic [63:0]        pc_i,          // the pc looked up one cycle ago
    output logic               taken_o,
    output logic [1:0]         last_o,        // last halfword to use of this block
    output logic [63:0]        target_o,
    output mpe_pkg::history_t  history_o,     // what the prediction was based on; comes back with the outcome
    input  logic               accept_i,      // the prediction is being followed
    input  logic               redirect_i,    // fetch went astray: forget what was predicted since

    // Execute: what control instructions did.
    input  logic               resolve_i,
    input  logic [63:0]        resolve_end_i,     // address of the instruction's last halfword
    input  logic [63:0]        resolve_next_i,    // address behind it
    input  logic               resolve_taken_i,
    input  logic [63:0]        resolve_target_i,
    input  mpe_pkg::br_kind_e  resolve_kind_i,
    input  mpe_pkg::history_t  resolve_history_i,
    input  logic               drop_i             // there is no control instruction at resolve_end_i
);

  localparam int unsigned SetBits = 6;
  localparam int unsigned Sets = 2 ** SetBits;
  localparam int unsigned TagBits = 12;
  localparam int unsigned StackBits = 3;

  typedef struct packed {
    logic [TagBits-1:0]  tag;
    logic [1:0]          last;
    mpe_pkg::br_kind_e            kind;
    logic [40:0]         target;   // reaches every physical and every Sv39 address
  } entry_t;

  logic [1:0]  valid_q [Sets];
  logic        next_way_q [Sets];
  entry_t      entry0_q [Sets];
  entry_t      entry1_q [Sets];

  // ---------------------------------------------------------------- look-up
  entry_t      found0_q, found1_q;
  logic [1:0]  found_valid_q;
  logic [SetBits-1:0] lookup_set;
  assign lookup_set = lookup_pc_i[3+:SetBits];

  // Four counters for the four halfwords of a block. A counter is stored with its upper bit inverted, so that memory that
  // starts as zeros predicts "taken": only branches that have been taken once are in the buffer.
  typedef logic [3:0][1:0] counters_t;
  logic               cleared_q;   // the counters hold something
  mpe_pkg::history_t  clear_q;
  counters_t  counters_q [2 ** mpe_pkg::HistoryBits];
  counters_t  found_counters_q;
  mpe_pkg::history_t   history_q, history_d;

  function automatic mpe_pkg::history_t counter_row(logic [63:0] pc, mpe_pkg::history_t history);
    counter_row = pc[3+:mpe_pkg::HistoryBits] ^ history;
  endfunction

  always_ff @(posedge clk_i) begin
    if (lookup_i) begin
      found0_q         <= entry0_q[lookup_set];
      found1_q         <= entry1_q[lookup_set];
      found_valid_q    <= valid_q[lookup_set];
      found_counters_q <= cleared_q ? counters_q[counter_row(lookup_pc_i, history_d)] : '0;
    end
  end

  logic [40:0] stack_q [2 ** StackBits];
  logic [StackBits-1:0] top_q, resolved_top_q, resolved_top_d;

  function automatic logic known(logic valid, entry_t entry, logic [63:0] pc);
    known = valid && entry.tag == pc[3+SetBits+:TagBits] && entry.last >= pc[2:1];
  endfunction

  function automatic logic goes(entry_t entry, counters_t counters);
    goes = entry.kind != mpe_pkg::BrCond || !counters[entry.last][1];
  endfunction

  logic    known0, known1, use0, use1;
  entry_t  chosen;
  always_comb begin
    known0  = known(found_valid_q[0], found0_q, pc_i);
    known1  = known(found_valid_q[1], found1_q, pc_i);
    use0    = known0 && goes(found0_q, found_counters_q);
    use1    = known1 && goes(found1_q, found_counters_q);
    chosen  = (use0 && !(use1 && found1_q.last < found0_q.last)) ? found0_q : found1_q;
    taken_o = use0 || use1;
    last_o  = taken_o ? chosen.last : 2'd3;
  end

  // The history runs ahead with fetch: one bit for every block in which a conditional branch was predicted. When fetch
  // went astray it continues from the branch that knows better.
  always_comb begin
    history_d = history_q;
    if (redirect_i) begin
      if (resolve_i) begin
        history_d = resolve_history_i;
        if (resolve_kind_i == mpe_pkg::BrCond) history_d = {resolve_history_i[mpe_pkg::HistoryBits-2:0], resolve_taken_i};
      end
    end else if (accept_i) begin
      if (taken_o) begin
        if (chosen.kind == mpe_pkg::BrCond) history_d = {history_q[mpe_pkg::HistoryBits-2:0], 1'b1};
      end else if (known0 || known1) begin
        history_d = {history_q[mpe_pkg::HistoryBits-2:0], 1'b0};
      end
    end
  end
  assign history_o = history_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) history_q <= '0;
    else history_q <= history_d;
  end

  logic [40:0] target;
  assign target   = chosen.kind == mpe_pkg::BrReturn ? stack_q[top_q] : chosen.target;
  assign target_o = {{23{target[40]}}, target};

  // ---------------------------------------------------------------- return stack
  // top_q runs ahead with fetch; resolved_top_q follows execute and takes over after a redirection.
  logic [63:0] predicted_return;
  assign predicted_return = {pc_i[63:3], 3'b0} + {60'b0, {1'b0, last_o} + 3'd1, 1'b0};

  always_comb begin
    resolved_top_d = resolved_top_q;
    if (resolve_i && resolve_taken_i) begin
      if (resolve_kind_i == mpe_pkg::BrCall) resolved_top_d = resolved_top_q + 1'b1;
      if (resolve_kind_i == mpe_pkg::BrReturn) resolved_top_d = resolved_top_q - 1'b1;
    end
  end

  logic follow;
  assign follow = accept_i && taken_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      top_q          <= '0;
      resolved_top_q <= '0;
    end else begin
      resolved_top_q <= resolved_top_d;
      if (redirect_i) top_q <= resolved_top_d;
      else if (follow && chosen.kind == mpe_pkg::BrCall) top_q <= top_q + 1'b1;
      else if (follow && chosen.kind == mpe_pkg::BrReturn) top_q <= top_q - 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      for (int i = 0; i < 2 ** StackBits; i++) stack_q[i] <= '0;
    end else if (redirect_i) begin
      if (resolve_i && resolve_taken_i && resolve_kind_i == mpe_pkg::BrCall) stack_q[resolved_top_d] <= resolve_next_i[40:0];
    end else if (follow && chosen.kind == mpe_pkg::BrCall) begin
      stack_q[top_q + 1'b1] <= predicted_return[40:0];
    end
  end

  // ---------------------------------------------------------------- learning
  logic [SetBits-1:0] set;
  logic [TagBits-1:0] tag;
  assign set = resolve_end_i[3+:SetBits];
  assign tag = resolve_end_i[3+SetBits+:TagBits];

  function automatic logic same(logic valid, entry_t entry, logic [TagBits-1:0] want, logic [1:0] last);
    same = valid && entry.tag == want && entry.last == last;
  endfunction

  function automatic logic [1:0] count(logic [1:0] stored, logic taken);
    logic [1:0] counter;
    counter = stored ^ 2'b10;
    if (taken) counter = counter == 2'd3 ? 2'd3 : counter + 2'd1;
    else counter = counter == 2'd0 ? 2'd0 : counter - 2'd1;
    count = counter ^ 2'b10;
  endfunction

  mpe_pkg::history_t row;
  assign row = counter_row(resolve_end_i, resolve_history_i);

  // After reset the counters are cleared one row a cycle, and not used until then: what a program costs must not depend on
  // what the memory held at power-up.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      cleared_q <= 1'b0;
      clear_q   <= '0;
    end else if (!cleared_q) begin
      cleared_q <= clear_q == '1;
      clear_q   <= clear_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!cleared_q) begin
      counters_q[clear_q] <= '0;
    end else if (resolve_i && resolve_kind_i == mpe_pkg::BrCond) begin
      counters_q[row][resolve_end_i[2:1]] <= count(counters_q[row][resolve_end_i[2:1]], resolve_taken_i);
    end
  end

  logic   same0, same1, way, write;
  entry_t old, learnt;
  always_comb begin
    same0  = 1'b0;
    same1  = 1'b0;
    way    = 1'b0;
    write  = 1'b0;
    old    = '0;
    learnt = '0;
    if (resolve_i || drop_i) begin
      same0  = same(valid_q[set][0], entry0_q[set], tag, resolve_end_i[2:1]);
      same1  = same(valid_q[set][1], entry1_q[set], tag, resolve_end_i[2:1]);
      way    = same0 ? 1'b0 : same1 ? 1'b1 : next_way_q[set];
      old    = same0 ? entry0_q[set] : entry1_q[set];
      write  = resolve_i && (same0 || same1 || resolve_taken_i);
      learnt.tag    = tag;
      learnt.last   = resolve_end_i[2:1];
      learnt.kind   = resolve_kind_i;
      learnt.target = resolve_taken_i ? resolve_target_i[40:0] : old.target;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      for (int unsigned s = 0; s < Sets; s++) begin
        valid_q[s]    <= '0;
        next_way_q[s] <= 1'b0;
      end
    end else begin
      if (write) begin
        valid_q[set][way] <= 1'b1;
        if (!same0 && !same1) next_way_q[set] <= !way;
      end
      if (drop_i) valid_q[set] <= valid_q[set] & ~{same1, same0};
    end
  end

  always_ff @(posedge clk_i) begin
    if (write && !way) entry0_q[set] <= learnt;
    if (write && way) entry1_q[set] <= learnt;
  end

  logic unused_bits;
  assign unused_bits = ^{lookup_pc_i[63:12], lookup_pc_i[2:0], resolve_end_i[63:21], resolve_end_i[0],
                         resolve_next_i[63:41], resolve_target_i[63:41], pc_i[0], predicted_return[63:41]};

endmodule
