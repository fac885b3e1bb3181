// SPDX-License-Identifier: Apache-2.0
// Tells C++ of every instruction that a CPE retires, or faults at. Bound to each scalar core: it looks and drives nothing.
module cpe_trace (
  input logic         clk_i,
  input cpe_pkg::id_t id_i,
  input logic         rvfi_valid,
  input logic         rvfi_trap,
  input logic [31:0]  rvfi_insn,
  input logic [31:0]  rvfi_pc,
  input logic [31:0]  rvfi_next_pc,
  input logic [4:0]   rvfi_rd,
  input logic [31:0]  rvfi_rd_wdata,
  input logic [31:0]  rvfi_mem_addr,
  input logic [3:0]   rvfi_mem_rmask,
  input logic [3:0]   rvfi_mem_wmask,
  input logic [31:0]  rvfi_mem_rdata,
  input logic [31:0]  rvfi_mem_wdata
);

  import "DPI-C" function void group_sim_retired(input int unsigned id, input bit trap, input int unsigned insn, input int unsigned pc,
                                                 input int unsigned next_pc, input int unsigned rd, input int unsigned rd_wdata,
                                                 input int unsigned mem_addr, input int unsigned masks, input int unsigned mem_rdata,
                                                 input int unsigned mem_wdata);

  always_ff @(posedge clk_i) begin
    if (rvfi_valid) begin
      group_sim_retired({25'b0, id_i}, rvfi_trap, rvfi_insn, rvfi_pc, rvfi_next_pc, {27'b0, rvfi_rd}, rvfi_rd_wdata, rvfi_mem_addr,
                        {24'b0, rvfi_mem_wmask, rvfi_mem_rmask}, rvfi_mem_rdata, rvfi_mem_wdata);
    end
  end

endmodule

bind cpe_core cpe_trace u_trace (.*);
