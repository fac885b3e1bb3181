// SPDX-License-Identifier: Apache-2.0
// The vector unit of a CPE at the real local memory, whose line port and access port the testbench has.
module tb_vector_ldm #(
  parameter int unsigned Engines = 11  // as many as a CPE has; the others are idle
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            halt_i,

  input  logic            issue_valid_i,
  input  cpe_pkg::issue_t issue_i,
  output logic            issue_ready_o,
  output logic [31:0]     issue_rdata_o,
  output logic            issue_bad_o,

  input  logic            line_we_i,
  input  logic [16:0]     line_waddr_i,
  input  logic [511:0]    line_wdata_i,
  input  logic            a_valid_i,
  output logic            a_ready_o,
  input  logic [16:3]     a_addr_i,
  output logic [63:0]     a_rdata_o,

  output logic            fault_valid_o,
  output cpe_pkg::fault_t fault_o,
  output logic            busy_o,
  output logic            event_group_o,
  output logic            event_wait_operands_o,
  output logic            event_wait_store_o,
  output logic            event_conflict_o
);

  logic [3:0]   valid, ready;
  logic         write;
  logic [47:0]  addr;
  logic [255:0] wdata;
  logic [31:0]  strb;

  logic [Engines-1:0]     engine_ready;
  logic [256*Engines-1:0] engine_rdata;

  assign ready = engine_ready[3:0];

  tb_vector u_vector (
    .clk_i,
    .rst_ni,
    .halt_i,
    .issue_valid_i,
    .issue_i,
    .issue_ready_o,
    .issue_rdata_o,
    .issue_bad_o,
    .valid_o(valid),
    .ready_i(ready),
    .addr_o(addr),
    .rdata_i(engine_rdata[767:0]),
    .write_o(write),
    .wdata_o(wdata),
    .strb_o(strb),
    .fault_valid_o,
    .fault_o,
    .busy_o,
    .event_group_o,
    .event_wait_operands_o,
    .event_wait_store_o
  );

  cpe_ldm #(.Engines(Engines)) u_ldm (
    .clk_i,
    .rst_ni,
    .line_we_i,
    .line_waddr_i,
    .line_wbytes_i(7'd64),
    .line_wdata_i,
    .line_re_i(1'b0),
    .line_re_ready_o(),
    .line_raddr_i('0),
    .line_rbytes_i(7'd64),
    .line_rdata_o(),
    .s_valid_i(1'b0),
    .s_ready_o(),
    .s_write_i(1'b0),
    .s_addr_i('0),
    .s_wdata_i('0),
    .s_strb_i('0),
    .s_rdata_o(),
    .e_valid_i({{Engines-4{1'b0}}, valid}),
    .e_ready_o(engine_ready),
    .e_write_i({{Engines-4{1'b0}}, write, 3'b000}),
    .e_addr_i({{32*(Engines-4){1'b0}}, 20'd0, addr[47:36], 20'd0, addr[35:24], 20'd0, addr[23:12], 20'd0, addr[11:0]}),
    .e_wdata_i({{256*(Engines-4){1'b0}}, wdata, 768'd0}),
    .e_strb_i({{32*(Engines-4){1'b0}}, strb, 96'd0}),
    .e_rdata_o(engine_rdata),
    .a_valid_i,
    .a_ready_o,
    .a_write_i(1'b0),
    .a_addr_i,
    .a_wdata_i('0),
    .a_strb_i('0),
    .a_rdata_o,
    .clear_i(1'b0),
    .clearing_o(),
    .busy_o(),
    .event_conflict_o
  );

endmodule
