// SPDX-License-Identifier: Apache-2.0
// The door of the scalar core: its clock, and what the local memory tells it.
//
// en_i: the core needs the coming edge; from registers, the units' answers and inputs of the CPE.
// Simulators with a model for each CPE have another module in place of this one (sim/seam).
module cpe_core_gate (
  input  logic clk_i,
  input  logic en_i,
  output logic clk_o,
  input  logic ldm_valid_i,
  input  logic ldm_ready_i,
  output logic ldm_ready_o
);

  clock_gate u_gate (
    .clk_i,
    .en_i,
    .clk_o
  );

  assign ldm_ready_o = ldm_ready_i;

  logic unused;
  assign unused = ldm_valid_i;

endmodule
