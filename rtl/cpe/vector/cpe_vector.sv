// The vector unit of a CPE: results = special(op(a, b, c)) over rows of elements in local memory, with a reduction of each row.
// docs/vector.md tells how programs see it.
//
// Three streams read the operands ahead (cpe_vector_stream), make them fp32 (cpe_vector_view), groups of 8 go through the lanes
// (cpe_vector_lanes) to where results are written (cpe_vector_store) and rows reduced (cpe_vector_reduce). Each part goes
// through the runs by itself: a run that overlaps begins while those before it are still on their way.
// a, b and c only read, d writes: ports of cpe_ldm.
// Halt: from the next cycle on nothing moves but an access that is offered, no run is left and no command is taken. halt_i is high
//   until reset.
// Fault: everything before it in the order of the program is written, nothing after it; the unit stops for good.
module cpe_vector #(
  parameter int unsigned Lanes        = 8,  // fma units: 1, 2, 4, 8
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
  output logic            event_wait_store_o
);

  localparam int unsigned SlotWidth = cpe_vector_pkg::SlotWidth;
  localparam int unsigned WalkWidth = cpe_vector_pkg::WalkWidth;
  localparam int unsigned ViewWidth = cpe_vector_pkg::ViewWidth;

  // --- The door -----------------------------------------------------------------------------------------------------

  logic            clk, rst_n, halt, issue_valid;
  cpe_pkg::issue_t issue;
  logic [3:0]      ready;
  logic [767:0]    rdata;

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
    .ready_i({d_ready_i, c_ready_i, b_ready_i, a_ready_i}),
    .ready_o(ready),
    .rdata_i({c_rdata_i, b_rdata_i, a_rdata_i}),
    .rdata_o(rdata)
  );

  // ------------------------------------------------------------------------------------------------------------------

  logic                    stop, fault_q, complete;
  logic [2:0]              read_valid;
  logic [SlotWidth:0]      begun, done;
  logic [3*SlotWidth-1:0]  walk_slot;
  logic [3*WalkWidth-1:0]  walk;
  logic [3*ViewWidth-1:0]  work_view, view;
  logic [SlotWidth-1:0]    work_slot, target_slot, pc_slot;
  cpe_vector_pkg::work_t   work;
  cpe_vector_pkg::target_t target;
  logic [31:0]             pc;

  assign stop   = halt || fault_q;
  assign busy_o = begun != done;

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
      if (rst_n && !issue_valid && !busy_o && read_valid == '0 && !d_valid_o) begin
        active_q <= linger_q != '0;
        linger_q <= linger_q - 4'd1;
      end
    end
  end

  cpe_vector_command u_command (
    .clk_i(clk),
    .rst_ni(rst_n),
    .halt_i(halt),
    .active_i(active_q),
    .en_i(active),
    .issue_valid_i(issue_valid),
    .issue_i(issue),
    .issue_ready_o,
    .issue_rdata_o,
    .issue_bad_o,
    .begun_o(begun),
    .done_o(done),
    .complete_i(complete),
    .walk_slot_i(walk_slot),
    .walk_o(walk),
    .work_slot_i(work_slot),
    .work_o(work),
    .view_o(work_view),
    .target_slot_i(target_slot),
    .target_o(target),
    .pc_slot_i(pc_slot),
    .pc_o(pc)
  );

  // --- Operands -----------------------------------------------------------------------------------------------------

  logic [2:0]   read_ready, there, bad;
  logic [35:0]  read_addr;
  logic [767:0] read_data, groups;
  logic [53:0]  bad_addr;
  logic         row_last, lanes_take;

  assign {c_valid_o, b_valid_o, a_valid_o} = read_valid;
  assign {c_addr_o, b_addr_o, a_addr_o}    = read_addr;
  assign read_ready = ready[2:0];
  assign read_data  = rdata;

  for (genvar i = 0; i < 3; i++) begin : g_operand
    cpe_vector_stream u_stream (
      .clk_i(clk),
      .rst_ni(rst_n),
      .halt_i(stop),
      .active_i(active_q),
      .en_i(active),
      .begun_i(begun),
      .done_i(done),
      .slot_o(walk_slot[SlotWidth*i +: SlotWidth]),
      .walk_i(walk[WalkWidth*i +: WalkWidth]),
      .read_valid_o(read_valid[i]),
      .read_ready_i(read_ready[i]),
      .read_addr_o(read_addr[12*i +: 12]),
      .read_data_i(read_data[256*i +: 256]),
      .valid_o(there[i]),
      .fault_o(bad[i]),
      .fault_addr_o(bad_addr[18*i +: 18]),
      .view_i(view[ViewWidth*i +: ViewWidth]),
      .row_last_i(row_last),
      .take_i(lanes_take),
      .group_o(groups[256*i +: 256])
    );
  end

  logic                 lanes_ready, lanes_empty, lanes_valid, lanes_leave;
  cpe_pkg::vector_op_t  op;
  cpe_vector_pkg::tag_t tag, out_tag;
  logic [2:0]           missing;
  logic [SlotWidth-1:0] missing_slot, beyond_slot;
  logic                 waits_operands;

  cpe_vector_issue u_issue (
    .clk_i(clk),
    .rst_ni(rst_n),
    .halt_i(stop),
    .active_i(active_q),
    .en_i(active),
    .begun_i(begun),
    .done_i(done),
    .slot_o(work_slot),
    .work_i(work),
    .view_i(work_view),
    .view_o(view),
    .row_last_o(row_last),
    .there_i(there),
    .bad_i(bad),
    .valid_o(lanes_take),
    .ready_i(lanes_ready),
    .op_o(op),
    .tag_o(tag),
    .fault_o(missing),
    .fault_slot_o(missing_slot),
    .waits_o(waits_operands)
  );

  // --- Arithmetic ---------------------------------------------------------------------------------------------------

  logic [255:0] results;

  cpe_vector_lanes #(.Lanes(Lanes), .SpecialLanes(SpecialLanes)) u_lanes (
    .clk_i(clk),
    .rst_ni(rst_n),
    .halt_i(stop),
    .active_i(active_q),
    .en_i(active),
    .valid_i(lanes_take),
    .ready_o(lanes_ready),
    .op_i(op),
    .tag_i(tag),
    .a_i(groups[255:0]),
    .b_i(groups[511:256]),
    .c_i(groups[767:512]),
    .valid_o(lanes_valid),
    .ready_i(lanes_leave),
    .tag_o(out_tag),
    .data_o(results),
    .empty_o(lanes_empty)
  );

  // Results go both to be stored and to be reduced, or wait.
  logic        to_store, to_reduce, store_valid, reduce_valid, store_ready, reduce_ready, reduced_valid, reduced_ready, store_empty, beyond;
  logic [31:0] reduced;
  logic [17:0] beyond_addr;

  always_comb begin
    to_store     = 1'b0;
    to_reduce    = 1'b0;
    store_valid  = 1'b0;
    reduce_valid = 1'b0;
    lanes_leave  = 1'b0;
    if (lanes_valid) begin
      to_store     = out_tag.stored || out_tag.row_last;
      to_reduce    = out_tag.reduce != cpe_pkg::ReduceNone;
      store_valid  = to_store && (!to_reduce || reduce_ready);
      reduce_valid = to_reduce && (!to_store || store_ready);
      lanes_leave  = (!to_store || store_ready) && (!to_reduce || reduce_ready);
    end
  end

  cpe_vector_reduce u_reduce (
    .clk_i(clk),
    .rst_ni(rst_n),
    .halt_i(stop),
    .active_i(active_q),
    .en_i(active),
    .valid_i(reduce_valid),
    .ready_o(reduce_ready),
    .reduce_i(out_tag.reduce),
    .first_i(out_tag.row_first),
    .last_i(out_tag.row_last),
    .last_element_i(out_tag.last_element),
    .data_i(results),
    .valid_o(reduced_valid),
    .ready_i(reduced_ready),
    .value_o(reduced)
  );

  cpe_vector_store u_store (
    .clk_i(clk),
    .rst_ni(rst_n),
    .halt_i(stop),
    .active_i(active_q),
    .en_i(active),
    .begun_i(begun),
    .slot_o(target_slot),
    .target_i(target),
    .valid_i(store_valid),
    .ready_o(store_ready),
    .last_element_i(out_tag.last_element),
    .row_last_i(out_tag.row_last),
    .run_last_i(out_tag.run_last),
    .data_i(results),
    .reduced_valid_i(reduced_valid),
    .reduced_ready_o(reduced_ready),
    .reduced_i(reduced),
    .d_valid_o,
    .d_ready_i(ready[3]),
    .d_addr_o,
    .d_wdata_o,
    .d_strb_o,
    .complete_o(complete),
    .fault_o(beyond),
    .fault_addr_o(beyond_addr),
    .fault_slot_o(beyond_slot),
    .empty_o(store_empty)
  );

  assign d_write_o = 1'b1;

  // --- Faults and events --------------------------------------------------------------------------------------------

  cpe_pkg::fault_t fault_record_q;

  assign pc_slot       = beyond ? beyond_slot : missing_slot;
  assign fault_valid_o = fault_q;
  assign fault_o       = fault_record_q;

  always_ff @(posedge clk) begin
    if (active) begin : observe
      logic [17:0] addr;
      event_group_o         <= lanes_leave;
      event_wait_operands_o <= waits_operands;
      event_wait_store_o    <= lanes_valid && !lanes_leave;
      if ((beyond || (missing != '0 && lanes_empty && store_empty)) && !stop) begin
        addr    = beyond ? beyond_addr : missing[0] ? bad_addr[17:0] : missing[1] ? bad_addr[35:18] : bad_addr[53:36];
        fault_q <= 1'b1;
        fault_record_q.cause   <= cpe_pkg::CauseCommand;
        fault_record_q.access  <= beyond ? cpe_pkg::AccessWrite : cpe_pkg::AccessRead;
        fault_record_q.dma     <= 1'b1;
        fault_record_q.pc      <= pc;
        fault_record_q.segment <= cpe_pkg::NoSegment;
        fault_record_q.offset  <= 48'h1000_0000 + 48'(addr);
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
