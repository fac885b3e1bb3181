// SPDX-License-Identifier: Apache-2.0
// The clock of one CPE: stands still while the CPE sleeps and nothing is for it.
//
// A CPE says by asleep_i that an edge would change nothing in it; an input that would change something is named below and
// gives it the edge of the very cycle in which it comes, so that waking costs no time. All inputs come from registers, or
// logic behind them that is settled by the falling edge. parked_i: it is in reset, and stays.
module cg_wake (
  input  logic clk_i,
  input  logic parked_i,
  input  logic asleep_i,
  input  logic reset_i,       // it is in reset
  input  logic launch_i,      // a launch is offered
  input  logic release_i,     // of a barrier at which it waits
  input  logic response_i,    // of memory or code
  input  logic channel_i,     // data or room of a channel
  input  logic access_i,      // from outside
  input  logic halt_i,
  input  logic invalidate_i,  // of code
  output logic enable_o,      // the coming edge is one
  output logic clk_o
);

  assign enable_o = !parked_i && (!asleep_i || reset_i || launch_i || release_i || response_i || channel_i || access_i ||
                                  halt_i || invalidate_i);

  clock_gate u_gate (
    .clk_i,
    .en_i (enable_o),
    .clk_o
  );

endmodule
