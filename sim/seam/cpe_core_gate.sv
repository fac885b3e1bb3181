// SPDX-License-Identifier: Apache-2.0
// The door of the scalar core (rtl/cpe/core/cpe_core_gate.sv) as a model of a CPE has it, with a copy as in cpe_unit_gate.sv beside this. The
// local memory is almost always ready: so rarely is there another copy to be made.
module cpe_core_gate (
  input  logic clk_i,
  input  logic en_i,
  output logic clk_o,
  input  logic ldm_valid_i,
  input  logic ldm_ready_i,
  output logic ldm_ready_o
);

  logic needed /* verilator public_flat_rd */;
  logic differs /* verilator public_flat_rd */;
  logic clk /* verilator public_flat_rw */;

  assign needed  = en_i;
  assign clk_o   = clk;
  assign differs = ldm_valid_i && ldm_ready_i != ldm_ready_o;

  always_ff @(posedge cpe_tile_top.copy) begin
    if (differs) ldm_ready_o <= ldm_ready_i;
  end

  logic unused;
  assign unused = clk_i;

endmodule
