// SPDX-License-Identifier: Apache-2.0
// The reductions of rows: smallest, largest or sum of the results, in the order that docs/hardware/vector.md states.
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
  input  logic             active_i,      // else nothing happens
  input  logic             en_i,          // of registers: active or in reset

  input  logic             valid_i,
  output logic             ready_o,
  input  cpe_isa_pkg::reduce_t reduce_i,
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

  typedef struct packed {
    logic             open;       // a row has begun and not ended
    logic [1:0]       kind;
    logic             valid;      // smallest, largest: a group's is there
    logic             first;
    logic             last;
    logic             out;        // a row's is there
  } order_t;

  typedef struct packed {
    logic [Tree-1:0]  valid;      // groups in the tree
    logic [Tree-1:0]  first;
    logic [Tree-1:0]  last;
    logic [Add-1:0]   add_valid;  // in the adder of partial sums
    logic [Add-1:0]   add_last;
    logic [3*Add-1:0] add_place;  // set and partial sum
    logic [7:0]       begun;      // partial sums that are not -0 any more
    logic [1:0]       wanted;     // sets: in use by a row
    logic [1:0]       complete;   // with everything in it
    logic             side;       // of the row in the tree's last stage, or of the next
    logic [1:0]       group;
    logic             tail_set;
    logic [2:0]       step;       // of the last additions
  } sum_t;

  order_t       o, od;
  sum_t         m, md;
  logic         take, take_sum, take_order, idle, sum_go, order_go;
  logic [255:0] elements;

  // What follows from registers and what is offered.
  always_comb begin
    idle     = 1'b0;
    sum_go   = 1'b0;
    order_go = 1'b0;
    ready_o  = 1'b0;
    if (active_i) begin
      // A value that waits to leave holds up the next one.
      sum_go   = !(m.valid[Tree-1] && m.first[Tree-1] && m.wanted[m.side]);
      order_go = !(o.out && o.valid && o.last);
      idle     = m.valid == '0 && m.add_valid == '0 && m.wanted == '0 && m.step == '0 && !o.valid && !o.out;
      ready_o  = (reduce_i == o.kind || (idle && !o.open)) && (reduce_i == cpe_isa_pkg::ReduceSum ? sum_go : order_go);
    end
  end

  // Elements that are not there count as what changes nothing.
  always_comb begin
    take       = 1'b0;
    take_sum   = 1'b0;
    take_order = 1'b0;
    elements   = '0;
    if (valid_i && ready_o) begin
      take       = 1'b1;
      take_sum   = reduce_i == cpe_isa_pkg::ReduceSum;
      take_order = !take_sum;
      elements   = data_i;
      if (last_element_i != '1) begin
        for (int unsigned i = 1; i < 8; i++) begin
          if (i > 32'(last_element_i)) begin
            elements[32*i +: 32] = take_sum ? cpe_vector_pkg::NegativeZero : cpe_vector_pkg::Nan;
          end
        end
      end
    end
  end

  // --- Adders -------------------------------------------------------------------------------------------------------

  logic         sum_en, add_take, add_en, tail_en;
  logic [2:0]   place;
  logic [223:0] sums;
  logic [447:0] sum_in;
  logic [255:0] partial_q;  // two sets of four
  logic [31:0]  partial, added, tail_a, tail_b, tail_y, first_sum_q;

  // The partial sums go on also while the tree stands.
  always_comb begin
    sum_en   = 1'b0;
    add_take = 1'b0;
    add_en   = 1'b0;
    tail_en  = 1'b0;
    place    = '0;
    partial  = '0;
    tail_a   = '0;
    tail_b   = '0;
    if (take_sum || (active_i && !idle)) begin
      sum_en   = sum_go && (take_sum || m.valid != '0);
      add_take = sum_go && m.valid[Tree-1];
      add_en   = add_take || m.add_valid != '0;
      place    = {m.side, m.first[Tree-1] ? 2'd0 : m.group};
      partial  = !m.first[Tree-1] && m.begun[place] ? partial_q[{place, 5'd0} +: 32] : cpe_vector_pkg::NegativeZero;
      // (p0 + p1) + (p2 + p3): in step 0 the first two enter, in step 1 the others, in step 4 both sums; the value is there in
      // step 7.
      if (m.step != '0 || m.complete[m.tail_set]) begin
        tail_en = m.step != 3'd7 || ready_i;
        tail_a  = first_sum_q;
        tail_b  = tail_y;
        if (m.step <= 3'd1) begin
          tail_a = m.begun[{m.tail_set, m.step[0], 1'b0}] ? partial_q[{m.tail_set, m.step[0], 6'd0} +: 32]
                 : cpe_vector_pkg::NegativeZero;
          tail_b = m.begun[{m.tail_set, m.step[0], 1'b1}] ? partial_q[{m.tail_set, m.step[0], 6'd32} +: 32]
                 : cpe_vector_pkg::NegativeZero;
        end
      end
    end
  end

  assign sum_in = {sums[191:0], elements};

  for (genvar i = 0; i < 7; i++) begin : g_sum
    fp32_add u_add (
      .clk_i,
      .en_i(sum_en),
      .a_i(sum_in[64*i +: 32]),
      .b_i(sum_in[64*i + 32 +: 32]),
      .y_o(sums[32*i +: 32])
    );
  end

  fp32_add u_add_partial (
    .clk_i,
    .en_i(add_en),
    .a_i(partial),
    .b_i(sums[223:192]),
    .y_o(added)
  );

  fp32_add u_add_tail (
    .clk_i,
    .en_i(tail_en),
    .a_i(tail_a),
    .b_i(tail_b),
    .y_o(tail_y)
  );

  // --- Registers ----------------------------------------------------------------------------------------------------

  logic [31:0] order_group_q, order_row_q, order_value_q;

  assign valid_o = o.out || m.step == 3'd7;
  assign value_o = m.step == 3'd7 ? tail_y : order_value_q;

  // od and md are what o and m become: nothing else looks at them. The smallest or largest of 8 goes into place 0.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin : advance
    logic [255:0] left;
    logic [31:0]  a;
    logic [31:0]  b;
    logic [31:0]  y;
    logic         above;
    {left, a, b, y, above} = '0;
    if (en_i) begin
      od = o;
      md = m;
      if (take) begin
        od.kind = reduce_i;
        od.open = !last_i;
      end
      if (take_order || o.valid || o.out) begin
        od.out = o.out ? !ready_i : o.valid && o.last;
        if (order_go) begin
          od.valid = take_order;
          od.first = first_i;
          od.last  = last_i;
          if (o.valid) begin
            a     = order_row_q;
            b     = order_group_q;
            above = a[31] != b[31] ? b[31] : a[31] ? a[30:0] < b[30:0] : a[30:0] > b[30:0];
            y     = o.first || a[30:0] > 31'h7f80_0000
                 || (b[30:0] <= 31'h7f80_0000 && above != (o.kind == cpe_isa_pkg::ReduceMax)) ? b : a;
            order_row_q <= y;
            if (o.last) order_value_q <= y;
          end
          if (take_order) begin
            left = elements;
            for (int unsigned step = 4; step > 0; step = step / 2) begin
              for (int unsigned i = 0; i < step; i++) begin
                a     = left[32*i +: 32];
                b     = left[32*(i + step) +: 32];
                above = a[31] != b[31] ? b[31] : a[31] ? a[30:0] < b[30:0] : a[30:0] > b[30:0];
                y     = a[30:0] > 31'h7f80_0000 || (b[30:0] <= 31'h7f80_0000 && above != (reduce_i == cpe_isa_pkg::ReduceMax)) ? b : a;
                left[32*i +: 32] = y;
              end
            end
            order_group_q <= left[31:0];
          end
        end
      end

      if (sum_en) begin
        md.valid = {m.valid[Tree-2:0], take_sum};
        md.first = {m.first[Tree-2:0], first_i};
        md.last  = {m.last[Tree-2:0], last_i};
      end
      if (add_en) begin
        md.add_valid = {m.add_valid[Add-2:0], add_take};
        md.add_last  = {m.add_last[Add-2:0], m.last[Tree-1]};
        md.add_place = {m.add_place[3*(Add-1)-1:0], place};
      end
      if (add_take) begin
        md.group         = place[1:0] + 2'd1;
        md.wanted[m.side] = 1'b1;
        if (m.first[Tree-1]) md.begun[{m.side, 2'd0} +: 4] = 4'b0001;
        else md.begun[place] = 1'b1;
        if (m.last[Tree-1]) md.side = !m.side;
      end
      if (m.add_valid[Add-1]) begin
        if (m.add_last[Add-1]) md.complete[m.add_place[3*Add-1]] = 1'b1;
        partial_q[{m.add_place[3*(Add-1) +: 3], 5'd0} +: 32] <= added;
      end
      if (tail_en) begin
        md.step = m.step + 3'd1;
        if (m.step == 3'd3) first_sum_q <= tail_y;
      end
      if (m.step == 3'd1) begin
        md.wanted[m.tail_set]   = 1'b0;
        md.complete[m.tail_set] = 1'b0;
        md.tail_set             = !m.tail_set;
      end

      if (!rst_ni || halt_i) begin
        o <= '0;
        m <= '0;
      end else begin
        o <= od;
        m <= md;
      end
    end
  end
  /* verilator lint_on BLKSEQ */

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (active_i && rst_ni && !halt_i) begin
      assert (!o.out || m.step != 3'd7) else $error("two kinds at once");
      assert (!take || first_i != o.open) else $error("a row within a row");
    end
  end
`endif

endmodule
