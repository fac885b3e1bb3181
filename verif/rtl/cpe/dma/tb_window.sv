// SPDX-License-Identifier: Apache-2.0
// The scalar window of a CPE; core and group are the testbench's.
module tb_window (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              halt_i,

  input  logic              win_valid_i,
  output logic              win_done_o,
  input  logic              win_write_i,
  input  logic [31:0]       win_addr_i,
  input  logic [1:0]        win_size_i,
  input  logic [31:0]       win_wdata_i,
  output logic [31:0]       win_rdata_o,
  output cpe_isa_pkg::cause_t   win_cause_o,
  output logic [15:0]       win_segment_o,
  output logic [47:0]       win_offset_o,

  input  logic [63:0]       pointer_i,
  input  logic [15:0]       daemon_segment_i,
  input  logic [15:0]       code_segment_i,
  input  logic [15:0]       argument_segment_i,

  output logic              mem_valid_o,
  input  logic              mem_ready_i,
  output cpe_pkg::mem_req_t mem_o,
  input  logic              rsp_valid_i,
  input  cpe_pkg::mem_rsp_t rsp_i,

  output logic              quiet_o
);

  cpe_window u_window (.*);

endmodule
