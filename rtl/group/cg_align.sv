// SPDX-License-Identifier: Apache-2.0
// Turns the bytes of a line and keeps them: byte i of data_i comes out in lane i + by_i modulo 64, one cycle after en_i, and
// stays until the next one.
module cg_align (
  input  logic         clk_i,
  input  logic         en_i,
  input  logic [5:0]   by_i,
  input  logic [511:0] data_i,
  output logic [511:0] data_o
);

  logic [511:0] data_q;
  assign data_o = data_q;

  function automatic logic [511:0] turned(input logic [511:0] data, input logic [5:0] by);
    turned = data;
    if (by[5]) turned = {turned[255:0], turned[511:256]};
    if (by[4]) turned = {turned[383:0], turned[511:384]};
    if (by[3]) turned = {turned[447:0], turned[511:448]};
    if (by[2]) turned = {turned[479:0], turned[511:480]};
    if (by[1]) turned = {turned[495:0], turned[511:496]};
    if (by[0]) turned = {turned[503:0], turned[511:504]};
  endfunction

  // Most lines need no turning: the simulator saves it.
  always_ff @(posedge clk_i) begin
    if (en_i) begin
      if (by_i == '0) data_q <= data_i;
      else data_q <= turned(data_i, by_i);
    end
  end

endmodule
