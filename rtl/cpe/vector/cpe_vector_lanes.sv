// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the vector unit: groups of 8 elements go through the operation and, when their tag says so, through a special
// function.
//
// Everything advances together, or stands when a result finds no place. Lanes is how many elements enter the fma units in a
// cycle, SpecialLanes the special functions; a group passes in so many cycles one after the other.
// Minimum, maximum, comparisons and selection come as x * 1 + -0 out of the fma units; so every NaN becomes the same one.
// Cuts: all paths but ready_i to ready_o, and tag_i to ready_o.
// A group without a special function that follows one with it would overtake it, and waits.
// Latency: 4 + 8 / Lanes cycles, with a special function 3 + 8 / SpecialLanes more.
// Illegal: a group while ready_o is low.
module cpe_vector_lanes #(
  parameter int unsigned Lanes        = 8,  // 1, 2, 4, 8
  parameter int unsigned SpecialLanes = 4   // 1, 2, 4, 8
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 halt_i,     // forgets everything
  input  logic                 active_i,   // else nothing happens
  input  logic                 en_i,       // of registers: active or in reset

  input  logic                 valid_i,
  output logic                 ready_o,    // for a group with this tag
  input  cpe_isa_pkg::vector_function_t  op_i,
  input  cpe_vector_pkg::tag_t tag_i,
  input  logic [255:0]         a_i,        // in the cycle after, until the next group
  input  logic [255:0]         b_i,
  input  logic [255:0]         c_i,

  output logic                 valid_o,
  input  logic                 ready_i,
  output cpe_vector_pkg::tag_t tag_o,
  output logic [255:0]         data_o,
  output logic                 empty_o
);

  localparam int unsigned Phases = 8 / Lanes;
  localparam int unsigned Beats  = 8 / SpecialLanes;
  localparam int unsigned Stages = 4 + Phases;  // from the operands' registers to the result: the last one is at the result
  localparam int unsigned Wide   = 32 * Lanes;
  localparam int unsigned Some   = 32 * SpecialLanes;
  localparam int unsigned SpecialStages = 3 + Beats;
  localparam int unsigned TagWidth = cpe_vector_pkg::TagWidth;

  // --- What is where ------------------------------------------------------------------------------------------------

  typedef struct packed {
    logic [Stages-1:0]                 valid;     // bit 0: in the operands' registers
    logic [SpecialStages-1:0]          special;
    logic [3:0]                        interval;  // cycles until another group may enter
    logic [4:0]                        behind;    // until one without a special function may: it would overtake
  } where_t;

  where_t                            q, d;
  logic [TagWidth*Stages-1:0]        tag_q;
  logic [TagWidth*SpecialStages-1:0] special_tag_q;
  cpe_vector_pkg::tag_t              tag, special_tag;
  logic                              go, specialn, special_out, special_busy, fma_en, special_en;

  assign tag         = tag_q[TagWidth*(Stages-1) +: TagWidth];
  assign special_tag = special_tag_q[TagWidth*(SpecialStages-1) +: TagWidth];
  assign empty_o     = q.valid == '0 && q.special == '0;
  assign special_out = q.special[SpecialStages-1];

  always_comb begin
    valid_o      = 1'b0;
    tag_o        = '0;
    specialn     = 1'b0;
    special_busy = 1'b0;
    if (active_i) begin
      specialn     = q.valid[Stages-1] && tag.special != cpe_isa_pkg::SpecialNone;
      special_busy = specialn || q.special != '0;
      valid_o      = (q.valid[Stages-1] && !specialn) || special_out;
      tag_o        = special_out ? special_tag : tag;
    end
  end

  always_comb begin
    go         = 1'b0;
    ready_o    = 1'b0;
    fma_en     = 1'b0;
    special_en = 1'b0;
    if (active_i) begin
      go         = !valid_o || ready_i;
      ready_o    = go && q.interval == '0 && (tag_i.special != cpe_isa_pkg::SpecialNone || q.behind == '0);
      fma_en     = go && q.valid != '0;
      special_en = go && special_busy;
    end
  end

  // d is what q becomes: nothing else looks at it.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin : advance
    logic special;
    special = '0;
    if (en_i) begin
      d       = q;
      special = tag_i.special != cpe_isa_pkg::SpecialNone;
      if (go) begin
        d.valid   = {q.valid[Stages-2:0], valid_i};
        d.special = {q.special[SpecialStages-2:0], specialn};
        if (valid_i) begin
          d.interval = 4'((special && Beats > Phases ? Beats : Phases) - 1);
          d.behind   = special ? 5'(3 + Beats) : '0;
        end else begin
          if (q.interval != '0) d.interval = q.interval - 4'd1;
          if (q.behind != '0) d.behind = q.behind - 5'd1;
        end
        tag_q <= {tag_q[TagWidth*(Stages-1)-1:0], tag_i};
        if (special_busy) special_tag_q <= {special_tag_q[TagWidth*(SpecialStages-1)-1:0], tag};
      end
      if (!rst_ni || halt_i) q <= '0;
      else q <= d;
    end
  end
  /* verilator lint_on BLKSEQ */

  // --- Operation ----------------------------------------------------------------------------------------------------

  logic [Wide-1:0]     a_now, b_now, c_now;
  cpe_isa_pkg::vector_function_t op_q;
  logic [Wide-1:0]     y;
  logic [255:0]        result;

  always_ff @(posedge clk_i) begin
    if (en_i && valid_i) op_q <= op_i;
  end

  if (Phases == 1) begin : g_at_once
    assign a_now = a_i;
    assign b_now = b_i;
    assign c_now = c_i;
  end else begin : g_in_turn
    logic [$clog2(Phases)-1:0] phase_q;
    always_ff @(posedge clk_i) begin
      if (valid_i) phase_q <= '0;
      else if (fma_en) phase_q <= phase_q + 1'b1;
    end
    assign a_now = a_i[Wide*phase_q +: Wide];
    assign b_now = b_i[Wide*phase_q +: Wide];
    assign c_now = c_i[Wide*phase_q +: Wide];
  end

  // What enters the fma units. It is compared within the clocked block and so within its condition: a simulator does none of it for
  // lanes that stand still.
  logic [Wide-1:0] x_q, factor_q, summand_q;

  always_ff @(posedge clk_i) begin : operate
    logic [31:0] a;
    logic [31:0] b;
    logic [31:0] x;
    logic        a_nan;
    logic        b_nan;
    logic        below;
    logic        zeros;
    logic        truth;
    {a, b, x, a_nan, b_nan, below, zeros, truth} = '0;
    if (fma_en) begin
      x_q       <= a_now;
      factor_q  <= b_now;
      summand_q <= c_now;
      if (op_q >= cpe_isa_pkg::VectorMin) begin
        factor_q  <= {Lanes{cpe_vector_pkg::One}};
        summand_q <= {Lanes{cpe_vector_pkg::NegativeZero}};
        for (int unsigned i = 0; i < Lanes; i++) begin
          a     = a_now[32*i +: 32];
          b     = b_now[32*i +: 32];
          a_nan = a[30:0] > 31'h7f80_0000;
          b_nan = b[30:0] > 31'h7f80_0000;
          zeros = a[30:0] == '0 && b[30:0] == '0;
          // As signed magnitudes, with -0 below +0.
          below = a[31] != b[31] ? a[31] : a[31] ? a[30:0] > b[30:0] : a[30:0] < b[30:0];
          truth = op_q == cpe_isa_pkg::VectorLess ? below && !zeros : a == b || zeros;
          case (op_q)
            cpe_isa_pkg::VectorMin:    x = b_nan || (below && !a_nan) ? a : b;
            cpe_isa_pkg::VectorMax:    x = b_nan || (!below && !a_nan) ? a : b;
            cpe_isa_pkg::VectorSelect: x = a[30:0] != '0 ? b : c_now[32*i +: 32];
            default:               x = truth && !a_nan && !b_nan ? cpe_vector_pkg::One : '0;
          endcase
          x_q[32*i +: 32] <= x;
        end
      end
    end
  end

  for (genvar i = 0; i < Lanes; i++) begin : g_lane
    fp32_fma u_fma (
      .clk_i,
      .en_i(fma_en),
      .a_i(x_q[32*i +: 32]),
      .b_i(factor_q[32*i +: 32]),
      .c_i(summand_q[32*i +: 32]),
      .y_o(y[32*i +: 32])
    );
  end

  if (Phases == 1) begin : g_whole
    always_comb begin
      result = '0;
      if (active_i && q.valid[Stages-1]) result = y;
    end
  end else begin : g_gather
    // The last of a group's elements come when those before them are gathered.
    logic [255-Wide:0] gathered_q;
    logic [255:0]      all;
    assign all    = {y, gathered_q};
    assign result = all;
    always_ff @(posedge clk_i) begin
      if (fma_en) gathered_q <= all[255:Wide];
    end
  end

  // --- Special functions --------------------------------------------------------------------------------------------

  logic [Some-1:0]   special_y;
  logic [255:0]      special_result;
  cpe_isa_pkg::special_function_t special_op, special_op_q;

  assign special_op = specialn ? tag.special : special_op_q;

  always_ff @(posedge clk_i) begin
    if (special_en) special_op_q <= special_op;
  end

  logic [Some-1:0] special_x;

  for (genvar i = 0; i < SpecialLanes; i++) begin : g_special
    fp32_special u_special (
      .clk_i,
      .en_i(special_en),
      .op_i(special_op),
      .x_i(special_x[32*i +: 32]),
      .y_o(special_y[32*i +: 32])
    );
  end

  if (Beats == 1) begin : g_special_whole
    assign special_x      = result[Some-1:0];
    assign special_result = special_y;
  end else begin : g_special_parts
    logic [255-Some:0] rest_q, gathered_q;
    assign special_result = {special_y, gathered_q};

    always_comb begin
      special_x = '0;
      if (special_busy) special_x = specialn ? result[Some-1:0] : rest_q[Some-1:0];
    end

    always_ff @(posedge clk_i) begin : shift
      logic [255:0] all;
      all = '0;
      if (special_en) begin
        all        = {special_y, gathered_q};
        rest_q     <= specialn ? result[255:Some] : rest_q >> Some;
        gathered_q <= all[255:Some];
      end
    end
  end

  always_comb begin
    data_o = '0;
    if (valid_o) data_o = special_out ? special_result : result;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (active_i && rst_ni && !halt_i) begin
      assert (!valid_i || ready_o) else $error("a group and no place");
      assert (!q.valid[Stages-1] || specialn || !special_out) else $error("two results at once");
    end
  end
`endif

endmodule
