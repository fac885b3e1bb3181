// SPDX-License-Identifier: Apache-2.0
// The DMA engine of a CPE with its local memory, where others are at work, too. The group is the testbench's.
module tb_dma #(
  parameter bit Serial = 1'b0
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              halt_i,
  input  logic              ends_i,

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

  // The line port, to look at; line_go_i low makes reads wait
  input  logic              line_go_i,
  output logic              line_we_o,
  output logic [16:0]       line_waddr_o,
  output logic [6:0]        line_wbytes_o,
  output logic [511:0]      line_wdata_o,
  output logic              line_re_o,
  output logic              line_re_ready_o,
  output logic [16:0]       line_raddr_o,
  output logic [6:0]        line_rbytes_o,

  // Others that read
  input  logic [1:0]        e_valid_i,
  output logic [1:0]        e_ready_o,
  input  logic [23:0]       e_addr_i,

  input  logic              a_valid_i,
  output logic              a_ready_o,
  input  logic              a_write_i,
  input  logic [16:3]       a_addr_i,
  input  logic [63:0]       a_wdata_i,
  output logic [63:0]       a_rdata_o,

  output logic              fault_valid_o,
  output cpe_pkg::fault_t   fault_o,
  output logic              busy_o,
  output logic              foreground_o,
  output logic              quiet_o,
  output logic [6:0]        event_bytes_o
);

  logic         ldm_ready;
  logic [511:0] line_rdata;

  assign line_re_ready_o = ldm_ready && line_go_i;

  if (Serial) begin : g_serial
    cpe_dma_serial u_dma (
      .clk_i,
      .rst_ni,
      .halt_i,
      .ends_i,
      .issue_valid_i,
      .issue_i,
      .issue_ready_o,
      .issue_rdata_o,
      .issue_bad_o,
      .mem_valid_o,
      .mem_ready_i,
      .mem_o,
      .rsp_valid_i,
      .rsp_i,
      .line_we_o,
      .line_waddr_o,
      .line_wbytes_o,
      .line_wdata_o,
      .line_re_o,
      .line_re_ready_i(line_re_ready_o),
      .line_raddr_o,
      .line_rbytes_o,
      .line_rdata_i(line_rdata),
      .fault_valid_o,
      .fault_o,
      .busy_o,
      .foreground_o,
      .quiet_o,
      .event_bytes_o
    );
  end else begin : g_dma
    cpe_dma u_dma (
      .clk_i,
      .rst_ni,
      .halt_i,
      .ends_i,
      .issue_valid_i,
      .issue_i,
      .issue_ready_o,
      .issue_rdata_o,
      .issue_bad_o,
      .mem_valid_o,
      .mem_ready_i,
      .mem_o,
      .rsp_valid_i,
      .rsp_i,
      .line_we_o,
      .line_waddr_o,
      .line_wbytes_o,
      .line_wdata_o,
      .line_re_o,
      .line_re_ready_i(line_re_ready_o),
      .line_raddr_o,
      .line_rbytes_o,
      .line_rdata_i(line_rdata),
      .fault_valid_o,
      .fault_o,
      .busy_o,
      .foreground_o,
      .quiet_o,
      .event_bytes_o
    );
  end

  cpe_ldm #(.Engines(2)) u_ldm (
    .clk_i,
    .rst_ni,
    .line_we_i(line_we_o),
    .line_waddr_i(line_waddr_o),
    .line_wbytes_i(line_wbytes_o),
    .line_wdata_i(line_wdata_o),
    .line_re_i(line_re_o && line_go_i),
    .line_re_ready_o(ldm_ready),
    .line_raddr_i(line_raddr_o),
    .line_rbytes_i(line_rbytes_o),
    .line_rdata_o(line_rdata),
    .s_valid_i(1'b0),
    .s_ready_o(),
    .s_write_i(1'b0),
    .s_addr_i('0),
    .s_wdata_i('0),
    .s_strb_i('0),
    .s_rdata_o(),
    .e_valid_i,
    .e_ready_o,
    .e_write_i('0),
    .e_addr_i({20'd0, e_addr_i[23:12], 20'd0, e_addr_i[11:0]}),
    .e_wdata_i('0),
    .e_strb_i('0),
    .e_rdata_o(),
    .a_valid_i,
    .a_ready_o,
    .a_write_i,
    .a_addr_i,
    .a_wdata_i,
    .a_strb_i('1),
    .a_rdata_o,
    .clear_i(1'b0),
    .clearing_o(),
    .busy_o(),
    .event_conflict_o()
  );

endmodule
