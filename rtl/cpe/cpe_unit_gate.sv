// The door of an arithmetic unit: its clock, and everything that comes in. While the unit has nothing to do, its clock stands still
// and nothing in it moves with what goes on outside.
//
// en_i: the unit needs the coming edge; from registers and the issue port.
// Ports: of the local memory; the first three read.
// Simulators with a model for each CPE have another module in place of this one (verif/cpe/tile).
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
  input  logic [Ports-1:0]     ready_i,
  output logic [Ports-1:0]     ready_o,
  input  logic [255:0]         rdata0_i,
  output logic [255:0]         rdata0_o,
  input  logic [255:0]         rdata1_i,
  output logic [255:0]         rdata1_o,
  input  logic [255:0]         rdata2_i,
  output logic [255:0]         rdata2_o
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

endmodule
