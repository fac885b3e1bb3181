// SPDX-License-Identifier: Apache-2.0
// Counts the zeros above the highest one (Leading) or below the lowest one (trailing). A word of zeros counts Width.
//
// Purely combinational, in log2(Width) steps, each of which asks whether the half that is looked at is empty.
module zero_count #(
  parameter  int unsigned Width      = 64,
  parameter  bit          Leading    = 1'b1,
  localparam int unsigned CountWidth = $clog2(Width + 1)
) (
  input  logic [Width-1:0]      data_i,
  output logic [CountWidth-1:0] count_o
);

  localparam int unsigned Steps  = Width > 1 ? $clog2(Width) : 1;
  localparam int unsigned Padded = 2 ** Steps;

  logic [Padded-1:0] rest;
  logic [Steps-1:0]  count;

  if (Leading) begin : g_leading
    // Padding with ones below the word: nothing of it is counted.
    always_comb begin
      rest = '1;
      rest[Padded-1 -: Width] = data_i;
      count = '0;
      for (int unsigned step = Steps; step > 0; step--) begin
        if ((rest >> (Padded - 2 ** (step - 1))) == '0) begin
          count[step-1] = 1'b1;
          rest = rest << (2 ** (step - 1));
        end
      end
    end
  end else begin : g_trailing
    always_comb begin
      rest = '1;
      rest[Width-1:0] = data_i;
      count = '0;
      for (int unsigned step = Steps; step > 0; step--) begin
        if ((rest << (Padded - 2 ** (step - 1))) == '0) begin
          count[step-1] = 1'b1;
          rest = rest >> (2 ** (step - 1));
        end
      end
    end
  end

  assign count_o = data_i == '0 ? CountWidth'(Width) : CountWidth'(count);

endmodule
