// SPDX-License-Identifier: Apache-2.0
// A little network of the stream modules: a fork, a queue on one branch, a register slice and a random delay on the other,
// and a join. Both halves of an output item must be the same input item.
module tb_stream_net (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        in_valid_i,
  output logic        in_ready_o,
  input  logic [15:0] in_data_i,

  output logic        out_valid_o,
  input  logic        out_ready_i,
  output logic [31:0] out_data_o
);

  logic [1:0]  fork_valid, fork_ready, join_valid, join_ready;
  logic        spill_valid, spill_ready;
  logic [15:0] spill_data;

  stream_fork #(
    .N(2)
  ) u_fork (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_ready_o,
    .out_valid_o(fork_valid),
    .out_ready_i(fork_ready)
  );

  stream_fifo #(
    .Width(16),
    .Depth(5)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .in_valid_i (fork_valid[0]),
    .in_ready_o (fork_ready[0]),
    .in_data_i,
    .out_valid_o(join_valid[0]),
    .out_ready_i(join_ready[0]),
    .out_data_o (out_data_o[15:0])
  );

  stream_spill #(
    .Width(16)
  ) u_spill (
    .clk_i,
    .rst_ni,
    .in_valid_i (fork_valid[1]),
    .in_ready_o (fork_ready[1]),
    .in_data_i,
    .out_valid_o(spill_valid),
    .out_ready_i(spill_ready),
    .out_data_o (spill_data)
  );

  stream_delayer #(
    .Width   (16),
    .MaxDelay(3)
  ) u_delayer (
    .clk_i,
    .rst_ni,
    .in_valid_i (spill_valid),
    .in_ready_o (spill_ready),
    .in_data_i  (spill_data),
    .out_valid_o(join_valid[1]),
    .out_ready_i(join_ready[1]),
    .out_data_o (out_data_o[31:16])
  );

  stream_join #(
    .N(2)
  ) u_join (
    .in_valid_i (join_valid),
    .in_ready_o (join_ready),
    .out_valid_o,
    .out_ready_i
  );

endmodule
