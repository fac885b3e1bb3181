// SPDX-License-Identifier: Apache-2.0
// Where the vector unit computes a group of 8 elements at a time: three streams read the operands ahead (cpe_vector_stream), make them
// fp32 (cpe_vector_view), groups go through the lanes (cpe_vector_lanes) to where results are written (cpe_vector_store) and rows
// reduced (cpe_vector_reduce). Each part goes through the runs by itself: a run that overlaps begins while those before it are still
// on their way.
// Ports: a, b, c in bits 0 to 2 and d in bit 3 of what all have; only d writes.
// Halt and fault_o: as in cpe_vector_serial, which takes its place where area counts.
module cpe_vector_groups #(
  parameter int unsigned Lanes        = 8,  // fma units: 1, 2, 4, 8
  parameter int unsigned SpecialLanes = 4   // for special functions: 1, 2, 4, 8
) (
  input  logic                                   clk_i,
  input  logic                                   rst_ni,
  input  logic                                   halt_i,
  input  logic                                   active_i,
  input  logic                                   en_i,

  input  logic [cpe_vector_pkg::SlotWidth:0]     begun_i,
  input  logic [cpe_vector_pkg::SlotWidth:0]     done_i,
  output logic                                   complete_o,
  output logic [3*cpe_vector_pkg::SlotWidth-1:0] walk_slot_o,
  input  logic [3*cpe_vector_pkg::WalkPlace-1:0] walk_i,
  output logic [cpe_vector_pkg::SlotWidth-1:0]   work_slot_o,
  input  cpe_vector_pkg::work_t                  work_i,
  input  logic [3*cpe_vector_pkg::ViewWidth-1:0] work_view_i,
  output logic [cpe_vector_pkg::SlotWidth-1:0]   target_slot_o,
  input  cpe_vector_pkg::target_t                target_i,

  output logic [3:0]                             valid_o,
  input  logic [3:0]                             ready_i,
  output logic [47:0]                            addr_o,
  input  logic [767:0]                           rdata_i,
  output logic [255:0]                           wdata_o,
  output logic [31:0]                            strb_o,

  output logic                                   fault_o,
  output logic                                   fault_write_o,
  output logic [17:0]                            fault_addr_o,
  output logic [cpe_vector_pkg::SlotWidth-1:0]   fault_slot_o,
  output logic                                   group_o,           // events
  output logic                                   wait_operands_o,
  output logic                                   wait_store_o
);

  localparam int unsigned SlotWidth = cpe_vector_pkg::SlotWidth;
  localparam int unsigned WalkWidth = cpe_vector_pkg::WalkWidth;
  localparam int unsigned WalkPlace = cpe_vector_pkg::WalkPlace;
  localparam int unsigned ViewWidth = cpe_vector_pkg::ViewWidth;

  // --- Operands -----------------------------------------------------------------------------------------------------

  logic [3*ViewWidth-1:0] view;
  logic [2:0]   there, bad;
  logic [767:0] groups;
  logic [53:0]  bad_addr;
  logic         row_last, lanes_take;

  for (genvar i = 0; i < 3; i++) begin : g_operand
    cpe_vector_stream u_stream (
      .clk_i,
      .rst_ni,
      .halt_i,
      .active_i,
      .en_i,
      .begun_i,
      .done_i,
      .slot_o(walk_slot_o[SlotWidth*i +: SlotWidth]),
      .walk_i(walk_i[WalkPlace*i +: WalkWidth]),
      .read_valid_o(valid_o[i]),
      .read_ready_i(ready_i[i]),
      .read_addr_o(addr_o[12*i +: 12]),
      .read_data_i(rdata_i[256*i +: 256]),
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
  cpe_isa_pkg::vector_function_t  op;
  cpe_vector_pkg::tag_t tag, out_tag;
  logic [2:0]           missing;
  logic [SlotWidth-1:0] missing_slot, beyond_slot;

  cpe_vector_issue u_issue (
    .clk_i,
    .rst_ni,
    .halt_i,
    .active_i,
    .en_i,
    .begun_i,
    .done_i,
    .slot_o(work_slot_o),
    .work_i,
    .view_i(work_view_i),
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
    .waits_o(wait_operands_o)
  );

  // --- Arithmetic ---------------------------------------------------------------------------------------------------

  logic [255:0] results;

  cpe_vector_lanes #(.Lanes(Lanes), .SpecialLanes(SpecialLanes)) u_lanes (
    .clk_i,
    .rst_ni,
    .halt_i,
    .active_i,
    .en_i,
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
      to_reduce    = out_tag.reduce != cpe_isa_pkg::ReduceNone;
      store_valid  = to_store && (!to_reduce || reduce_ready);
      reduce_valid = to_reduce && (!to_store || store_ready);
      lanes_leave  = (!to_store || store_ready) && (!to_reduce || reduce_ready);
    end
  end

  cpe_vector_reduce u_reduce (
    .clk_i,
    .rst_ni,
    .halt_i,
    .active_i,
    .en_i,
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
    .clk_i,
    .rst_ni,
    .halt_i,
    .active_i,
    .en_i,
    .begun_i,
    .slot_o(target_slot_o),
    .target_i,
    .valid_i(store_valid),
    .ready_o(store_ready),
    .last_element_i(out_tag.last_element),
    .row_last_i(out_tag.row_last),
    .run_last_i(out_tag.run_last),
    .data_i(results),
    .reduced_valid_i(reduced_valid),
    .reduced_ready_o(reduced_ready),
    .reduced_i(reduced),
    .d_valid_o(valid_o[3]),
    .d_ready_i(ready_i[3]),
    .d_addr_o(addr_o[47:36]),
    .d_wdata_o(wdata_o),
    .d_strb_o(strb_o),
    .complete_o,
    .fault_o(beyond),
    .fault_addr_o(beyond_addr),
    .fault_slot_o(beyond_slot),
    .empty_o(store_empty)
  );

  // --- Faults and events --------------------------------------------------------------------------------------------

  assign fault_o       = beyond || (missing != '0 && lanes_empty && store_empty);
  assign fault_write_o = beyond;
  assign fault_addr_o  = beyond ? beyond_addr : missing[0] ? bad_addr[17:0] : missing[1] ? bad_addr[35:18] : bad_addr[53:36];
  assign fault_slot_o  = beyond ? beyond_slot : missing_slot;
  assign group_o       = lanes_leave;
  assign wait_store_o  = lanes_valid && !lanes_leave;

endmodule
