// SPDX-License-Identifier: Apache-2.0
// The launches that wait: doorbells in the order in which they came, with the cycles that each has waited.
//
// Latency: a launch shows at the output in the cycle after its doorbell. Cycles in which nothing waits need no clock.
module cg_launch_queue #(
  parameter  int unsigned Depth = 8,
  parameter  int unsigned Width = 8,
  localparam int unsigned CountWidth = $clog2(Depth + 1)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  push_i,      // only while full_o is low
  input  logic [Width-1:0]      launch_i,
  output logic                  full_o,
  output logic                  valid_o,
  input  logic                  pop_i,
  output logic [Width-1:0]      launch_o,
  output logic [31:0]           waited_o,    // by the launch that goes first
  output logic [CountWidth-1:0] count_o
);

  logic [31:0]           now_q, came;
  logic [CountWidth-1:0] count_q;
  logic                  ready;

  stream_fifo #(
    .Width(Width + 32),
    .Depth(Depth)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .in_valid_i (push_i),
    .in_ready_o (ready),
    .in_data_i  ({now_q, launch_i}),
    .out_valid_o(valid_o),
    .out_ready_i(pop_i),
    .out_data_o ({came, launch_o})
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      now_q   <= '0;
      count_q <= '0;
    end else begin
      now_q <= now_q + 1'b1;
      if (push_i && !pop_i) count_q <= count_q + 1'b1;
      if (pop_i && !push_i) count_q <= count_q - 1'b1;
    end
  end

  assign full_o   = !ready;
  assign waited_o = now_q - came;
  assign count_o  = count_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) assert (!push_i || ready) else $error("a launch for which there is no place");
  end
`endif

endmodule
