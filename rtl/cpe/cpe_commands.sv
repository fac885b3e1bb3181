// SPDX-License-Identifier: Apache-2.0
// Which unit of a CPE a command of the core is for, and that unit's answer. A unit that is not there refuses.
module cpe_commands #(
  parameter bit Serial = 1'b0  // no gates for what the core does not look at
) (
  input  logic        valid_i,
  input  logic [3:0]  target_i,         // cpe_isa_pkg::unit_e
  output logic        to_control_o,
  output logic        to_dma_o,
  output logic        to_row_o,
  output logic        to_column_o,
  output logic        to_systolic_o,
  output logic        to_vector_o,

  input  logic        control_ready_i,
  input  logic        control_bad_i,
  input  logic [31:0] control_rdata_i,
  input  logic        dma_ready_i,
  input  logic        dma_bad_i,
  input  logic [31:0] dma_rdata_i,
  input  logic        row_ready_i,
  input  logic        row_bad_i,
  input  logic [31:0] row_rdata_i,
  input  logic        column_ready_i,
  input  logic        column_bad_i,
  input  logic [31:0] column_rdata_i,
  input  logic        systolic_ready_i,
  input  logic        systolic_bad_i,
  input  logic [31:0] systolic_rdata_i,
  input  logic        vector_ready_i,
  input  logic        vector_bad_i,
  input  logic [31:0] vector_rdata_i,

  output logic        ready_o,
  output logic        bad_o,
  output logic [31:0] rdata_o
);

  always_comb begin
    to_control_o  = 1'b0;
    to_dma_o      = 1'b0;
    to_row_o      = 1'b0;
    to_column_o   = 1'b0;
    to_systolic_o = 1'b0;
    to_vector_o   = 1'b0;
    if (valid_i) begin
      to_control_o  = target_i == cpe_isa_pkg::UnitControl;
      to_dma_o      = target_i == cpe_isa_pkg::UnitDma;
      to_row_o      = target_i == cpe_isa_pkg::UnitRow;
      to_column_o   = target_i == cpe_isa_pkg::UnitColumn;
      to_systolic_o = target_i == cpe_isa_pkg::UnitSystolic;
      to_vector_o   = target_i == cpe_isa_pkg::UnitVector;
    end
  end

  always_comb begin
    ready_o = 1'b0;
    bad_o   = 1'b0;
    rdata_o = '0;
    if (Serial || valid_i) begin
      case (target_i)
        cpe_isa_pkg::UnitControl: begin
          ready_o = control_ready_i;
          bad_o   = control_bad_i;
          rdata_o = control_rdata_i;
        end
        cpe_isa_pkg::UnitDma: begin
          ready_o = dma_ready_i;
          bad_o   = dma_bad_i;
          rdata_o = dma_rdata_i;
        end
        cpe_isa_pkg::UnitRow: begin
          ready_o = row_ready_i;
          bad_o   = row_bad_i;
          rdata_o = row_rdata_i;
        end
        cpe_isa_pkg::UnitColumn: begin
          ready_o = column_ready_i;
          bad_o   = column_bad_i;
          rdata_o = column_rdata_i;
        end
        cpe_isa_pkg::UnitSystolic: begin
          ready_o = systolic_ready_i;
          bad_o   = systolic_bad_i;
          rdata_o = systolic_rdata_i;
        end
        cpe_isa_pkg::UnitVector: begin
          ready_o = vector_ready_i;
          bad_o   = vector_bad_i;
          rdata_o = vector_rdata_i;
        end
        default: begin  // a unit that is not there
          ready_o = 1'b1;
          bad_o   = 1'b1;
          rdata_o = '0;
        end
      endcase
    end
  end

endmodule
