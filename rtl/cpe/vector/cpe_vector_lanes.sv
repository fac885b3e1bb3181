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

  input  logic                 valid_i,
  output logic                 ready_o,    // for a group with this tag
  input  cpe_pkg::vector_op_t  op_i,
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

  logic [Stages-1:0]                valid_q;    // bit 0: in the operands' registers
  logic [TagWidth*Stages-1:0]       tag_q;
  logic [SpecialStages-1:0]         special_valid_q;
  logic [TagWidth*SpecialStages-1:0] special_tag_q;
  logic [3:0]                       interval_q; // cycles until another group may enter
  logic [4:0]                       behind_q;   // until one without a special function may: it would overtake
  cpe_vector_pkg::tag_t             tag, special_tag;
  logic                             special, busy, go, plain_out, specialn, special_out, special_busy;

  assign special      = tag_i.special != cpe_pkg::SpecialNone;
  assign tag          = tag_q[TagWidth*(Stages-1) +: TagWidth];
  assign special_tag  = special_tag_q[TagWidth*(SpecialStages-1) +: TagWidth];
  assign specialn   = valid_q[Stages-1] && tag.special != cpe_pkg::SpecialNone;
  assign plain_out    = valid_q[Stages-1] && tag.special == cpe_pkg::SpecialNone;
  assign special_out  = special_valid_q[SpecialStages-1];
  assign special_busy = specialn || special_valid_q != '0;
  assign busy         = valid_q != '0 || special_valid_q != '0 || interval_q != '0 || behind_q != '0;
  assign empty_o      = valid_q == '0 && special_valid_q == '0;
  assign valid_o      = plain_out || special_out;
  assign tag_o        = special_out ? special_tag : tag;
  assign go           = !valid_o || ready_i;
  assign ready_o      = go && interval_q == '0 && (special || behind_q == '0);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || halt_i) begin
      valid_q         <= '0;
      special_valid_q <= '0;
      interval_q      <= '0;
      behind_q        <= '0;
    end else if (valid_i || (busy && go)) begin
      valid_q         <= {valid_q[Stages-2:0], valid_i};
      special_valid_q <= {special_valid_q[SpecialStages-2:0], specialn};
      if (valid_i) begin
        interval_q <= 4'((special && Beats > Phases ? Beats : Phases) - 1);
        behind_q   <= special ? 5'(3 + Beats) : '0;
      end else begin
        if (interval_q != '0) interval_q <= interval_q - 4'd1;
        if (behind_q != '0) behind_q <= behind_q - 5'd1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i || (busy && go)) tag_q <= {tag_q[TagWidth*(Stages-1)-1:0], tag_i};
    if (special_busy && go) special_tag_q <= {special_tag_q[TagWidth*(SpecialStages-1)-1:0], tag};
  end

  // --- Operation ----------------------------------------------------------------------------------------------------

  logic [Wide-1:0]     a_now, b_now, c_now;
  cpe_pkg::vector_op_t op_q;
  logic [Wide-1:0]     y;
  logic [255:0]        result;
  logic                fma_en;

  assign fma_en = go && valid_q != '0;

  always_ff @(posedge clk_i) begin
    if (valid_i) op_q <= op_i;
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

  always_ff @(posedge clk_i) begin
    if (fma_en) begin : operate
      logic [31:0] a;
      logic [31:0] b;
      logic [31:0] x;
      logic        a_nan;
      logic        b_nan;
      logic        below;
      logic        zeros;
      logic        truth;
      x_q       <= a_now;
      factor_q  <= b_now;
      summand_q <= c_now;
      if (op_q >= cpe_pkg::VectorMin) begin
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
          truth = op_q == cpe_pkg::VectorLess ? below && !zeros : a == b || zeros;
          case (op_q)
            cpe_pkg::VectorMin:    x = b_nan || (below && !a_nan) ? a : b;
            cpe_pkg::VectorMax:    x = b_nan || (!below && !a_nan) ? a : b;
            cpe_pkg::VectorSelect: x = a[30:0] != '0 ? b : c_now[32*i +: 32];
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
      if (valid_q[Stages-1]) result = y;
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

  logic              special_en;
  logic [Some-1:0]   special_y;
  logic [255:0]      special_result;
  cpe_pkg::special_t special_op, special_op_q;

  assign special_en = go && special_busy;
  assign special_op = specialn ? tag.special : special_op_q;

  always_ff @(posedge clk_i) begin
    if (special_en) special_op_q <= special_op;
  end

  if (Beats == 1) begin : g_special_whole
    for (genvar i = 0; i < SpecialLanes; i++) begin : g_special
      fp32_special u_special (
        .clk_i,
        .en_i(special_en),
        .op_i(special_op),
        .x_i(result[32*i +: 32]),
        .y_o(special_y[32*i +: 32])
      );
    end
    assign special_result = special_y;
  end else begin : g_special_parts
    logic [255-Some:0] rest_q, gathered_q;
    logic [255:0]      all;
    always_comb begin
      all = '0;
      if (special_busy) all = {special_y, gathered_q};
    end
    assign special_result = all;

    always_ff @(posedge clk_i) begin
      if (special_en) begin
        rest_q     <= specialn ? result[255:Some] : rest_q >> Some;
        gathered_q <= all[255:Some];
      end
    end

    for (genvar i = 0; i < SpecialLanes; i++) begin : g_special
      fp32_special u_special (
        .clk_i,
        .en_i(special_en),
        .op_i(special_op),
        .x_i(specialn ? result[32*i +: 32] : rest_q[32*i +: 32]),
        .y_o(special_y[32*i +: 32])
      );
    end
  end

  always_comb begin
    data_o = result;
    if (special_out) data_o = special_result;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && !halt_i) begin
      assert (!valid_i || ready_o) else $error("a group and no place");
      assert (!plain_out || !special_out) else $error("two results at once");
    end
  end
`endif

endmodule
