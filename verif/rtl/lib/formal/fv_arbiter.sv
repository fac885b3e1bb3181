// SPDX-License-Identifier: Apache-2.0
// The round-robin arbiter: its output obeys the law of streams, the item at the output is the one of the input that
// the index names, only that input is taken, and an input that waits sees at most N-1 transfers of others.
module fv_arbiter #(
  parameter int unsigned N     = 3,
  parameter int unsigned Width = 2
) (
  input logic               clk_i,
  input logic [N-1:0]       in_valid_i,
  input logic [N*Width-1:0] in_data_i,
  input logic               out_ready_i
);

  logic rst_ni;
  fv_reset u_reset (
    .clk_i,
    .rst_no(rst_ni)
  );

  localparam int unsigned IndexWidth = N > 1 ? $clog2(N) : 1;

  logic [N-1:0]          in_ready;
  logic                  out_valid;
  logic [Width-1:0]      out_data;
  logic [IndexWidth-1:0] out_index;

  stream_arbiter #(
    .N    (N),
    .Width(Width)
  ) u_dut (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_ready_o (in_ready),
    .in_data_i,
    .out_valid_o(out_valid),
    .out_ready_i,
    .out_data_o (out_data),
    .out_index_o(out_index)
  );

  stream_law #(.Width(Width + IndexWidth)) u_out_law (
    .clk_i, .rst_ni, .valid_i(out_valid), .ready_i(out_ready_i), .data_i({out_index, out_data})
  );

  for (genvar i = 0; i < N; i++) begin : g_input
    stream_law #(.Width(Width), .Assume(1'b1)) u_in_law (
      .clk_i, .rst_ni, .valid_i(in_valid_i[i]), .ready_i(in_ready[i]), .data_i(in_data_i[i*Width +: Width])
    );

    logic [3:0] others_q;   // transfers of others that this input has waited for
    always_ff @(posedge clk_i) begin
      if (!rst_ni) others_q <= '0;
      else if (!in_valid_i[i] || in_ready[i]) others_q <= '0;
      else if (out_valid && out_ready_i) others_q <= others_q + 1'b1;
    end

    always_comb begin
      if (rst_ni) begin
        assert (others_q < 4'(N));
        assert (in_ready[i] == (out_valid && out_ready_i && out_index == IndexWidth'(i)));
        if (out_valid && out_index == IndexWidth'(i)) begin
          assert (in_valid_i[i] && out_data == in_data_i[i*Width +: Width]);
        end
      end
    end
  end

  always_comb begin
    if (rst_ni) assert (out_valid == |in_valid_i);
  end

endmodule
