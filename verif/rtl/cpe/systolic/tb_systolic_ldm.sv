// SPDX-License-Identifier: Apache-2.0
// The systolic unit at a local memory with as many engines as a CPE's has. It has the first three ports; the others want words of
// their own all the time, when told so. The access port fills the memory.
module tb_systolic_ldm #(
  parameter int unsigned Engines = 11
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic              issue_valid_i,
  input  logic [6:0]        issue_op_i,
  input  logic [31:0]       issue_rs1_i,
  input  logic [31:0]       issue_rs2_i,
  output logic              issue_ready_o,
  output logic [31:0]       issue_rdata_o,
  output logic              issue_bad_o,

  input  logic [Engines-4:0] other_valid_i,
  input  logic [11:0]       other_addr_i,

  input  logic              a_valid_i,
  output logic              a_ready_o,
  input  logic              a_write_i,
  input  logic [16:3]       a_addr_i,
  input  logic [63:0]       a_wdata_i,
  output logic [63:0]       a_rdata_o,

  output logic              fault_valid_o,
  output logic              busy_o,
  output logic              event_row_o,
  output logic              event_wait_weights_o,
  output logic              event_wait_activations_o,
  output logic              event_wait_drain_o
);

  cpe_pkg::issue_t issue;
  cpe_pkg::fault_t fault;
  logic            x_valid, w_valid, d_valid, d_write;
  logic [11:0]     x_addr, w_addr, d_addr;
  logic [255:0]    d_wdata;
  logic [31:0]     d_strb;

  logic [Engines-1:0]     e_ready;
  logic [256*Engines-1:0] e_rdata;

  always_comb begin
    issue.target = cpe_isa_pkg::UnitSystolic;
    issue.op     = issue_op_i;
    issue.rs1    = issue_rs1_i;
    issue.rs2    = issue_rs2_i;
    issue.pc     = '0;
  end

  cpe_systolic u_systolic (
    .clk_i,
    .rst_ni,
    .halt_i(1'b0),
    .issue_valid_i,
    .issue_i(issue),
    .issue_ready_o,
    .issue_rdata_o,
    .issue_bad_o,
    .x_valid_o(x_valid),
    .x_ready_i(e_ready[0]),
    .x_addr_o(x_addr),
    .x_rdata_i(e_rdata[0 +: 256]),
    .w_valid_o(w_valid),
    .w_ready_i(e_ready[1]),
    .w_addr_o(w_addr),
    .w_rdata_i(e_rdata[256 +: 256]),
    .d_valid_o(d_valid),
    .d_ready_i(e_ready[2]),
    .d_write_o(d_write),
    .d_addr_o(d_addr),
    .d_wdata_o(d_wdata),
    .d_strb_o(d_strb),
    .d_rdata_i(e_rdata[512 +: 256]),
    .fault_valid_o,
    .fault_o(fault),
    .busy_o,
    .awake_o(),
    .event_row_o,
    .event_wait_o({event_wait_drain_o, event_wait_activations_o, event_wait_weights_o}),
    .math_o(),
    .math_operand_o(),
    .math_which_i('0),
    .math_i('0)
  );

  cpe_ldm #(.Engines(Engines)) u_ldm (
    .clk_i,
    .rst_ni,
    .line_we_i(1'b0),
    .line_waddr_i('0),
    .line_wbytes_i('0),
    .line_wdata_i('0),
    .line_re_i(1'b0),
    .line_re_ready_o(),
    .line_raddr_i('0),
    .line_rbytes_i('0),
    .line_rdata_o(),
    .s_valid_i(1'b0),
    .s_ready_o(),
    .s_write_i(1'b0),
    .s_addr_i('0),
    .s_wdata_i('0),
    .s_strb_i('0),
    .s_rdata_o(),
    .e_valid_i({other_valid_i, d_valid, w_valid, x_valid}),
    .e_ready_o(e_ready),
    .e_write_i({{Engines-3{1'b0}}, d_write, 2'b00}),
    .e_addr_i({{Engines-3{20'd0, other_addr_i}}, 20'd0, d_addr, 20'd0, w_addr, 20'd0, x_addr}),
    .e_wdata_i({{256*(Engines-3){1'b0}}, d_wdata, 512'd0}),
    .e_strb_i({{32*(Engines-3){1'b0}}, d_strb, 64'd0}),
    .e_rdata_o(e_rdata),
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
