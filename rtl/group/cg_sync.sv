// SPDX-License-Identifier: Apache-2.0
// Synchronisation of the CPEs of a group: of a row, of a column, of all.
//
// Bit scope * N + c belongs to CPE c (row * Columns + column); scopes are row, column, all. A CPE holds the bit of its scope until its
//   release, which comes to all in the same cycle: the one after that in which every active CPE of the scope had arrived. In
//   the cycle of the release arrive_i still belongs to the old round; from the next cycle on to a new one.
// CPEs that are not active are not waited for and get no release; when active_i changes, those that wait on are judged anew.
// Cuts: all paths.
// Needs its clock while there is a bit in arrive_i or release_o.
module cg_sync #(
  parameter  int unsigned Rows    = 4,
  parameter  int unsigned Columns = 8,
  localparam int unsigned N       = Rows * Columns
) (
  input  logic           clk_i,
  input  logic           rst_ni,
  input  logic [3*N-1:0] arrive_i,
  input  logic [N-1:0]   active_i,
  output logic [3*N-1:0] release_o
);

  logic [3*N-1:0]     release_q, release_d;
  logic [N-1:0]       row_arrived, column_arrived, all_arrived;
  logic [N-1:0]       row_missing;     // somebody of this CPE's row has not arrived
  logic [Columns-1:0] column_missing;  // somebody of this column

  assign release_o = release_q;

  always_comb begin
    release_d      = '0;
    row_arrived    = '0;
    column_arrived = '0;
    all_arrived    = '0;
    row_missing    = '0;
    column_missing = '0;
    if (arrive_i != '0) begin
      {all_arrived, column_arrived, row_arrived} = arrive_i & ~release_q;
      for (int unsigned r = 0; r < Rows; r++) begin
        if ((active_i[r*Columns +: Columns] & ~row_arrived[r*Columns +: Columns]) != '0) row_missing[r*Columns +: Columns] = '1;
        column_missing |= active_i[r*Columns +: Columns] & ~column_arrived[r*Columns +: Columns];
      end
      row_arrived    &= active_i & ~row_missing;
      column_arrived &= active_i & ~{Rows{column_missing}};
      all_arrived    &= active_i;
      if (all_arrived != active_i) all_arrived = '0;
      release_d = {all_arrived, column_arrived, row_arrived};
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) release_q <= '0;
    else if (arrive_i != '0 || release_q != '0) release_q <= release_d;
  end

endmodule
