// SPDX-License-Identifier: Apache-2.0
// A delay of a fixed number of cycles for items that come now and then: only their valid bits move.
module hbm_delay #(
  parameter int unsigned Width  = 8,
  parameter int unsigned Cycles = 4   // at least 2
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             valid_i,
  input  logic [Width-1:0] data_i,
  output logic             valid_o,
  output logic [Width-1:0] data_o
);

  localparam int unsigned Places   = Cycles + 1;
  localparam int unsigned PtrWidth = $clog2(Places);

  logic [Cycles-1:0]   valid_q;
  logic [PtrWidth-1:0] write_q, read_q;
  logic [Width-1:0]    mem_q [Places];

  assign valid_o = valid_q[Cycles-1];
  assign data_o  = mem_q[read_q];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= '0;
      write_q <= '0;
      read_q  <= '0;
    end else begin
      if (valid_i || valid_q != '0) valid_q <= {valid_q[Cycles-2:0], valid_i};
      if (valid_i) write_q <= write_q == PtrWidth'(Places - 1) ? '0 : write_q + 1'b1;
      if (valid_o) read_q <= read_q == PtrWidth'(Places - 1) ? '0 : read_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) mem_q[write_q] <= data_i;
  end

endmodule
