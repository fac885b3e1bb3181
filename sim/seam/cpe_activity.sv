// SPDX-License-Identifier: Apache-2.0
// What a CPE does, for traces: bound into rtl/cpe/cpe.sv in simulators, where it drives nothing. Only while `CPE_ACTIVITY_WANTED is
// high, a signal of the simulator's top, is anything evaluated here. activity.hpp explains both words.
module cpe_activity (
  input  logic             wanted_i,
  output logic [9:0]       activity_o /* verilator public_flat_rd */,  // {vector, systolic, column, row, DMA at work; state; idle}
  output logic [15*32-1:0] counts_o /* verilator public_flat_rd */     // counters of the core and of the engines
);

  localparam logic [3:0] Runs = 0, Barrier = 1, Dma = 2, Row = 3, Column = 4, Systolic = 5, Vector = 6, Last = 7, Stopped = 8;

  // What the core waits for with its command.
  function automatic logic [3:0] waits(logic valid, logic ready, logic [3:0] target, logic [6:0] op);
    if (!valid || ready) return Runs;
    case (target)
      cpe_isa_pkg::UnitDma:      return Dma;
      cpe_isa_pkg::UnitRow:      return Row;
      cpe_isa_pkg::UnitColumn:   return Column;
      cpe_isa_pkg::UnitSystolic: return Systolic;
      cpe_isa_pkg::UnitVector:   return Vector;
      default: return op == cpe_isa_pkg::ControlSync ? Barrier : op == cpe_isa_pkg::ControlDone ? Last : Runs;
    endcase
  endfunction

  /* verilator lint_off LATCH */
  always_latch if (wanted_i) begin
    activity_o = {cpe.u_engines.u_units.vector_busy, cpe.u_engines.u_units.systolic_busy, cpe.u_engines.u_movers.column_busy,
                  cpe.u_engines.u_movers.row_busy, cpe.u_engines.dma_busy,
                  cpe.fault_valid_o || cpe.core_halted ? Stopped
                                                      : waits(cpe.issue_valid, cpe.issue_ready, cpe.issue.target, cpe.issue.op),
                  cpe.finished_o};
    counts_o = {cpe.u_engines.g_counters.u_counters.column_q,
                cpe.u_engines.g_counters.u_counters.row_q,
                cpe.u_engines.g_counters.u_counters.dma_lines_q,
                cpe.u_engines.g_counters.u_counters.stores_q,
                cpe.u_engines.g_counters.u_counters.operands_q,
                cpe.u_engines.g_counters.u_counters.groups_q,
                cpe.u_engines.g_counters.u_counters.drain_q,
                cpe.u_engines.g_counters.u_counters.activations_q,
                cpe.u_engines.g_counters.u_counters.weights_q,
                cpe.u_engines.g_counters.u_counters.rows_q,
                cpe.u_scalar.u_core.u_csr.arithmetic_q,
                cpe.u_scalar.u_core.u_csr.window_q,
                cpe.u_scalar.u_core.u_csr.ldm_q,
                cpe.u_scalar.u_core.u_csr.code_q,
                cpe.u_scalar.u_core.u_csr.retired_q[31:0]};
  end
  /* verilator lint_on LATCH */

endmodule

bind cpe cpe_activity u_activity (
  .wanted_i  (`CPE_ACTIVITY_WANTED),
  .activity_o(),
  .counts_o  ()
);
