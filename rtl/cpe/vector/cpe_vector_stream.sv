// SPDX-License-Identifier: Apache-2.0
// One operand of the vector unit: reads its words from local memory ahead, and gives one group of 8 elements after the other
// to the lanes.
//
// It goes through the runs by itself: the words of the next run follow those of this one, unless that must wait until all runs
// before it are complete. A run that does not use the operand is skipped, but not before that. Elements in one word are read once,
// a row's scalar once.
// A stream that had nothing left shows the next group only when it is some words ahead again. Ports of local memory that meet at a
// bank lose a cycle; one that is ahead loses nothing by it and stays out of the others' way from then on, where one without a lead
// would stop the lanes, and so meet the port of the results again and again.
// An address beyond the local memory ends everything: in the place of its word stands a mark (fault_o), nothing is read any more.
// Cuts: all paths. group_o is what was taken in the cycle before, until something else is.
// All of it is one clocked process under one condition, and everything that others see registers: a simulator passes by while there
// is no run.
// Latency: a word that is read at t can be in front at t + 2.
// Halt: forgets everything; a read that is offered stays so until it is taken.
module cpe_vector_stream #(
  parameter int unsigned Words = 8  // places, a power of two
) (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,
  input  logic                                 halt_i,
  input  logic                                 active_i,    // else nothing happens
  input  logic                                 en_i,        // of registers: active or in reset

  input  logic [cpe_vector_pkg::SlotWidth:0]   begun_i,     // runs, modulo twice the slots
  input  logic [cpe_vector_pkg::SlotWidth:0]   done_i,
  output logic [cpe_vector_pkg::SlotWidth-1:0] slot_o,      // whose operand is to be at
  input  cpe_vector_pkg::walk_t                walk_i,

  output logic                                 read_valid_o,
  input  logic                                 read_ready_i,
  output logic [16:5]                          read_addr_o,
  input  logic [255:0]                         read_data_i,

  // The group in front
  output logic                                 valid_o,
  output logic                                 fault_o,
  output logic [17:0]                          fault_addr_o,
  input  cpe_vector_pkg::view_t                view_i,      // as what it is taken
  input  logic                                 row_last_i,
  input  logic                                 take_i,
  output logic [255:0]                         group_o
);

  localparam int unsigned SlotWidth = cpe_vector_pkg::SlotWidth;
  localparam int unsigned PtrWidth  = $clog2(Words);

  // --- The walk -----------------------------------------------------------------------------------------------------

  // What a simulator sees as words of their own it changes without cutting and putting together: no structs here.
  logic               going_q;       // there is a run
  logic               waits_q;       // for the runs before
  logic               stopped_q;     // there was an address beyond the memory
  logic [SlotWidth:0] run_q;         // this one, or the next when there is none
  logic [17:0]        row_addr_q;
  logic [17:0]        addr_q;
  logic [12:0]        groups_q;      // left of the row
  logic [15:0]        rows_q;        // left

  // Of the run.
  logic               used_q;        // else there is nothing to do but to wait
  logic               scalar_q;
  logic [1:0]         number_q;
  logic [17:0]        stride_q;
  logic [12:0]        row_groups_q;

  // Places: taken with the read (write_ptr), filled in the cycle after it.
  logic                mid_q;        // some groups of the word in front have gone
  logic [1:0]          at_q;         // the group in front is here, in units of 8 bytes
  logic [PtrWidth-1:0] read_ptr_q;
  logic [PtrWidth-1:0] write_ptr_q;
  logic [PtrWidth:0]   taken_q;
  logic                filling_q;

  logic [7:0]           tag_q [Words];  // beyond the memory, byte of the first group, its last group
  logic [7:0]           front_q;        // of the word in front
  logic [4:0]           byte_q;         // where the group in front begins
  logic                 read_valid_q, valid_q, fault_q;
  logic [SlotWidth-1:0] slot_q;
  logic [PtrWidth-1:0]  fill_ptr;

  assign slot_o       = slot_q;
  assign read_valid_o = read_valid_q;
  assign read_addr_o  = addr_q[16:5];
  assign valid_o      = valid_q;
  assign fault_o      = fault_q;
  assign fault_addr_o = addr_q;

  // Nobody else looks at what belongs to the run. Places that are written are those that nobody reads.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin : advance
    // What the registers become.
    logic                going;
    logic                waits;
    logic                stopped;
    logic [SlotWidth:0]  run;
    logic [17:0]         row_addr;
    logic [17:0]         addr;
    logic [12:0]         groups;
    logic [15:0]         rows;
    logic                mid;
    logic [1:0]          at;
    logic [PtrWidth-1:0] read_ptr;
    logic [PtrWidth:0]   taken;
    logic                ahead;
    logic                step;
    logic                row_ends;
    logic                ends;
    logic                pop;
    logic                last;     // group of the word in front
    logic [1:0]          in_word;  // groups of the word from addr on, less one
    logic [1:0]          some;     // of them in the row, less one; then in units of 8 bytes: of fp16 a group has two
    logic [1:0]          last_at;  // the last group of a word
    logic [SlotWidth:0]  next_run;
    logic [PtrWidth:0]   filled;
    logic [7:0]          tag;
    {going, waits, stopped, run, row_addr, addr, groups, rows, mid, at, read_ptr, taken, ahead, step, row_ends, ends, pop, last,
     in_word, some, last_at, next_run, filled, tag} = '0;
    if (en_i) begin
      going    = going_q;
      waits    = waits_q;
      stopped  = stopped_q;
      run      = run_q;
      row_addr = row_addr_q;
      addr     = addr_q;
      groups   = groups_q;
      rows     = rows_q;
      next_run = going ? run + 1'b1 : run;
      step     = 1'b0;
      ends     = 1'b0;
      pop      = take_i && view_i.used;
      last     = view_i.scalar ? row_last_i : at_q == front_q[1:0];

      // The walk
      if (going || next_run != begun_i) begin
        if (run == done_i) waits = 1'b0;
        if (going && !waits_q) begin
          ends = !used_q;
          step = used_q && !stopped && !taken_q[PtrWidth] && (addr[17] || read_ready_i);
          if (step) begin
            if (number_q == cpe_isa_pkg::NumberFp16) in_word = {1'b0, !addr[4]};
            if (number_q == cpe_isa_pkg::NumberInt8) in_word = ~addr[4:3];
            row_ends = scalar_q || groups <= 13'(in_word) + 13'd1;
            some     = row_ends ? groups[1:0] - 2'd1 : in_word;
            if (scalar_q) some = '0;
            if (number_q == cpe_isa_pkg::NumberFp16) some = {some[0], 1'b0};
            last_at            = addr[4:3] + some;
            tag_q[write_ptr_q] = {addr[17], addr[4:0], last_at};
            if (addr[17]) stopped = 1'b1;
            else if (row_ends) begin
              row_addr = row_addr + stride_q;
              addr     = row_addr;
              groups   = row_groups_q;
              ends     = rows == 16'd1;
              rows     = rows - 16'd1;
            end else begin
              addr   = {addr[17:5] + 13'd1, 5'd0};
              groups = groups - 13'(in_word) - 13'd1;
            end
          end
        end
        if (ends) run = next_run;
        if ((!going || ends) && next_run != begun_i) begin
          going        = walk_i.used || !walk_i.overlap;
          waits        = !walk_i.overlap;
          run          = going ? next_run : next_run + 1'b1;
          row_addr     = {1'b0, walk_i.addr};
          addr         = row_addr;
          rows         = walk_i.rows;
          used_q       = walk_i.used;
          scalar_q     = walk_i.scalar;
          number_q     = walk_i.number;
          stride_q     = walk_i.stride;
          row_groups_q = 13'((17'(walk_i.elements) + 17'd7) >> 3);
          groups       = row_groups_q;
        end else if (ends) begin
          going = 1'b0;
        end
      end

      // Words
      mid      = mid_q;
      at       = at_q;
      read_ptr = read_ptr_q;
      taken    = taken_q;
      ahead    = valid_q && !(pop && last && taken - (PtrWidth + 1)'(filling_q) == (PtrWidth + 1)'(1));
      if (step) taken = taken + 1'b1;
      if (pop) begin
        mid = !last;
        if (!view_i.scalar) at = at + (view_i.number == cpe_isa_pkg::NumberInt8 ? 2'd1 : 2'd2);
        if (last) begin
          read_ptr = read_ptr + 1'b1;
          taken    = taken - 1'b1;
        end
      end
      tag    = tag_q[read_ptr];
      filled = taken - (PtrWidth + 1)'(step);
      if (!mid) at = tag[6:5];

      if (!rst_ni || halt_i) begin
        if (!rst_ni || !read_valid_q || read_ready_i) begin
          going_q      <= 1'b0;
          read_valid_q <= 1'b0;
        end
        if (!rst_ni) begin
          run_q     <= '0;
          slot_q    <= '0;
          stopped_q <= 1'b0;
        end
        mid_q       <= 1'b0;
        read_ptr_q  <= '0;
        write_ptr_q <= '0;
        taken_q     <= '0;
        filling_q   <= 1'b0;
        valid_q     <= 1'b0;
        fault_q     <= 1'b0;
      end else begin
        going_q      <= going;
        waits_q      <= waits;
        stopped_q    <= stopped;
        run_q        <= run;
        row_addr_q   <= row_addr;
        addr_q       <= addr;
        groups_q     <= groups;
        rows_q       <= rows;
        mid_q        <= mid;
        at_q         <= at;
        read_ptr_q   <= read_ptr;
        if (step) write_ptr_q <= write_ptr_q + 1'b1;
        taken_q      <= taken;
        filling_q    <= step;
        slot_q       <= going ? run[SlotWidth-1:0] + 1'b1 : run[SlotWidth-1:0];
        front_q      <= tag;
        byte_q       <= {at, tag[4:2]};
        read_valid_q <= going && used_q && !waits && !addr[17] && !taken[PtrWidth];
        valid_q      <= filled != '0
                     && (ahead || filled >= (PtrWidth + 1)'(Words / 2) || !going || waits || stopped);
        fault_q      <= filled != '0 && tag[7];
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  // --- The group that is taken --------------------------------------------------------------------------------------

  assign fill_ptr = write_ptr_q - 1'b1;

  cpe_vector_view #(.Words(Words)) u_view (
    .clk_i,
    .en_i,
    .write_i(filling_q),
    .write_at_i(fill_ptr),
    .write_data_i(read_data_i),
    .take_i,
    .view_i,
    .word_i(read_ptr_q),
    .byte_i(byte_q),
    .group_o
  );

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (active_i && rst_ni && !halt_i) begin
      assert (!(take_i && view_i.used) || valid_q) else $error("a group that is not there");
    end
  end
`endif

endmodule
