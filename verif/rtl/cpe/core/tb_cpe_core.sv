// SPDX-License-Identifier: Apache-2.0
// The core behind a clock gate, as in its group.
module tb_cpe_core #(
  parameter bit Serial = 1'b0
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             run_i,    // the clock's enable
  input  logic [31:0]      boot_pc_i,
  input  cpe_pkg::id_t     id_i,
  input  logic [31:0]      config_i,
  input  logic             halt_i,
  output logic             fetch_valid_o,
  output logic [25:0]      fetch_line_o,
  input  logic             refill_valid_i,
  input  cpe_isa_pkg::cause_t  refill_cause_i,
  input  logic [511:0]     refill_data_i,
  input  logic             invalidate_i,
  output logic             ldm_valid_o,
  input  logic             ldm_ready_i,
  output logic             ldm_write_o,
  output logic [16:2]      ldm_addr_o,
  output logic [31:0]      ldm_wdata_o,
  output logic [3:0]       ldm_strb_o,
  input  logic [31:0]      ldm_rdata_i,
  output logic             win_valid_o,
  output logic             win_write_o,
  output logic [31:0]      win_addr_o,
  output logic [1:0]       win_size_o,
  output logic [31:0]      win_wdata_o,
  input  logic             win_done_i,
  input  logic [31:0]      win_rdata_i,
  input  cpe_isa_pkg::cause_t  win_cause_i,
  input  logic [15:0]      win_segment_i,
  input  logic [47:0]      win_offset_i,
  output logic [63:0]      win_pointer_o,
  output logic             issue_valid_o,
  output cpe_pkg::issue_t  issue_o,
  input  logic             issue_ready_i,
  input  logic [31:0]      issue_rdata_i,
  input  logic             issue_bad_i,
  input  logic [31:0]      launch_mask_i,
  input  logic [15:0]      argument_segment_i,
  output logic             fault_valid_o,
  output cpe_pkg::fault_t  fault_o,
  output logic             waiting_o,
  output logic             halted_o,
  output logic [31:0]      pc_o,
  input  logic [3:0]       counter_select_i,
  output logic [31:0]      counter_o,
  output logic             rvfi_valid,
  output logic             rvfi_trap,
  output logic [31:0]      rvfi_insn,
  output logic [31:0]      rvfi_pc,
  output logic [31:0]      rvfi_next_pc,
  output logic [4:0]       rvfi_rd,
  output logic [31:0]      rvfi_rd_wdata,
  output logic [31:0]      rvfi_mem_addr,
  output logic [3:0]       rvfi_mem_rmask,
  output logic [3:0]       rvfi_mem_wmask,
  output logic [31:0]      rvfi_mem_rdata,
  output logic [31:0]      rvfi_mem_wdata
);

  logic clk;
  clock_gate u_gate (.clk_i, .en_i(run_i), .clk_o(clk));
`ifdef NETLIST  // without parameters
  cpe_core u_core (.clk_i(clk), .awake_i(1'b1), .waited_i('0), .*);
`else
  cpe_core #(.Serial(Serial)) u_core (.clk_i(clk), .awake_i(1'b1), .waited_i('0), .*);
`endif

endmodule
