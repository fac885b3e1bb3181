// SPDX-License-Identifier: Apache-2.0
// Counts the ones of a word.
//
// Purely combinational, in log2(Width) steps: neighbouring counts of 1, 2, 4, ... bits are added, all of them in one
// addition of the whole word.
module popcount #(
  parameter  int unsigned Width      = 64,
  localparam int unsigned CountWidth = $clog2(Width + 1)
) (
  input  logic [Width-1:0]      data_i,
  output logic [CountWidth-1:0] count_o
);

  localparam int unsigned Steps  = Width > 1 ? $clog2(Width) : 1;
  localparam int unsigned Padded = 2 ** Steps;

  logic [Padded-1:0] sums;

  always_comb begin
    sums = Padded'(data_i);
    for (int unsigned step = 0; step < Steps; step++) begin
      sums = (sums & field_mask(step)) + ((sums >> (2 ** step)) & field_mask(step));
    end
  end

  // Every other field of 2**step bits.
  function automatic logic [Padded-1:0] field_mask(input int unsigned step);
    field_mask = '0;
    for (int unsigned bit_index = 0; bit_index < Padded; bit_index++) begin
      if ((bit_index >> step) % 2 == 0) field_mask[bit_index] = 1'b1;
    end
  endfunction

  assign count_o = CountWidth'(sums);

endmodule
