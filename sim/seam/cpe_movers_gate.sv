// SPDX-License-Identifier: Apache-2.0
// The door of what moves data (rtl/cpe/cpe_movers_gate.sv) as a model of a CPE has it: copies, as in cpe_unit_gate.sv beside this.
//
// Data from outside of the CPE may be other ones although nothing differs: C++ (tile.cpp) has copies made whenever there are some.
module cpe_movers_gate (
  input  logic                   clk_i,
  input  logic                   en_i,
  output logic                   clk_o,

  input  logic                   rst_ni,
  output logic                   rst_no,
  input  logic                   halt_i,
  output logic                   halt_o,
  input  logic [3:0]             issue_valid_i,
  output logic [3:0]             issue_valid_o,
  input  logic                   mem_ready_i,
  output logic                   mem_ready_o,
  input  logic                   rsp_valid_i,
  output logic                   rsp_valid_o,
  input  logic                   line_ready_i,
  output logic                   line_ready_o,
  input  logic [3:0]             ready_i,
  output logic [3:0]             ready_o,
  input  logic [3:0]             bus_i,
  output logic [3:0]             bus_o,
  input  cpe_pkg::issue_t        issue_i,
  output cpe_pkg::issue_t        issue_o,
  input  logic [7:0]             row_participants_i,
  output logic [7:0]             row_participants_o,
  input  logic [7:0]             column_participants_i,
  output logic [7:0]             column_participants_o,
  input  cpe_pkg::mem_rsp_t      rsp_i,
  output cpe_pkg::mem_rsp_t      rsp_o,
  input  logic [511:0]           line_rdata_i,
  output logic [511:0]           line_rdata_o,
  input  logic [255:0]           row_rdata_i,
  output logic [255:0]           row_rdata_o,
  input  logic [255:0]           column_rdata_i,
  output logic [255:0]           column_rdata_o,
  input  logic [255:0]           row_receive_data_i,
  output logic [255:0]           row_receive_data_o,
  input  logic [255:0]           column_receive_data_i,
  output logic [255:0]           column_receive_data_o
);

  logic needed /* verilator public_flat_rd */;
  logic differs /* verilator public_flat_rd */;
  logic clk /* verilator public_flat_rw */;

  logic open_q, edge_q, copied_q;
  logic line_read_q, row_read_q, column_read_q;

  assign needed = en_i;
  assign clk_o  = clk;

  always_comb begin
    differs = 1'b0;
    if (en_i || open_q) begin
      differs = edge_q != copied_q
             || {rst_ni, halt_i, issue_valid_i, mem_ready_i, rsp_valid_i, line_ready_i, ready_i, bus_i}
             != {rst_no, halt_o, issue_valid_o, mem_ready_o, rsp_valid_o, line_ready_o, ready_o, bus_o};
    end
  end

  always_ff @(posedge clk_i) begin
    open_q <= en_i;
    if (en_i) begin
      edge_q        <= !copied_q;
      line_read_q   <= line_ready_i;
      row_read_q    <= ready_i[0];
      column_read_q <= ready_i[2];
    end
  end

  always_ff @(posedge cpe_tile_top.copy) begin
    if (en_i || open_q) begin
      copied_q <= edge_q;
      rst_no   <= rst_ni;
      halt_o <= halt_i;
      issue_valid_o <= issue_valid_i;
      mem_ready_o <= mem_ready_i;
      rsp_valid_o <= rsp_valid_i;
      line_ready_o <= line_ready_i;
      ready_o <= ready_i;
      bus_o <= bus_i;
      if (issue_valid_i != '0) begin
        issue_o               <= issue_i;
        row_participants_o    <= row_participants_i;
        column_participants_o <= column_participants_i;
      end
      if (rsp_valid_i) rsp_o <= rsp_i;
      if (line_read_q) line_rdata_o <= line_rdata_i;
      if (row_read_q) row_rdata_o <= row_rdata_i;
      if (column_read_q) column_rdata_o <= column_rdata_i;
      if (bus_i[0]) row_receive_data_o <= row_receive_data_i;
      if (bus_i[2]) column_receive_data_o <= column_receive_data_i;
    end
  end

endmodule
