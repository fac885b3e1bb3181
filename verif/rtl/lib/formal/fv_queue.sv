// SPDX-License-Identifier: Apache-2.0
// Queues lose nothing, invent nothing and keep the order: an item picked at any time comes out unchanged after
// exactly those that were inside before it. Proved for stream_fifo (Kind 0, fall-through: Kind 1) and stream_spill (Kind 2).
module fv_queue #(
  parameter int unsigned Kind  = 0,
  parameter int unsigned Depth = 3,
  parameter int unsigned Width = 3
) (
  input logic             clk_i,
  input logic             in_valid_i,
  input logic [Width-1:0] in_data_i,
  input logic             out_ready_i,
  input logic             pick_i
);

  logic rst_ni;
  fv_reset u_reset (
    .clk_i,
    .rst_no(rst_ni)
  );

  logic             in_ready, out_valid;
  logic [Width-1:0] out_data;

  if (Kind == 2) begin : g_spill
    stream_spill #(
      .Width(Width)
    ) u_dut (
      .clk_i,
      .rst_ni,
      .in_valid_i,
      .in_ready_o (in_ready),
      .in_data_i,
      .out_valid_o(out_valid),
      .out_ready_i,
      .out_data_o (out_data)
    );
  end else begin : g_fifo
    stream_fifo #(
      .Width      (Width),
      .Depth      (Depth),
      .FallThrough(Kind == 1)
    ) u_dut (
      .clk_i,
      .rst_ni,
      .in_valid_i,
      .in_ready_o (in_ready),
      .in_data_i,
      .out_valid_o(out_valid),
      .out_ready_i,
      .out_data_o (out_data)
    );
  end

  stream_law #(.Width(Width), .Assume(1'b1)) u_in_law (
    .clk_i, .rst_ni, .valid_i(in_valid_i), .ready_i(in_ready), .data_i(in_data_i)
  );
  stream_law #(.Width(Width)) u_out_law (
    .clk_i, .rst_ni, .valid_i(out_valid), .ready_i(out_ready_i), .data_i(out_data)
  );

  logic [3:0]       inside_q;    // items taken and not given
  logic             picked_q;    // one of them is watched
  logic [3:0]       ahead_q;     // so many of them go before it
  logic [Width-1:0] item_q;
  logic             take, give;

  assign take = in_valid_i && in_ready;
  assign give = out_valid && out_ready_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      inside_q <= '0;
      picked_q <= 1'b0;
      ahead_q  <= '0;
    end else begin
      inside_q <= inside_q + 4'(take) - 4'(give);
      if (picked_q) begin
        if (give && ahead_q == '0) picked_q <= 1'b0;
        if (give && ahead_q != '0) ahead_q <= ahead_q - 1'b1;
      end else if (take && pick_i && !(give && inside_q == '0)) begin
        picked_q <= 1'b1;
        ahead_q  <= inside_q - 4'(give);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!picked_q) item_q <= in_data_i;
  end

  always_comb begin
    if (rst_ni) begin
      assert (inside_q <= 4'(Depth));
      assert (in_ready == (inside_q < 4'(Depth)));
      assert (out_valid == (inside_q != '0 || (Kind == 1 && in_valid_i)));
      if (picked_q && ahead_q == '0) assert (out_valid && out_data == item_q);
      if (inside_q == '0 && give) assert (Kind == 1 && out_data == in_data_i);
    end
  end

endmodule
