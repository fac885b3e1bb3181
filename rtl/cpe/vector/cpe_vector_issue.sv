// SPDX-License-Identifier: Apache-2.0
// Hands the groups of one run after the other to the lanes, when all operands are there and the lanes have a place.
//
// A run may follow the one before it in the next cycle. An operand that could not be read ends everything: fault_o rises, with
// which one, when the lanes were given all groups before it.
// Cuts: nothing from the operands and ready_i to valid_o.
module cpe_vector_issue (
  input  logic                                   clk_i,
  input  logic                                   rst_ni,
  input  logic                                   halt_i,         // forgets everything
  input  logic                                   active_i,       // else nothing happens
  input  logic                                   en_i,           // of registers: active or in reset

  input  logic [cpe_vector_pkg::SlotWidth:0]     begun_i,
  input  logic [cpe_vector_pkg::SlotWidth:0]     done_i,
  output logic [cpe_vector_pkg::SlotWidth-1:0]   slot_o,         // whose work is to be at
  input  cpe_vector_pkg::work_t                  work_i,
  input  logic [3*cpe_vector_pkg::ViewWidth-1:0] view_i,

  output logic [3*cpe_vector_pkg::ViewWidth-1:0] view_o,         // of the run that goes on: a, b, c
  output logic                                   row_last_o,
  input  logic [2:0]                             there_i,        // operands: a group
  input  logic [2:0]                             bad_i,          // or the mark of one that could not be read

  output logic                                   valid_o,
  input  logic                                   ready_i,
  output cpe_isa_pkg::vector_function_t                    op_o,
  output cpe_vector_pkg::tag_t                   tag_o,

  output logic [2:0]                             fault_o,        // one of them
  output logic [cpe_vector_pkg::SlotWidth-1:0]   fault_slot_o,
  output logic                                   waits_o         // for operands, although the lanes have a place
);

  localparam int unsigned SlotWidth = cpe_vector_pkg::SlotWidth;
  localparam int unsigned ViewWidth = cpe_vector_pkg::ViewWidth;

  logic                   going_q;         // there is a run
  logic                   waits_q;         // for the runs before, also when it reads nothing
  logic                   first_q;         // group of its row
  logic [SlotWidth:0]     run_q;           // this one, or the next when there is none
  logic [12:0]            groups_q;        // left of the row
  logic [15:0]            rows_q;          // left
  logic                   stored_q;        // from here on: of the run
  logic [2:0]             op_q;
  logic [2:0]             special_q;
  logic [1:0]             reduce_q;
  logic [2:0]             last_element_q;  // of a row's last group
  logic [12:0]            row_groups_q;

  cpe_vector_pkg::tag_t   tag_q;
  logic [3*ViewWidth-1:0] view_q;
  logic [2:0]             used, good;
  logic [SlotWidth-1:0]   slot_q;
  cpe_vector_pkg::view_t  a, b, c;

  assign {c, b, a}    = view_q;
  assign view_o       = view_q;
  assign slot_o       = slot_q;
  assign op_o         = op_q;
  assign tag_o        = tag_q;
  assign row_last_o   = tag_q.row_last;
  assign fault_slot_o = run_q[SlotWidth-1:0];

  always_comb begin
    used       = '0;
    good       = '0;
    fault_o    = '0;
    valid_o    = 1'b0;
    waits_o    = 1'b0;
    if (active_i && going_q && !waits_q) begin
      used       = {c.used, b.used, a.used};
      good       = ~used | (there_i & ~bad_i);
      fault_o    = used & there_i & bad_i & {good[1] && good[0], good[0], 1'b1};
      valid_o    = good == '1 && ready_i;
      waits_o    = (~used | there_i) != '1 && ready_i;
    end
  end

  // Nobody else looks at what belongs to the run, but for op_q.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin : advance
    // What the registers become.
    logic               going;
    logic               waits;
    logic               first;
    logic [SlotWidth:0] run;
    logic [12:0]        groups;
    logic [15:0]        rows;
    logic               ends;
    logic               load;
    logic               row_last;
    logic [SlotWidth:0] next_run;
    {going, waits, first, run, groups, rows, ends, load, row_last, next_run} = '0;
    if (en_i) begin
      going    = going_q;
      waits    = waits_q;
      first    = first_q;
      run      = run_q;
      groups   = groups_q;
      rows     = rows_q;
      next_run = going_q ? run_q + 1'b1 : run_q;
      ends     = valid_o && tag_q.run_last;
      load     = (!going_q || ends) && next_run != begun_i;
      if (waits_q) waits = run_q != done_i;
      if (valid_o) begin
        first  = tag_q.row_last;
        groups = tag_q.row_last ? row_groups_q : groups_q - 13'd1;
        if (tag_q.row_last) rows = rows_q - 16'd1;
        if (ends) begin
          going = 1'b0;
          run   = next_run;
        end
      end
      if (load) begin
        going          = 1'b1;
        waits          = !work_i.overlap;
        first          = 1'b1;
        stored_q       = work_i.stored;
        special_q      = work_i.special;
        reduce_q       = work_i.reduce;
        run            = next_run;
        last_element_q = work_i.elements[2:0] - 3'd1;
        row_groups_q   = 13'((17'(work_i.elements) + 17'd7) >> 3);
        groups         = row_groups_q;
        rows           = work_i.rows;
      end
      row_last = groups == 13'd1;
      if (!rst_ni) begin
        going_q <= 1'b0;
        run_q   <= '0;
        tag_q   <= '0;
        slot_q  <= '0;
      end else if (halt_i) begin
        going_q <= 1'b0;
        tag_q   <= '0;
      end else begin
        going_q  <= going;
        waits_q  <= waits;
        first_q  <= first;
        run_q    <= run;
        groups_q <= groups;
        rows_q   <= rows;
        tag_q    <= '0;
        if (going) begin
          // In the order of tag_t.
          tag_q <= {row_last ? last_element_q : 3'd7, first, row_last, row_last && rows == 16'd1, stored_q, reduce_q, special_q};
        end
        slot_q   <= going ? run[SlotWidth-1:0] + 1'b1 : run[SlotWidth-1:0];
        if (load) begin
          view_q <= view_i;
          op_q   <= work_i.op;
        end
      end
    end
  end
  /* verilator lint_on BLKSEQ */

endmodule
