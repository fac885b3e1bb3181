// SPDX-License-Identifier: Apache-2.0
// The law of streams as properties: a valid item stays, unchanged, until it is taken. At the input of a design it is
// assumed (Assume), at its output asserted.
module stream_law #(
  parameter int unsigned Width  = 4,
  parameter bit          Assume = 1'b0
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             valid_i,
  input logic             ready_i,
  input logic [Width-1:0] data_i
);

  logic             waits_q;
  logic [Width-1:0] data_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) waits_q <= 1'b0;
    else waits_q <= valid_i && !ready_i;
  end

  always_ff @(posedge clk_i) data_q <= data_i;

  always_comb begin
    if (rst_ni && waits_q) begin
      if (Assume) begin
        assume (valid_i);
        assume (data_i == data_q);
      end else begin
        assert (valid_i);
        assert (data_i == data_q);
      end
    end
  end

endmodule
