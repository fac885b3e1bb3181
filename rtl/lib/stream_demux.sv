// SPDX-License-Identifier: Apache-2.0
// One stream to one of several consumers.
//
// Cuts: nothing; purely combinational.
// Orders: nothing between consumers.
// sel_i is part of the payload: still while the item waits. The payload goes around this module.
// Illegal: sel_i of N or more with in_valid_i (the item would wait forever).
module stream_demux #(
  parameter  int unsigned N          = 2,
  localparam int unsigned IndexWidth = N > 1 ? $clog2(N) : 1
) (
  input  logic [IndexWidth-1:0] sel_i,

  input  logic                  in_valid_i,
  output logic                  in_ready_o,

  output logic [N-1:0]          out_valid_o,
  input  logic [N-1:0]          out_ready_i
);

  logic [N-1:0] select;

  always_comb begin
    for (int unsigned i = 0; i < N; i++) select[i] = sel_i == IndexWidth'(i);
  end

  assign out_valid_o = in_valid_i ? select : '0;
  assign in_ready_o  = |(select & out_ready_i);

endmodule
