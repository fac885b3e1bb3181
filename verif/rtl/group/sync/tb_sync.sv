// SPDX-License-Identifier: Apache-2.0
// Synchronisation of a group, at ports that have room for the largest one.
module tb_sync #(
  parameter int unsigned Rows    = 4,
  parameter int unsigned Columns = 8
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  output logic [3:0]  rows_o,
  output logic [3:0]  columns_o,
  input  logic [95:0] arrive_i,
  input  logic [31:0] active_i,
  output logic [95:0] release_o
);

  localparam int unsigned N = Rows * Columns;

  logic [3*N-1:0] releases;

  assign rows_o    = 4'(Rows);
  assign columns_o = 4'(Columns);
  assign release_o = 96'(releases);

  cg_sync #(.Rows(Rows), .Columns(Columns)) u_sync (
    .clk_i,
    .rst_ni,
    .arrive_i(arrive_i[3*N-1:0]),
    .active_i(active_i[N-1:0]),
    .release_o(releases)
  );

endmodule
