// SPDX-License-Identifier: Apache-2.0
// The arithmetic units of a CPE, systolic and vector, with the arithmetic that their small siblings share. Ports as of cpe_systolic and
// cpe_vector; sx to sd and va to vd are their ports of local memory.
module cpe_units #(
  parameter int unsigned VectorLanes  = 8,
  parameter int unsigned SpecialLanes = 4,
  parameter bit          Sparse       = 1'b1,
  parameter bit          Serial       = 1'b0
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 halt_i,

  input  cpe_pkg::issue_t      issue_i,
  input  logic                 issue_systolic_i,
  output logic                 systolic_ready_o,
  output logic                 systolic_bad_o,
  output logic [31:0]          systolic_rdata_o,
  input  logic                 issue_vector_i,
  output logic                 vector_ready_o,
  output logic                 vector_bad_o,
  output logic [31:0]          vector_rdata_o,

  output cpe_ldm_pkg::read_t   sx_o,              // activations
  input  logic                 sx_ready_i,
  input  logic [255:0]         sx_rdata_i,
  output cpe_ldm_pkg::read_t   sw_o,              // weights
  input  logic                 sw_ready_i,
  input  logic [255:0]         sw_rdata_i,
  output cpe_ldm_pkg::access_t sd_o,              // the drain
  input  logic                 sd_ready_i,
  input  logic [255:0]         sd_rdata_i,
  output cpe_ldm_pkg::read_t   va_o,              // operands
  input  logic                 va_ready_i,
  input  logic [255:0]         va_rdata_i,
  output cpe_ldm_pkg::read_t   vb_o,
  input  logic                 vb_ready_i,
  input  logic [255:0]         vb_rdata_i,
  output cpe_ldm_pkg::read_t   vc_o,
  input  logic                 vc_ready_i,
  input  logic [255:0]         vc_rdata_i,
  output cpe_ldm_pkg::access_t vd_o,              // results
  input  logic                 vd_ready_i,

  output logic                 fault_valid_o,
  output cpe_pkg::fault_t      fault_o,
  output logic                 busy_o,
  output logic                 awake_o,
  output logic                 event_systolic_row_o,
  output logic [2:0]           event_systolic_wait_o,
  output logic                 event_vector_group_o,
  output logic [1:0]           event_vector_wait_o
);

  logic            systolic_busy, vector_busy, systolic_awake, vector_awake, systolic_fault_valid, vector_fault_valid;
  cpe_pkg::fault_t systolic_fault, vector_fault;

  fp32_serial_pkg::request_t systolic_math, vector_math;
  logic [31:0]               systolic_operand, vector_operand;
  logic [1:0]                math_which;
  fp32_serial_pkg::answer_t  systolic_answer, vector_answer;

  assign busy_o        = systolic_busy || vector_busy;
  assign awake_o       = systolic_awake || vector_awake;
  assign fault_valid_o = systolic_fault_valid || vector_fault_valid;
  always_comb begin
    fault_o = '0;
    if (Serial || fault_valid_o) fault_o = systolic_fault_valid ? systolic_fault : vector_fault;
  end

  cpe_systolic #(
    .Sparse(Sparse),
    .Serial(Serial)
  ) u_systolic (
    .clk_i,
    .rst_ni,
    .halt_i,
    .issue_valid_i (issue_systolic_i),
    .issue_i,
    .issue_ready_o (systolic_ready_o),
    .issue_rdata_o (systolic_rdata_o),
    .issue_bad_o   (systolic_bad_o),
    .x_valid_o     (sx_o.valid),
    .x_ready_i     (sx_ready_i),
    .x_addr_o      (sx_o.addr),
    .x_rdata_i     (sx_rdata_i),
    .w_valid_o     (sw_o.valid),
    .w_ready_i     (sw_ready_i),
    .w_addr_o      (sw_o.addr),
    .w_rdata_i     (sw_rdata_i),
    .d_valid_o     (sd_o.valid),
    .d_ready_i     (sd_ready_i),
    .d_write_o     (sd_o.write),
    .d_addr_o      (sd_o.addr),
    .d_wdata_o     (sd_o.wdata),
    .d_strb_o      (sd_o.strb),
    .d_rdata_i     (sd_rdata_i),
    .fault_valid_o (systolic_fault_valid),
    .fault_o       (systolic_fault),
    .busy_o        (systolic_busy),
    .awake_o       (systolic_awake),
    .event_row_o   (event_systolic_row_o),
    .event_wait_o  (event_systolic_wait_o),
    .math_o        (systolic_math),
    .math_operand_o(systolic_operand),
    .math_which_i  (math_which),
    .math_i        (systolic_answer)
  );

  cpe_vector #(
    .Lanes       (Serial ? 0 : VectorLanes),
    .SpecialLanes(SpecialLanes)
  ) u_vector (
    .clk_i,
    .rst_ni,
    .halt_i,
    .issue_valid_i        (issue_vector_i),
    .issue_i,
    .issue_ready_o        (vector_ready_o),
    .issue_rdata_o        (vector_rdata_o),
    .issue_bad_o          (vector_bad_o),
    .a_valid_o            (va_o.valid),
    .a_ready_i            (va_ready_i),
    .a_addr_o             (va_o.addr),
    .a_rdata_i            (va_rdata_i),
    .b_valid_o            (vb_o.valid),
    .b_ready_i            (vb_ready_i),
    .b_addr_o             (vb_o.addr),
    .b_rdata_i            (vb_rdata_i),
    .c_valid_o            (vc_o.valid),
    .c_ready_i            (vc_ready_i),
    .c_addr_o             (vc_o.addr),
    .c_rdata_i            (vc_rdata_i),
    .d_valid_o            (vd_o.valid),
    .d_ready_i            (vd_ready_i),
    .d_write_o            (vd_o.write),
    .d_addr_o             (vd_o.addr),
    .d_wdata_o            (vd_o.wdata),
    .d_strb_o             (vd_o.strb),
    .fault_valid_o        (vector_fault_valid),
    .fault_o              (vector_fault),
    .busy_o               (vector_busy),
    .awake_o              (vector_awake),
    .event_group_o        (event_vector_group_o),
    .event_wait_operands_o(event_vector_wait_o[0]),
    .event_wait_store_o   (event_vector_wait_o[1]),
    .math_o               (vector_math),
    .math_operand_o       (vector_operand),
    .math_which_i         (math_which),
    .math_i               (vector_answer)
  );

  if (Serial) begin : g_math
    cpe_math u_math (
      .clk_i,
      .which_o         (math_which),
      .vector_i        (vector_math),
      .vector_operand_i(vector_operand),
      .vector_o        (vector_answer),
      .drain_i         (systolic_math),
      .drain_operand_i (systolic_operand),
      .drain_o         (systolic_answer)
    );
  end else begin : g_no_math
    assign {math_which, vector_answer, systolic_answer} = '0;

    logic unused;
    assign unused = ^{vector_math, vector_operand, systolic_math, systolic_operand};
  end

`ifndef SYNTHESIS
  // Nothing between what sleeps and the arbiter would keep it from asking for local memory.
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (systolic_awake || {sd_o.valid, sw_o.valid, sx_o.valid} == '0) else $error("the systolic unit sleeps, and asks");
      assert (vector_awake || {vd_o.valid, vc_o.valid, vb_o.valid, va_o.valid} == '0) else $error("the vector unit sleeps, and asks");
    end
  end
`endif

endmodule
