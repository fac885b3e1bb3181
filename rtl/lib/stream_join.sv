// SPDX-License-Identifier: Apache-2.0
// Several streams into one: an output item is one item of every input together.
//
// Cuts: nothing; purely combinational. in_ready_o of one input follows the valid of the others, out_valid_o never
//   follows ready.
// Orders: the n-th items of all inputs travel together.
// The payloads go around this module; together they are the payload of the output.
module stream_join #(
  parameter int unsigned N = 2
) (
  input  logic [N-1:0] in_valid_i,
  output logic [N-1:0] in_ready_o,

  output logic         out_valid_o,
  input  logic         out_ready_i
);

  assign out_valid_o = &in_valid_i;
  assign in_ready_o  = {N{out_valid_o && out_ready_i}};

endmodule
