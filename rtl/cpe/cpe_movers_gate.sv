// SPDX-License-Identifier: Apache-2.0
// The door of what moves data (cpe_movers), as cpe_unit_gate is that of an arithmetic unit: its clock, and everything that comes in.
//
// en_i: they need the coming edge; from registers and the issue port.
// issue_valid: of DMA engine, row, column; a launch ends. ready: of the local memory, to row's sender and receiver, column's. bus: row's
//   receive_valid and send_ready, column's. The data come with one of these, or in the cycle after a read was taken.
// Simulators with a model for each CPE have another module in place of this one (sim/seam).
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

  clock_gate u_gate (
    .clk_i,
    .en_i,
    .clk_o
  );

  assign rst_no                = rst_ni;
  assign halt_o                = halt_i;
  assign issue_valid_o         = issue_valid_i;
  assign mem_ready_o           = mem_ready_i;
  assign rsp_valid_o           = rsp_valid_i;
  assign line_ready_o          = line_ready_i;
  assign ready_o               = ready_i;
  assign bus_o                 = bus_i;
  assign issue_o               = issue_i;
  assign row_participants_o    = row_participants_i;
  assign column_participants_o = column_participants_i;
  assign rsp_o                 = rsp_i;
  assign line_rdata_o          = line_rdata_i;
  assign row_rdata_o           = row_rdata_i;
  assign column_rdata_o        = column_rdata_i;
  assign row_receive_data_o    = row_receive_data_i;
  assign column_receive_data_o = column_receive_data_i;

endmodule
