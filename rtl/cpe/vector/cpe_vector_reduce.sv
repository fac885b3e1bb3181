// The reductions of rows: smallest, largest or sum of the results, in the order that docs/vector.md states.
//
// Sums: a tree of 7 adders takes a group in every cycle, another one adds what comes out to one of four partial sums of the row,
// the last one puts these together when the row has ended. There are two sets of partial sums, so that the next row goes on
// meanwhile; a third one waits.
// Reductions leave in the order of their rows. A row of another kind waits until those before it have left.
// Cuts: all paths. ready_o follows from registers and reduce_i only.
// Latency from a row's last group to its value: smallest and largest 2 cycles, sums 20.
module cpe_vector_reduce (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             halt_i,        // forgets everything

  input  logic             valid_i,
  output logic             ready_o,
  input  cpe_pkg::reduce_t reduce_i,
  input  logic             first_i,       // group of its row
  input  logic             last_i,
  input  logic [2:0]       last_element_i,
  input  logic [255:0]     data_i,

  output logic             valid_o,
  input  logic             ready_i,
  output logic [31:0]      value_o
);

  localparam int unsigned Tree = 9;  // cycles in the adders' tree
  localparam int unsigned Add  = 3;  // and in one adder

  cpe_pkg::reduce_t kind_q;
  logic             open_q;    // a row has begun and not ended
  logic             take, same, sum_empty, order_empty, sum_go, order_go;

  assign same    = reduce_i == kind_q || (sum_empty && order_empty && !open_q);
  assign ready_o = same && (reduce_i == cpe_pkg::ReduceSum ? sum_go : order_go);
  assign take    = valid_i && ready_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || halt_i) begin
      kind_q <= cpe_pkg::ReduceNone;
      open_q <= 1'b0;
    end else if (take) begin
      kind_q <= reduce_i;
      open_q <= !last_i;
    end
  end

  // --- Elements that are not there count as what changes nothing --------------------------------------------------

  logic         take_sum, take_order;
  logic [255:0] elements;

  assign take_sum   = take && reduce_i == cpe_pkg::ReduceSum;
  assign take_order = take && reduce_i != cpe_pkg::ReduceSum;

  always_comb begin
    elements = '0;
    if (take) begin
      elements = data_i;
      if (last_element_i != '1) begin
        for (int unsigned i = 1; i < 8; i++) begin
          if (i > 32'(last_element_i)) begin
            elements[32*i +: 32] = take_sum ? cpe_vector_pkg::NegativeZero : cpe_vector_pkg::Nan;
          end
        end
      end
    end
  end

  // --- Smallest, largest --------------------------------------------------------------------------------------------

  logic         order_valid_q, order_first_q, order_last_q, order_out_q, order_en, largest;
  logic [31:0]  order_group_q, order_row_q, order_value_q;

  // A value that waits to leave holds up the next one.
  assign order_go    = !(order_out_q && order_valid_q && order_last_q);
  assign order_empty = !order_valid_q && !order_out_q;
  assign order_en    = order_go && (take_order || !order_empty);
  assign largest     = kind_q == cpe_pkg::ReduceMax;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || halt_i) begin
      order_valid_q <= 1'b0;
      order_out_q   <= 1'b0;
    end else if (take_order || !order_empty) begin
      if (order_go) order_valid_q <= take_order;
      order_out_q <= order_out_q ? !ready_i : order_valid_q && order_last_q;
    end
  end

  // The smallest or largest of 8 into place 0. Within the clocked block and so within its condition, as in cpe_vector_lanes.
  always_ff @(posedge clk_i) begin
    if (order_en) begin : order
      logic [255:0] left;
      logic [31:0]  a;
      logic [31:0]  b;
      logic [31:0]  y;
      logic         above;
      order_first_q <= first_i;
      order_last_q  <= last_i;
      if (take_order) begin
        left = elements;
        for (int unsigned step = 4; step > 0; step = step / 2) begin
          for (int unsigned i = 0; i < step; i++) begin
            a     = left[32*i +: 32];
            b     = left[32*(i + step) +: 32];
            above = a[31] != b[31] ? b[31] : a[31] ? a[30:0] < b[30:0] : a[30:0] > b[30:0];
            y     = a[30:0] > 31'h7f80_0000 || (b[30:0] <= 31'h7f80_0000 && above != (reduce_i == cpe_pkg::ReduceMax)) ? b : a;
            left[32*i +: 32] = y;
          end
        end
        order_group_q <= left[31:0];
      end
      if (order_valid_q) begin
        a     = order_row_q;
        b     = order_group_q;
        above = a[31] != b[31] ? b[31] : a[31] ? a[30:0] < b[30:0] : a[30:0] > b[30:0];
        y     = order_first_q || a[30:0] > 31'h7f80_0000 || (b[30:0] <= 31'h7f80_0000 && above != largest) ? b : a;
        order_row_q <= y;
        if (order_last_q) order_value_q <= y;
      end
    end
  end

  // --- Sums: the tree -----------------------------------------------------------------------------------------------

  logic             sum_en, sum_blocked, tree_valid, tree_first, tree_last;
  logic [Tree-1:0]  tree_valid_q, tree_first_q, tree_last_q;
  logic [223:0]     sums;
  logic [447:0]     sum_in;

  assign sum_go  = !sum_blocked;
  assign sum_in  = {sums[191:0], elements};

  for (genvar i = 0; i < 7; i++) begin : g_sum
    fp32_add u_add (
      .clk_i,
      .en_i(sum_en),
      .a_i(sum_in[64*i +: 32]),
      .b_i(sum_in[64*i + 32 +: 32]),
      .y_o(sums[32*i +: 32])
    );
  end

  assign tree_valid = tree_valid_q[Tree-1];
  assign tree_first = tree_first_q[Tree-1];
  assign tree_last  = tree_last_q[Tree-1];

  // --- Sums: partial sums -------------------------------------------------------------------------------------------

  logic [Add-1:0]   add_valid_q, add_last_q;
  logic [3*Add-1:0] add_place_q;              // set and partial sum
  logic [255:0]     partial_q;                // two sets of four
  logic [7:0]       begun_q;                  // partial sums that are not -0 any more
  logic [1:0]       wanted_q, complete_q;     // sets: in use by a row, with everything in it
  logic             set_q;                    // of the row in the tree's last stage, or of the next
  logic [1:0]       group_q;
  logic [1:0]       group;
  logic [2:0]       place, add_place;
  logic [31:0]      partial, added;
  logic             add_valid, release_set, tail_set_q;

  assign group       = tree_first ? 2'd0 : group_q;
  assign place       = {set_q, group};
  assign add_valid   = add_valid_q[Add-1];
  assign add_place   = add_place_q[3*(Add-1) +: 3];
  assign sum_blocked = tree_valid && tree_first && wanted_q[set_q];
  assign sum_empty   = tree_valid_q == '0 && add_valid_q == '0 && wanted_q == '0 && step_q == '0;
  assign sum_en      = !sum_blocked && (take_sum || tree_valid_q != '0);

  // Goes on also while the tree stands.
  always_comb begin
    partial = cpe_vector_pkg::NegativeZero;
    if (tree_valid && !tree_first && begun_q[place]) partial = partial_q[{place, 5'd0} +: 32];
  end

  logic add_en, add_take;
  assign add_take = tree_valid && !sum_blocked;
  assign add_en   = add_take || add_valid_q != '0;

  fp32_add u_add_partial (
    .clk_i,
    .en_i(add_en),
    .a_i(partial),
    .b_i(sums[223:192]),
    .y_o(added)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni || halt_i) begin
      tree_valid_q <= '0;
      add_valid_q  <= '0;
      begun_q      <= '0;
      wanted_q     <= '0;
      complete_q   <= '0;
      set_q        <= 1'b0;
    end else begin
      if (sum_en) tree_valid_q <= {tree_valid_q[Tree-2:0], take_sum};
      if (add_en) add_valid_q <= {add_valid_q[Add-2:0], add_take};
      if (add_take) begin
        wanted_q[set_q] <= 1'b1;
        if (tree_first) begun_q[{set_q, 2'd0} +: 4] <= 4'b0001;
        else begun_q[place] <= 1'b1;
        if (tree_last) set_q <= !set_q;
      end
      if (add_valid && add_last_q[Add-1]) complete_q[add_place[2]] <= 1'b1;
      if (release_set) begin
        wanted_q[tail_set_q]   <= 1'b0;
        complete_q[tail_set_q] <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (sum_en) begin
      tree_first_q <= {tree_first_q[Tree-2:0], first_i};
      tree_last_q  <= {tree_last_q[Tree-2:0], last_i};
    end
    if (add_en) begin
      add_last_q  <= {add_last_q[Add-2:0], tree_last};
      add_place_q <= {add_place_q[3*(Add-1)-1:0], place};
    end
    if (add_take) group_q <= group + 2'd1;
    if (add_valid) partial_q[{add_place, 5'd0} +: 32] <= added;
  end

  // --- Sums: (p0 + p1) + (p2 + p3) ----------------------------------------------------------------------------------
  // In step 0 the first two enter, in step 1 the others, in step 4 both sums; the value is there in step 7.

  logic [2:0]   step_q;
  logic         tail, tail_en, sum_out;
  logic [31:0]  tail_a, tail_b, tail_y, first_sum_q;
  logic [127:0] parts;

  assign tail        = step_q != '0 || complete_q[tail_set_q];
  assign sum_out     = step_q == 3'd7;
  assign tail_en     = tail && (!sum_out || ready_i);
  assign release_set = step_q == 3'd1;

  always_comb begin
    tail_a = first_sum_q;
    tail_b = tail_y;
    parts  = '0;
    if (tail && step_q <= 3'd1) begin
      for (int unsigned i = 0; i < 4; i++) begin
        parts[32*i +: 32] = begun_q[{tail_set_q, 2'(i)}] ? partial_q[{tail_set_q, 2'(i), 5'd0} +: 32] : cpe_vector_pkg::NegativeZero;
      end
      tail_a = step_q == '0 ? parts[31:0] : parts[95:64];
      tail_b = step_q == '0 ? parts[63:32] : parts[127:96];
    end
  end

  fp32_add u_add_tail (
    .clk_i,
    .en_i(tail_en),
    .a_i(tail_a),
    .b_i(tail_b),
    .y_o(tail_y)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni || halt_i) begin
      step_q     <= '0;
      tail_set_q <= 1'b0;
    end else if (tail_en) begin
      step_q <= step_q + 3'd1;
      if (release_set) tail_set_q <= !tail_set_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (tail_en && step_q == 3'd3) first_sum_q <= tail_y;
  end

  assign valid_o = order_out_q || sum_out;
  assign value_o = sum_out ? tail_y : order_value_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && !halt_i) begin
      assert (!order_out_q || !sum_out) else $error("two kinds at once");
      assert (!take || first_i != open_q) else $error("a row within a row");
    end
  end
`endif

endmodule
