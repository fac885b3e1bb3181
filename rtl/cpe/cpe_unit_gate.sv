// SPDX-License-Identifier: Apache-2.0
// The door of an arithmetic unit: its clock, everything that comes in, and what the core hears of it. While the unit has nothing to do,
// its clock stands still and nothing in it moves with what goes on outside.
//
// en_i: the unit needs the coming edge; from registers and the issue port.
// Ports: of the local memory; the first three read.
// Simulators with a model for each CPE have another module in place of this one (sim/seam).
module cpe_unit_gate #(
  parameter int unsigned Ports = 3
) (
  input  logic                 clk_i,
  input  logic                 en_i,
  output logic                 clk_o,

  input  logic                 rst_ni,
  output logic                 rst_no,
  input  logic                 halt_i,
  output logic                 halt_o,
  input  logic                 issue_valid_i,
  output logic                 issue_valid_o,
  input  cpe_pkg::issue_t      issue_i,
  output cpe_pkg::issue_t      issue_o,
  input  logic [Ports-1:0]     valid_i,
  input  logic [Ports-1:0]     ready_i,
  output logic [Ports-1:0]     ready_o,
  input  logic [255:0]         rdata0_i,
  output logic [255:0]         rdata0_o,
  input  logic [255:0]         rdata1_i,
  output logic [255:0]         rdata1_o,
  input  logic [255:0]         rdata2_i,
  output logic [255:0]         rdata2_o,

  // What the core hears of the unit.
  input  logic                 issue_ready_i,
  output logic                 issue_ready_o,
  input  logic                 issue_bad_i,
  output logic                 issue_bad_o,
  input  logic [31:0]          issue_rdata_i,
  output logic [31:0]          issue_rdata_o,
  input  logic                 busy_i,
  output logic                 busy_o,
  input  logic                 fault_valid_i,
  output logic                 fault_valid_o,
  input  cpe_pkg::fault_t      fault_i,
  output cpe_pkg::fault_t      fault_o
);

  clock_gate u_gate (
    .clk_i,
    .en_i,
    .clk_o
  );

  assign rst_no        = rst_ni;
  assign halt_o        = halt_i;
  assign issue_valid_o = issue_valid_i;
  assign issue_o       = issue_i;
  assign ready_o       = ready_i;
  assign rdata0_o      = rdata0_i;
  assign rdata1_o      = rdata1_i;
  assign rdata2_o      = rdata2_i;
  assign issue_ready_o = issue_ready_i;
  assign issue_bad_o   = issue_bad_i;
  assign issue_rdata_o = issue_rdata_i;
  assign busy_o        = busy_i;
  assign fault_valid_o = fault_valid_i;
  assign fault_o       = fault_i;

  logic unused;
  assign unused = ^valid_i;

endmodule
