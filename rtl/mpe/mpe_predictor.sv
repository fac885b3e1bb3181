// Branch prediction: a 2-way branch target buffer of 128 entries with two-bit counters, and a return stack.
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
    input  logic               accept_i,      // the prediction is being followed
    input  logic               redirect_i,    // fetch went astray: forget what was predicted since

    // Execute: what control instructions did.
    input  logic               resolve_i,
    input  logic [63:0]        resolve_end_i,     // address of the instruction's last halfword
    input  logic [63:0]        resolve_next_i,    // address behind it
    input  logic               resolve_taken_i,
    input  logic [63:0]        resolve_target_i,
    input  mpe_pkg::br_kind_e  resolve_kind_i,
    input  logic               drop_i             // there is no control instruction at resolve_end_i
);
  import mpe_pkg::*;

  localparam int unsigned SetBits = 6;
  localparam int unsigned Sets = 2 ** SetBits;
  localparam int unsigned TagBits = 12;
  localparam int unsigned StackBits = 3;

  typedef struct packed {
    logic [TagBits-1:0]  tag;
    logic [1:0]          last;
    br_kind_e            kind;
    logic [1:0]          counter;
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

  always_ff @(posedge clk_i) begin
    if (lookup_i) begin
      found0_q      <= entry0_q[lookup_set];
      found1_q      <= entry1_q[lookup_set];
      found_valid_q <= valid_q[lookup_set];
    end
  end

  logic [40:0] stack_q [2 ** StackBits];
  logic [StackBits-1:0] top_q, resolved_top_q, resolved_top_d;

  function automatic logic usable(logic valid, entry_t entry, logic [63:0] pc);
    return valid && entry.tag == pc[3+SetBits+:TagBits] && entry.last >= pc[2:1] &&
           (entry.kind != BrCond || entry.counter[1]);
  endfunction

  logic    use0, use1;
  entry_t  chosen;
  always_comb begin
    use0    = usable(found_valid_q[0], found0_q, pc_i);
    use1    = usable(found_valid_q[1], found1_q, pc_i);
    chosen  = (use0 && !(use1 && found1_q.last < found0_q.last)) ? found0_q : found1_q;
    taken_o = use0 || use1;
    last_o  = taken_o ? chosen.last : 2'd3;
  end

  logic [40:0] target;
  assign target   = chosen.kind == BrReturn ? stack_q[top_q] : chosen.target;
  assign target_o = {{23{target[40]}}, target};

  // ---------------------------------------------------------------- return stack
  // top_q runs ahead with fetch; resolved_top_q follows execute and takes over after a redirection.
  logic [63:0] predicted_return;
  assign predicted_return = {pc_i[63:3], 3'b0} + {60'b0, {1'b0, last_o} + 3'd1, 1'b0};

  always_comb begin
    resolved_top_d = resolved_top_q;
    if (resolve_i && resolve_taken_i) begin
      if (resolve_kind_i == BrCall) resolved_top_d = resolved_top_q + 1'b1;
      if (resolve_kind_i == BrReturn) resolved_top_d = resolved_top_q - 1'b1;
    end
  end

  logic follow;
  assign follow = accept_i && taken_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      top_q          <= '0;
      resolved_top_q <= '0;
    end else begin
      resolved_top_q <= resolved_top_d;
      if (redirect_i) top_q <= resolved_top_d;
      else if (follow && chosen.kind == BrCall) top_q <= top_q + 1'b1;
      else if (follow && chosen.kind == BrReturn) top_q <= top_q - 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (redirect_i) begin
      if (resolve_i && resolve_taken_i && resolve_kind_i == BrCall) stack_q[resolved_top_d] <= resolve_next_i[40:0];
    end else if (follow && chosen.kind == BrCall) begin
      stack_q[top_q + 1'b1] <= predicted_return[40:0];
    end
  end

  // ---------------------------------------------------------------- learning
  logic [SetBits-1:0] set;
  logic [TagBits-1:0] tag;
  assign set = resolve_end_i[3+:SetBits];
  assign tag = resolve_end_i[3+SetBits+:TagBits];

  function automatic logic same(logic valid, entry_t entry, logic [TagBits-1:0] want, logic [1:0] last);
    return valid && entry.tag == want && entry.last == last;
  endfunction

  function automatic logic [1:0] count(logic [1:0] counter, logic taken);
    if (taken) return counter == 2'd3 ? 2'd3 : counter + 2'd1;
    return counter == 2'd0 ? 2'd0 : counter - 2'd1;
  endfunction

  logic   known0, known1, way, write;
  entry_t old, learnt;
  always_comb begin
    known0 = 1'b0;
    known1 = 1'b0;
    way    = 1'b0;
    write  = 1'b0;
    old    = '0;
    learnt = '0;
    if (resolve_i || drop_i) begin
      known0 = same(valid_q[set][0], entry0_q[set], tag, resolve_end_i[2:1]);
      known1 = same(valid_q[set][1], entry1_q[set], tag, resolve_end_i[2:1]);
      way    = known0 ? 1'b0 : known1 ? 1'b1 : next_way_q[set];
      old    = known0 ? entry0_q[set] : entry1_q[set];
      write  = resolve_i && (known0 || known1 || resolve_taken_i);
      learnt = '{
          tag: tag, last: resolve_end_i[2:1], kind: resolve_kind_i,
          counter: known0 || known1 ? count(old.counter, resolve_taken_i) : 2'd2,
          target: resolve_taken_i ? resolve_target_i[40:0] : old.target
      };
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int s = 0; s < int'(Sets); s++) begin
        valid_q[s]    <= '0;
        next_way_q[s] <= 1'b0;
      end
    end else begin
      if (write) begin
        valid_q[set][way] <= 1'b1;
        if (!known0 && !known1) next_way_q[set] <= !way;
      end
      if (drop_i) valid_q[set] <= valid_q[set] & ~{known1, known0};
    end
  end

  always_ff @(posedge clk_i) begin
    if (write && !way) entry0_q[set] <= learnt;
    if (write && way) entry1_q[set] <= learnt;
  end

  logic unused_bits;
  assign unused_bits = ^{lookup_pc_i[63:9], lookup_pc_i[2:0], resolve_end_i[63:21], resolve_end_i[0],
                         resolve_next_i[63:41], resolve_target_i[63:41], pc_i[0], predicted_return[63:41]};

endmodule
