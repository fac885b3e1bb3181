// SPDX-License-Identifier: Apache-2.0
// A fork gives every item to every output exactly once before the item leaves. A join in front of one sink takes items of
// all inputs together. Fork and join back to back are a wire.
module fv_fork_join #(
  parameter int unsigned N     = 3,
  parameter int unsigned Width = 2
) (
  input logic             clk_i,
  input logic             in_valid_i,
  input logic [Width-1:0] in_data_i,
  input logic [N-1:0]     out_ready_i,
  input logic [N-1:0]     join_valid_i,
  input logic             sink_ready_i
);

  logic rst_ni;
  fv_reset u_reset (
    .clk_i,
    .rst_no(rst_ni)
  );

  logic         in_ready;
  logic [N-1:0] out_valid;

  stream_fork #(
    .N(N)
  ) u_fork (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_ready_o (in_ready),
    .out_valid_o(out_valid),
    .out_ready_i
  );

  stream_law #(.Width(Width), .Assume(1'b1)) u_in_law (
    .clk_i, .rst_ni, .valid_i(in_valid_i), .ready_i(in_ready), .data_i(in_data_i)
  );

  for (genvar o = 0; o < N; o++) begin : g_output
    stream_law #(.Width(Width)) u_out_law (
      .clk_i, .rst_ni, .valid_i(out_valid[o]), .ready_i(out_ready_i[o]), .data_i(in_data_i)
    );

    logic has_q;   // this output has the item that waits at the input
    logic takes;
    assign takes = out_valid[o] && out_ready_i[o];
    always_ff @(posedge clk_i) begin
      if (!rst_ni) has_q <= 1'b0;
      else if (in_valid_i) has_q <= in_ready ? 1'b0 : has_q || takes;
    end

    always_comb begin
      if (rst_ni) begin
        assert (!(has_q && out_valid[o]));
        if (in_valid_i && in_ready) assert (has_q || takes);
        if (in_valid_i && !has_q) assert (out_valid[o]);
        if (!in_valid_i) assert (!out_valid[o]);
      end
    end
  end

  // A join with inputs of their own: all move, or none.
  logic         joined_valid;
  logic [N-1:0] join_ready;

  stream_join #(
    .N(N)
  ) u_join (
    .in_valid_i (join_valid_i),
    .in_ready_o (join_ready),
    .out_valid_o(joined_valid),
    .out_ready_i(sink_ready_i)
  );

  always_comb begin
    if (rst_ni) begin
      assert ((join_valid_i & join_ready) == (joined_valid && sink_ready_i ? '1 : '0));
    end
  end

  logic         wire_ready, sink_valid;
  logic [N-1:0] between_valid, between_ready;

  stream_fork #(
    .N(N)
  ) u_wire_fork (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_ready_o (wire_ready),
    .out_valid_o(between_valid),
    .out_ready_i(between_ready)
  );
  stream_join #(
    .N(N)
  ) u_wire_join (
    .in_valid_i (between_valid),
    .in_ready_o (between_ready),
    .out_valid_o(sink_valid),
    .out_ready_i(sink_ready_i)
  );

  always_comb begin
    if (rst_ni) begin
      assert (sink_valid == in_valid_i);
      if (in_valid_i) assert (wire_ready == sink_ready_i);
    end
  end

endmodule
