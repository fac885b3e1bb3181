// The DMA engine of a CPE; local memory and group are the testbench's.
module tb_dma (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              halt_i,

  input  logic              issue_valid_i,
  input  cpe_pkg::issue_t   issue_i,
  output logic              issue_ready_o,
  output logic [31:0]       issue_rdata_o,
  output logic              issue_bad_o,

  output logic              mem_valid_o,
  input  logic              mem_ready_i,
  output cpe_pkg::mem_req_t mem_o,
  input  logic              rsp_valid_i,
  input  cpe_pkg::mem_rsp_t rsp_i,

  output logic              line_we_o,
  output logic [16:0]       line_waddr_o,
  output logic [6:0]        line_wbytes_o,
  output logic [511:0]      line_wdata_o,
  output logic              line_re_o,
  input  logic              line_re_ready_i,
  output logic [16:0]       line_raddr_o,
  output logic [6:0]        line_rbytes_o,
  input  logic [511:0]      line_rdata_i,

  output logic              fault_valid_o,
  output cpe_pkg::fault_t   fault_o,
  output logic              busy_o,
  output logic              quiet_o,
  output logic [6:0]        event_bytes_o
);

  cpe_dma u_dma (.*);

endmodule
