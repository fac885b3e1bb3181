// SPDX-License-Identifier: Apache-2.0
// The systolic unit of a CPE: y[m][n] = sum over k of x[m][k] * w[k][n], tile by tile, in an array of 8 x 8 multipliers that holds
// weights while rows of activations pass. docs/hardware/systolic.md tells how programs see it and how it works.
//
// What takes commands is here; what computes is cpe_systolic_pipeline, or with Serial its small and slow sibling cpe_systolic_serial,
//   which asks for everything through the drain's port.
// Orders: runs become complete in their order.
// Fault: in the order of the program. Blocks before the one that fails are stored, then fault_valid_o rises, and nothing moves any more.
// Halt: as with a fault, at once and for good; a request that is offered stays until it is taken.
// Cuts: all paths between core and memory. issue_ready_o, issue_rdata_o and issue_bad_o follow issue_i in the same cycle. x_valid_o,
//   w_valid_o and d_valid_o do not follow a ready.
module cpe_systolic #(
  parameter bit Sparse = 1'b1,  // else runs with sparse weights are refused
  parameter bit Serial = 1'b0
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            halt_i,

  input  logic            issue_valid_i,
  input  cpe_pkg::issue_t issue_i,
  output logic            issue_ready_o,
  output logic [31:0]     issue_rdata_o,
  output logic            issue_bad_o,

  output logic            x_valid_o,       // activations
  input  logic            x_ready_i,
  output logic [16:5]     x_addr_o,
  input  logic [255:0]    x_rdata_i,       // from the cycle after a read was taken until the next one is

  output logic            w_valid_o,       // weights, scales, indices
  input  logic            w_ready_i,
  output logic [16:5]     w_addr_o,
  input  logic [255:0]    w_rdata_i,       // the same

  output logic            d_valid_o,       // the drain: factors and results
  input  logic            d_ready_i,
  output logic            d_write_o,
  output logic [16:5]     d_addr_o,
  output logic [255:0]    d_wdata_o,
  output logic [31:0]     d_strb_o,
  input  logic [255:0]    d_rdata_i,

  output logic            fault_valid_o,
  output cpe_pkg::fault_t fault_o,
  output logic            busy_o,          // a run is not complete
  output logic            awake_o,         // needs its clock: for some cycles longer
  output logic            event_row_o,     // a row enters the array
  output logic [2:0]      event_wait_o,

  output fp32_serial_pkg::request_t math_o,   // with Serial, to cpe_math
  output logic [31:0]            math_operand_o,
  input  logic [1:0]             math_which_i,
  input  fp32_serial_pkg::answer_t  math_i
);

  // --- The door -----------------------------------------------------------------------------------------------------

  logic            clk, rst_n, halt, issue_valid, x_ready, w_ready, d_ready;
  cpe_pkg::issue_t issue;
  logic [255:0]    x_rdata, w_rdata, d_rdata;
  logic            issue_ready, issue_bad, busy, fault_valid;
  logic [31:0]     issue_rdata;
  cpe_pkg::fault_t fault_record;

  cpe_unit_gate u_gate (
    .clk_i,
    .en_i(awake_o || issue_valid_i || !rst_ni),
    .clk_o(clk),
    .rst_ni,
    .rst_no(rst_n),
    .halt_i,
    .halt_o(halt),
    .issue_valid_i,
    .issue_valid_o(issue_valid),
    .issue_i,
    .issue_o(issue),
    .valid_i({d_valid_o, w_valid_o, x_valid_o}),
    .ready_i({d_ready_i, w_ready_i, x_ready_i}),
    .ready_o({d_ready, w_ready, x_ready}),
    .rdata0_i(x_rdata_i),
    .rdata0_o(x_rdata),
    .rdata1_i(w_rdata_i),
    .rdata1_o(w_rdata),
    .rdata2_i(d_rdata_i),
    .rdata2_o(d_rdata),
    .issue_ready_i(issue_ready),
    .issue_ready_o,
    .issue_bad_i(issue_bad),
    .issue_bad_o,
    .issue_rdata_i(issue_rdata),
    .issue_rdata_o,
    .busy_i(busy),
    .busy_o,
    .fault_valid_i(fault_valid),
    .fault_valid_o,
    .fault_i(fault_record),
    .fault_o
  );

  logic        awake;           // else nothing happens but commands: costs a simulator next to nothing
  logic        stop;            // for good
  logic        fault_write;
  logic [31:0] fault_pc;
  logic [16:0] fault_address;

  assign stop         = halt || fault_valid;
  // In the order of fault_t.
  assign fault_record = {cpe_isa_pkg::CauseCommand, fault_write ? cpe_isa_pkg::AccessWrite : cpe_isa_pkg::AccessRead, 1'b1, fault_pc,
                         cpe_isa_pkg::NoSegment, 16'd0, cpe_isa_pkg::SpaceLdm, 10'd0, 1'b1, fault_address};

  assign awake_o = awake;

  // --- Commands -----------------------------------------------------------------------------------------------------

  logic                   weights_run, feed_run, sequence_run;
  logic                   weights_take, feed_take, sequence_take;
  cpe_systolic_pkg::run_t next;
  logic                   complete;

  cpe_systolic_command #(.Sparse(Sparse)) u_command (
    .clk_i(clk),
    .rst_ni(rst_n),
    .halt_i(halt),
    .issue_valid_i(issue_valid),
    .issue_i(issue),
    .issue_ready_o(issue_ready),
    .issue_rdata_o(issue_rdata),
    .issue_bad_o(issue_bad),
    .run_o(next),
    .weights_valid_o(weights_run),
    .weights_take_i(weights_take),
    .feed_valid_o(feed_run),
    .feed_take_i(feed_take),
    .sequence_valid_o(sequence_run),
    .sequence_take_i(sequence_take),
    .complete_i(complete),
    .busy_o(busy),
    .linger_i(x_valid_o || w_valid_o || d_valid_o),
    .awake_o(awake)
  );

  // --- What computes --------------------------------------------------------------------------------------------------

  if (Serial) begin : g_serial
    cpe_systolic_serial #(.Sparse(Sparse)) u_serial (
      .clk_i(clk),
      .rst_ni(rst_n),
      .awake_i(awake),
      .stop_i(stop),
      .run_valid_i(sequence_run),
      .run_i(next),
      .complete_o(complete),
      .valid_o(d_valid_o),
      .ready_i(d_ready),
      .write_o(d_write_o),
      .addr_o(d_addr_o),
      .wdata_o(d_wdata_o),
      .strb_o(d_strb_o),
      .rdata_i(d_rdata),
      .fault_valid_o(fault_valid),
      .fault_write_o(fault_write),
      .fault_address_o(fault_address),
      .event_row_o,
      .event_wait_weights_o(event_wait_o[0]),
      .event_wait_activations_o(event_wait_o[1]),
      .event_wait_drain_o(event_wait_o[2]),
      .math_o,
      .math_operand_o,
      .math_which_i,
      .math_i
    );

    // It takes a run when it is through with it.
    assign {weights_take, feed_take, sequence_take} = {3{complete}};
    assign fault_pc              = next.pc;
    assign {x_valid_o, x_addr_o} = '0;
    assign {w_valid_o, w_addr_o} = '0;

    logic unused;
    assign unused = ^{weights_run, feed_run, x_ready, x_rdata, w_ready, w_rdata};
  end else begin : g_pipeline
    cpe_systolic_pipeline #(.Sparse(Sparse)) u_pipeline (
      .clk_i(clk),
      .rst_ni(rst_n),
      .awake_i(awake),
      .stop_i(stop),
      .run_i(next),
      .weights_valid_i(weights_run),
      .weights_take_o(weights_take),
      .feed_valid_i(feed_run),
      .feed_take_o(feed_take),
      .sequence_valid_i(sequence_run),
      .sequence_take_o(sequence_take),
      .complete_o(complete),
      .x_valid_o,
      .x_ready_i(x_ready),
      .x_addr_o,
      .x_rdata_i(x_rdata),
      .w_valid_o,
      .w_ready_i(w_ready),
      .w_addr_o,
      .w_rdata_i(w_rdata),
      .d_valid_o,
      .d_ready_i(d_ready),
      .d_write_o,
      .d_addr_o,
      .d_wdata_o,
      .d_strb_o,
      .d_rdata_i(d_rdata),
      .fault_valid_o(fault_valid),
      .fault_write_o(fault_write),
      .fault_pc_o(fault_pc),
      .fault_address_o(fault_address),
      .event_row_o,
      .event_wait_o
    );

    assign {math_o, math_operand_o} = '0;

    logic unused;
    assign unused = ^{math_which_i, math_i};
  end

endmodule
