// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the drain: sums become results, `Lanes` elements of a row in a cycle.
//
// A group is four beats of `Lanes` elements. Each element passes the multiplier once: sum * factor + bias, rounded once. With the
// row's own factor it passes twice: the four beats of factor * row factor go first (product_i), and four steps later, when they come
// out, meet their sums (paired_i).
//
// Everything moves when step_i is high. Results come out of the fourth step after their beat went in; their tag comes with them.
// Illegal: beats with paired_i that did not follow four steps after their products.
module cpe_systolic_drain_lanes #(
  parameter  int unsigned Lanes    = 2,  // 1 or 2
  localparam int unsigned TagWidth = 4
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                awake_i,       // else nothing moves
  input  logic                clear_i,       // forgets what is under way

  input  logic                step_i,
  input  logic                valid_i,       // a beat goes in
  input  logic                product_i,     // factor * row factor
  input  logic                paired_i,      // the factor is what comes out now
  input  logic [TagWidth-1:0] tag_i,
  input  logic [32*Lanes-1:0] sums_i,
  input  logic [32*Lanes-1:0] factors_i,
  input  logic [32*Lanes-1:0] biases_i,
  input  logic [31:0]         row_factor_i,

  // What is done with all of them
  input  cpe_isa_pkg::number_t    result_i,      // not int32
  input  logic                bias_i,
  input  logic                clamp_i,
  input  logic [31:0]         least_i,
  input  logic [31:0]         largest_i,

  output logic                valid_o,       // results are there; they go with the next step
  output logic [TagWidth-1:0] tag_o,
  output logic [32*Lanes-1:0] results_o,     // each in the lowest bits of its 32
  output logic                busy_o
);

  localparam logic [31:0] MinusZero = 32'h8000_0000;
  localparam int unsigned Latency   = 3;     // of fp32_fma

  // Beats in the registers before the multiplier and in its stages, the oldest last.
  logic [Latency:0] beat_q, result_q;
  logic [4*TagWidth-1:0] tag_q;

  assign busy_o  = beat_q != '0;
  assign valid_o = result_q[Latency];
  assign tag_o   = tag_q[Latency*TagWidth +: TagWidth];

  always_ff @(posedge clk_i) begin : p_beats
    logic [Latency:0]      beats, results;
    logic [4*TagWidth-1:0] tags;
    {beats, results, tags} = '0;
    if (awake_i) begin
      beats   = beat_q;
      results = result_q;
      tags    = tag_q;
      if (step_i) begin
        beats   = {beats[Latency-1:0], valid_i};
        results = {results[Latency-1:0], valid_i && !product_i};
        tags    = {tags[Latency*TagWidth-1:0], tag_i};
      end
      if (clear_i || !rst_ni) begin
        beats   = '0;
        results = '0;
      end
      beat_q   <= beats;
      result_q <= results;
      tag_q    <= tags;
    end
  end

  logic advance, load, convert, ready;  // of the multiplier; a beat goes in, with sums; results are there

  always_comb begin
    advance = 1'b0;
    load    = 1'b0;
    convert = 1'b0;
    ready   = 1'b0;
    if (awake_i) begin
      advance = step_i && busy_o;
      load    = step_i && valid_i;
      convert = valid_i && !product_i;
      ready   = valid_o;
    end
  end

  for (genvar i = 0; i < Lanes; i++) begin : g_lane
    logic [31:0] value, a_q, b_q, c_q, y;

    fp32_of_int32 u_value (
      .en_i(convert),
      .i_i (sums_i[32*i +: 32]),
      .y_o (value)
    );

    always_ff @(posedge clk_i) begin
      if (load) begin
        if (product_i) begin
          a_q <= row_factor_i;
          b_q <= factors_i[32*i +: 32];
          c_q <= MinusZero;
        end else begin
          a_q <= value;
          b_q <= paired_i ? y : factors_i[32*i +: 32];
          c_q <= bias_i ? biases_i[32*i +: 32] : MinusZero;
        end
      end
    end

    fp32_fma u_fma (
      .clk_i,
      .en_i(advance),
      .a_i (a_q),
      .b_i (b_q),
      .c_i (c_q),
      .y_o (y)
    );

    cpe_systolic_drain_result u_result (
      .en_i     (ready),
      .number_i (result_i),
      .clamp_i,
      .least_i,
      .largest_i,
      .x_i      (y),
      .y_o      (results_o[32*i +: 32])
    );
  end

endmodule
