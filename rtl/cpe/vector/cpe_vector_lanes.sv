// The arithmetic of the vector unit: groups of 8 elements go through the operation and, when their tag says so, through a special
// function.
//
// Everything advances together, or stands when a result finds no place. Lanes is how many elements enter the fma units in a
// cycle, SpecialLanes the special functions; a group passes in so many cycles one after the other.
// Minimum, maximum, comparisons and selection come as x * 1 + -0 out of the fma units; so every NaN becomes the same one.
// Cuts: all paths but ready_i to ready_o, and tag_i to ready_o.
// A group without a special function that follows one with it would overtake it, and waits.
// Latency: 3 + 8 / Lanes cycles, with a special function 3 + 8 / SpecialLanes more.
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
  input  logic [255:0]         a_i,
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
  localparam int unsigned Stages = 3 + Phases;  // from the operands' registers to the result: the last one is at the result
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

  logic [255:0]        a_q, b_q, c_q;
  cpe_pkg::vector_op_t op_q;
  logic [Wide-1:0]     y;
  logic [255:0]        result;
  logic                fma_en;

  assign fma_en = go && valid_q != '0;

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      a_q  <= a_i;
      b_q  <= b_i;
      c_q  <= c_i;
      op_q <= op_i;
    end else if (Phases > 1 && fma_en) begin
      a_q <= a_q >> Wide;
      b_q <= b_q >> Wide;
      c_q <= c_q >> Wide;
    end
  end

  for (genvar i = 0; i < Lanes; i++) begin : g_lane
    logic [31:0] a, b, c, x, factor, summand, min, max;
    logic        less, equal;

    assign a = a_q[32*i +: 32];
    assign b = b_q[32*i +: 32];
    assign c = c_q[32*i +: 32];

    cpe_vector_order u_order (
      .en_i(valid_q != '0 && op_q >= cpe_pkg::VectorMin),
      .a_i(a),
      .b_i(b),
      .less_o(less),
      .equal_o(equal),
      .min_o(min),
      .max_o(max)
    );

    always_comb begin
      x       = a;
      factor  = b;
      summand = c;
      if (op_q >= cpe_pkg::VectorMin) begin
        factor  = cpe_vector_pkg::One;
        summand = cpe_vector_pkg::NegativeZero;
        case (op_q)
          cpe_pkg::VectorMin:   x = min;
          cpe_pkg::VectorMax:   x = max;
          cpe_pkg::VectorLess:  x = less ? cpe_vector_pkg::One : '0;
          cpe_pkg::VectorEqual: x = equal ? cpe_vector_pkg::One : '0;
          default:              x = a[30:0] != '0 ? b : c;
        endcase
      end
    end

    fp32_fma u_fma (
      .clk_i,
      .en_i(fma_en),
      .a_i(x),
      .b_i(factor),
      .c_i(summand),
      .y_o(y[32*i +: 32])
    );
  end

  if (Phases == 1) begin : g_whole
    assign result = y;
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
    assign all            = {special_y, gathered_q};
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
