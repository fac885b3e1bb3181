// SPDX-License-Identifier: Apache-2.0
// One cycle of reset, from any state, and no other reset after that.
module fv_reset (
  input  logic clk_i,
  output logic rst_no
);

  logic running_q = 1'b0;

  assign rst_no = running_q;

  always_ff @(posedge clk_i) running_q <= 1'b1;

endmodule
