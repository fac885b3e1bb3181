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

  typedef struct packed {
    logic               valid;
    logic               waits;       // for the runs before
    logic               used;        // else there is nothing to do but to wait
    logic               stopped;     // there was an address beyond the memory
    logic               scalar;
    logic [1:0]         number;
    logic [SlotWidth:0] run;         // this one, or the next when there is none
    logic [17:0]        stride;
    logic [17:0]        row_addr;
    logic [17:0]        addr;
    logic [12:0]        row_groups;
    logic [12:0]        groups;      // left of the row
    logic [15:0]        rows;        // left
  } state_t;

  // Places: taken with the read (write_ptr), filled in the cycle after it.
  typedef struct packed {
    logic                mid;        // some groups of the word in front have gone
    logic [1:0]          at;         // the group in front is here, in units of 8 bytes
    logic [PtrWidth-1:0] read_ptr;
    logic [PtrWidth-1:0] write_ptr;
    logic [PtrWidth:0]   taken;
    logic                filling;
    logic                ahead;      // far enough
  } fifo_t;

  state_t               q, d;
  fifo_t                f, fd;
  logic [7:0]           tag_q [Words];  // beyond the memory, byte of the first group, its last group
  logic [7:0]           front_q;        // of the word in front
  logic [4:0]           byte_q;         // where the group in front begins
  logic                 read_valid_q, valid_q, fault_q;
  logic [SlotWidth-1:0] slot_q;
  logic [PtrWidth-1:0]  fill_ptr;

  assign slot_o       = slot_q;
  assign read_valid_o = read_valid_q;
  assign read_addr_o  = q.addr[16:5];
  assign valid_o      = valid_q;
  assign fault_o      = fault_q;
  assign fault_addr_o = q.addr;

  // d and fd are what q and f become: nothing else looks at them. Places that are written are those that nobody reads.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (en_i) begin : advance
      logic               step;
      logic               row_ends;
      logic               ends;
      logic               load;
      logic               pop;
      logic               last;     // group of the word in front
      logic [1:0]         in_word;  // groups of the word from addr on, less one
      logic [1:0]         some;     // of them in the row, less one
      logic [1:0]         last_at;  // the last group of a word, in units of 8 bytes: of fp16 a group has two
      logic [SlotWidth:0] next_run;
      logic [PtrWidth:0]  filled;
      logic [7:0]         tag;
      d        = q;
      fd       = f;
      next_run = q.valid ? q.run + 1'b1 : q.run;
      step     = 1'b0;
      ends     = 1'b0;
      pop      = take_i && view_i.used;
      last     = view_i.scalar ? row_last_i : f.at == front_q[1:0];

      // The walk
      if (q.valid || next_run != begun_i) begin
        if (q.run == done_i) d.waits = 1'b0;
        if (q.valid && !q.waits) begin
          ends = !q.used;
          step = q.used && !q.stopped && !f.taken[PtrWidth] && (q.addr[17] || read_ready_i);
          if (step) begin
            case (q.number)
              cpe_pkg::NumberFp16: in_word = {1'b0, !q.addr[4]};
              cpe_pkg::NumberInt8: in_word = ~q.addr[4:3];
              default:             in_word = '0;
            endcase
            row_ends = q.scalar || q.groups <= 13'(in_word) + 13'd1;
            some     = row_ends ? q.groups[1:0] - 2'd1 : in_word;
            if (q.scalar) some = '0;
            last_at  = q.addr[4:3] + (q.number == cpe_pkg::NumberFp16 ? {some[0], 1'b0} : some);
            tag_q[f.write_ptr] = {q.addr[17], q.addr[4:0], last_at};
            if (q.addr[17]) d.stopped = 1'b1;
            else if (row_ends) begin
              d.row_addr = q.row_addr + q.stride;
              d.addr     = d.row_addr;
              d.groups   = q.row_groups;
              d.rows     = q.rows - 16'd1;
              ends       = q.rows == 16'd1;
            end else begin
              d.addr   = {q.addr[17:5] + 13'd1, 5'd0};
              d.groups = q.groups - 13'(in_word) - 13'd1;
            end
          end
        end
        load = (!q.valid || ends) && next_run != begun_i;
        if (ends) begin
          d.valid = 1'b0;
          d.run   = next_run;
        end
        if (load) begin
          d.valid      = walk_i.used || !walk_i.overlap;
          d.waits      = !walk_i.overlap;
          d.used       = walk_i.used;
          d.scalar     = walk_i.scalar;
          d.number     = walk_i.number;
          d.run        = d.valid ? next_run : next_run + 1'b1;
          d.stride     = walk_i.stride;
          d.row_addr   = {1'b0, walk_i.addr};
          d.addr       = {1'b0, walk_i.addr};
          d.row_groups = 13'((17'(walk_i.elements) + 17'd7) >> 3);
          d.groups     = d.row_groups;
          d.rows       = walk_i.rows;
        end
      end

      // Words
      fd.filling = step;
      fd.ahead   = valid_q && !(pop && last && f.taken - (PtrWidth + 1)'(f.filling) == (PtrWidth + 1)'(1));
      if (step) begin
        fd.write_ptr = f.write_ptr + 1'b1;
        fd.taken     = fd.taken + 1'b1;
      end
      if (pop) begin
        fd.mid = !last;
        if (!view_i.scalar) fd.at = f.at + (view_i.number == cpe_pkg::NumberInt8 ? 2'd1 : 2'd2);
        if (last) begin
          fd.read_ptr = f.read_ptr + 1'b1;
          fd.taken    = fd.taken - 1'b1;
        end
      end
      tag    = tag_q[fd.read_ptr];
      filled = fd.taken - (PtrWidth + 1)'(fd.filling);
      if (!fd.mid) fd.at = tag[6:5];

      if (!rst_ni) begin
        q            <= '0;
        f            <= '0;
        slot_q       <= '0;
        read_valid_q <= 1'b0;
        valid_q      <= 1'b0;
        fault_q      <= 1'b0;
      end else if (halt_i) begin
        if (!read_valid_q || read_ready_i) begin
          q.valid      <= 1'b0;
          read_valid_q <= 1'b0;
        end
        f       <= '0;
        valid_q <= 1'b0;
        fault_q <= 1'b0;
      end else begin
        q            <= d;
        f            <= fd;
        slot_q       <= d.valid ? d.run[SlotWidth-1:0] + 1'b1 : d.run[SlotWidth-1:0];
        front_q      <= tag;
        byte_q       <= {fd.at, tag[4:2]};
        read_valid_q <= d.valid && d.used && !d.waits && !d.addr[17] && !fd.taken[PtrWidth];
        valid_q      <= filled != '0
                     && (fd.ahead || filled >= (PtrWidth + 1)'(Words / 2) || !d.valid || d.waits || d.stopped);
        fault_q      <= filled != '0 && tag[7];
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  // --- The group that is taken --------------------------------------------------------------------------------------

  assign fill_ptr = f.write_ptr - 1'b1;

  cpe_vector_view #(.Words(Words)) u_view (
    .clk_i,
    .en_i,
    .write_i(f.filling),
    .write_at_i(fill_ptr),
    .write_data_i(read_data_i),
    .take_i,
    .view_i,
    .word_i(f.read_ptr),
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
