// SPDX-License-Identifier: Apache-2.0
// The vector unit of a CPE: results = special(op(a, b, c)) over rows of elements in local memory, with a reduction of each row.
// docs/hardware/vector.md tells how programs see it.
//
// Commands are taken by cpe_vector_command, groups of 8 elements are computed in a pipeline (cpe_vector_groups); where area counts,
// cpe_vector_serial does both, one element after the other.
// a, b and c only read, d writes: ports of cpe_ldm.
// Halt: from the next cycle on nothing moves but an access that is offered, no run is left and no command is taken. halt_i is high
//   until reset.
// Fault: everything before it in the order of the program is written, nothing after it; the unit stops for good.
module cpe_vector #(
  parameter int unsigned Lanes        = 8,  // fma units: 1, 2, 4, 8; 0: one element after the other
  parameter int unsigned SpecialLanes = 4   // for special functions: 1, 2, 4, 8
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            halt_i,

  input  logic            issue_valid_i,
  input  cpe_pkg::issue_t issue_i,
  output logic            issue_ready_o,
  output logic [31:0]     issue_rdata_o,
  output logic            issue_bad_o,

  output logic            a_valid_o,
  input  logic            a_ready_i,
  output logic [16:5]     a_addr_o,
  input  logic [255:0]    a_rdata_i,        // in the cycle after the read was taken

  output logic            b_valid_o,
  input  logic            b_ready_i,
  output logic [16:5]     b_addr_o,
  input  logic [255:0]    b_rdata_i,

  output logic            c_valid_o,
  input  logic            c_ready_i,
  output logic [16:5]     c_addr_o,
  input  logic [255:0]    c_rdata_i,

  output logic            d_valid_o,
  input  logic            d_ready_i,
  output logic            d_write_o,
  output logic [16:5]     d_addr_o,
  output logic [255:0]    d_wdata_o,
  output logic [31:0]     d_strb_o,

  output logic            fault_valid_o,
  output cpe_pkg::fault_t fault_o,
  output logic            busy_o,           // a run is not complete
  output logic            awake_o,          // needs its clock: for some cycles longer
  output logic            event_group_o,    // 8 elements have left the lanes
  output logic            event_wait_operands_o,
  output logic            event_wait_store_o,

  output fp32_serial_pkg::request_t math_o,    // without Lanes, of cpe_math
  output logic [31:0]            math_operand_o,
  input  logic [1:0]             math_which_i,
  input  fp32_serial_pkg::answer_t  math_i
);

  localparam int unsigned SlotWidth = cpe_vector_pkg::SlotWidth;
  localparam int unsigned WalkPlace = cpe_vector_pkg::WalkPlace;
  localparam int unsigned ViewWidth = cpe_vector_pkg::ViewWidth;

  // --- The door -----------------------------------------------------------------------------------------------------

  logic            clk, rst_n, halt, issue_valid;
  cpe_pkg::issue_t issue;
  logic [3:0]      ready;
  logic [767:0]    rdata;
  logic            issue_ready, issue_bad, busy, fault_q;
  logic [3:0]      valid;
  logic [31:0]     issue_rdata;
  cpe_pkg::fault_t fault_record_q;

  cpe_unit_gate #(.Ports(4)) u_gate (
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
    .valid_i(valid),
    .ready_i({d_ready_i, c_ready_i, b_ready_i, a_ready_i}),
    .ready_o(ready),
    .rdata0_i(a_rdata_i),
    .rdata0_o(rdata[255:0]),
    .rdata1_i(b_rdata_i),
    .rdata1_o(rdata[511:256]),
    .rdata2_i(c_rdata_i),
    .rdata2_o(rdata[767:512]),
    .issue_ready_i(issue_ready),
    .issue_ready_o,
    .issue_bad_i(issue_bad),
    .issue_bad_o,
    .issue_rdata_i(issue_rdata),
    .issue_rdata_o,
    .busy_i(busy),
    .busy_o,
    .fault_valid_i(fault_q),
    .fault_valid_o,
    .fault_i(fault_record_q),
    .fault_o
  );

  // ------------------------------------------------------------------------------------------------------------------

  // Everything but what takes commands stands still unless it is active: from a command on, until some cycles after the last run is
  // complete, when all that still counts down has come to its end.
  logic       active, active_q;
  logic [3:0] linger_q;

  assign active  = active_q || !rst_n;
  assign awake_o = active_q;

  always_ff @(posedge clk) begin
    if (issue_valid || active) begin
      active_q <= 1'b1;
      linger_q <= '1;
      if (rst_n && !issue_valid && !busy && valid == '0) begin
        active_q <= linger_q != '0;
        linger_q <= linger_q - 4'd1;
      end
    end
  end

  // --- What computes ------------------------------------------------------------------------------------------------

  logic        stop, fault, fault_write, group, wait_operands, wait_store;
  logic [17:0] fault_addr;
  logic [31:0] pc;
  logic [47:0] addr;

  assign stop = halt || fault_q;
  assign {d_valid_o, c_valid_o, b_valid_o, a_valid_o} = valid;
  assign {d_addr_o, c_addr_o, b_addr_o, a_addr_o}     = addr;
  assign d_write_o = 1'b1;

  if (Lanes == 0) begin : g_serial
    cpe_vector_serial u_serial (
      .clk_i          (clk),
      .rst_ni         (rst_n),
      .halt_i         (halt),
      .active_i       (active_q),
      .issue_valid_i  (issue_valid),
      .issue_i        (issue),
      .issue_ready_o  (issue_ready),
      .issue_rdata_o  (issue_rdata),
      .issue_bad_o    (issue_bad),
      .busy_o         (busy),
      .valid_o        (valid),
      .ready_i        (ready),
      .addr_o         (addr),
      .rdata_i        (rdata[255:0]),
      .wdata_o        (d_wdata_o),
      .strb_o         (d_strb_o),
      .fault_o        (fault),
      .fault_write_o  (fault_write),
      .fault_addr_o   (fault_addr),
      .fault_pc_o     (pc),
      .group_o        (group),
      .wait_operands_o(wait_operands),
      .wait_store_o   (wait_store),
      .math_o,
      .math_operand_o,
      .math_which_i,
      .math_i
    );

    logic unused;
    assign unused = ^rdata[767:256];
  end else begin : g_groups
    logic                    complete;
    logic [SlotWidth:0]      begun, done;
    logic [3*SlotWidth-1:0]  walk_slot;
    logic [3*WalkPlace-1:0]  walk;
    logic [3*ViewWidth-1:0]  view;
    logic [SlotWidth-1:0]    work_slot, target_slot, pc_slot;
    cpe_vector_pkg::work_t   work;
    cpe_vector_pkg::target_t target;

    assign busy = begun != done;

    cpe_vector_command u_command (
      .clk_i        (clk),
      .rst_ni       (rst_n),
      .halt_i       (halt),
      .active_i     (active_q),
      .en_i         (active),
      .issue_valid_i(issue_valid),
      .issue_i      (issue),
      .issue_ready_o(issue_ready),
      .issue_rdata_o(issue_rdata),
      .issue_bad_o  (issue_bad),
      .begun_o      (begun),
      .done_o       (done),
      .complete_i   (complete),
      .walk_slot_i  (walk_slot),
      .walk_o       (walk),
      .work_slot_i  (work_slot),
      .work_o       (work),
      .view_o       (view),
      .target_slot_i(target_slot),
      .target_o     (target),
      .pc_slot_i    (pc_slot),
      .pc_o         (pc)
    );

    cpe_vector_groups #(.Lanes(Lanes), .SpecialLanes(SpecialLanes)) u_groups (
      .clk_i          (clk),
      .rst_ni         (rst_n),
      .halt_i         (stop),
      .active_i       (active_q),
      .en_i           (active),
      .begun_i        (begun),
      .done_i         (done),
      .complete_o     (complete),
      .walk_slot_o    (walk_slot),
      .walk_i         (walk),
      .work_slot_o    (work_slot),
      .work_i         (work),
      .work_view_i    (view),
      .target_slot_o  (target_slot),
      .target_i       (target),
      .valid_o        (valid),
      .ready_i        (ready),
      .addr_o         (addr),
      .rdata_i        (rdata),
      .wdata_o        (d_wdata_o),
      .strb_o         (d_strb_o),
      .fault_o        (fault),
      .fault_write_o  (fault_write),
      .fault_addr_o   (fault_addr),
      .fault_slot_o   (pc_slot),
      .group_o        (group),
      .wait_operands_o(wait_operands),
      .wait_store_o   (wait_store)
    );

    assign {math_o, math_operand_o} = '0;

    logic unused;
    assign unused = ^{math_which_i, math_i};
  end

  // --- Faults and events --------------------------------------------------------------------------------------------

  always_ff @(posedge clk) begin
    if (active) begin : observe
      event_group_o         <= group;
      event_wait_operands_o <= wait_operands;
      event_wait_store_o    <= wait_store;
      if (fault && !stop) begin
        fault_q <= 1'b1;
        fault_record_q.cause   <= cpe_isa_pkg::CauseCommand;
        fault_record_q.access  <= fault_write ? cpe_isa_pkg::AccessWrite : cpe_isa_pkg::AccessRead;
        fault_record_q.dma     <= 1'b1;
        fault_record_q.pc      <= pc;
        fault_record_q.segment <= cpe_isa_pkg::NoSegment;
        fault_record_q.offset  <= 48'h1000_0000 + 48'(fault_addr);
      end
      if (!rst_n) begin
        fault_q               <= 1'b0;
        event_group_o         <= 1'b0;
        event_wait_operands_o <= 1'b0;
        event_wait_store_o    <= 1'b0;
      end
    end
  end

endmodule
