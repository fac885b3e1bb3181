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
// Latency: a word that is read at t can be in front at t + 2.
// Halt: forgets everything; a read that is offered stays so until it is taken.
module cpe_vector_stream #(
  parameter int unsigned Words = 8  // places, a power of two
) (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,
  input  logic                                 halt_i,

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

  state_t             q, d;
  logic               space, step, ends, load, row_ends;
  logic [1:0]         in_word;         // groups of the word from addr on, less one
  logic [1:0]         some;            // of them in the row, less one
  logic [SlotWidth:0] next_run;
  logic [17:0]        next_row;

  // Places: taken with the read (write_ptr), filled in the cycle after it.
  typedef struct packed {
    logic                mid;        // some groups of the word in front have gone
    logic [1:0]          at;         // the group is here, in units of 8 bytes
    logic [PtrWidth-1:0] read_ptr;
    logic [PtrWidth-1:0] write_ptr;
    logic [PtrWidth:0]   taken;
    logic                filling;
    logic                ahead;      // far enough
  } fifo_t;

  fifo_t               f, fd;
  logic [7:0]          tag_q  [Words];  // beyond the memory, byte of the first group, its last group
  logic [PtrWidth-1:0] fill_ptr;

  assign space        = !f.taken[PtrWidth];
  assign slot_o       = next_run[SlotWidth-1:0];
  assign next_run     = q.valid ? q.run + 1'b1 : q.run;
  assign read_valid_o = q.valid && q.used && !q.waits && !q.addr[17] && space;
  assign read_addr_o  = q.addr[16:5];
  assign fault_addr_o = q.addr;
  assign step         = q.valid && q.used && !q.waits && !q.stopped && space && (q.addr[17] || read_ready_i);
  assign ends         = q.used ? step && !q.addr[17] && row_ends && q.rows == 16'd1 : q.valid && !q.waits;
  assign load         = (!q.valid || ends) && next_run != begun_i;
  assign next_row     = q.row_addr + q.stride;

  always_comb begin
    in_word  = '0;
    some     = '0;
    row_ends = 1'b0;
    if (q.valid) begin
      case (q.number)
        cpe_pkg::NumberFp16: in_word = {1'b0, !q.addr[4]};
        cpe_pkg::NumberInt8: in_word = ~q.addr[4:3];
        default:             in_word = '0;
      endcase
      row_ends = q.scalar || q.groups <= 13'(in_word) + 13'd1;
      some     = row_ends ? q.groups[1:0] - 2'd1 : in_word;
      if (q.scalar) some = '0;
    end
  end

  always_comb begin
    d = q;
    if (q.valid || next_run != begun_i) begin
      if (q.run == done_i) d.waits = 1'b0;
      if (step) begin
        if (q.addr[17]) d.stopped = 1'b1;
        else if (row_ends) begin
          d.row_addr = next_row;
          d.addr     = next_row;
          d.groups   = q.row_groups;
          d.rows     = q.rows - 16'd1;
        end else begin
          d.addr   = {q.addr[17:5] + 13'd1, 5'd0};
          d.groups = q.groups - 13'(in_word) - 13'd1;
        end
      end
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
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) q <= '0;
    else if (halt_i) begin
      if (!read_valid_o || read_ready_i) q.valid <= 1'b0;
    end else if (q.valid || next_run != begun_i) q <= d;
  end

  // --- Words --------------------------------------------------------------------------------------------------------

  logic       last;  // group of the word in front
  logic [7:0] tag;
  logic [1:0] at;
  logic [4:0] byte_at;
  logic       pop, enough;

  logic [PtrWidth:0] filled;

  assign pop      = take_i && view_i.used;
  assign fill_ptr = f.write_ptr - 1'b1;
  assign filled   = f.taken - (PtrWidth + 1)'(f.filling);
  assign enough   = filled >= (PtrWidth + 1)'(Words / 2) || !q.valid || q.waits || q.stopped;
  assign valid_o  = filled != '0 && (f.ahead || enough);

  always_comb begin
    tag     = '0;
    at      = '0;
    last    = 1'b0;
    fault_o = 1'b0;
    byte_at = '0;
    if (valid_o) begin
      tag     = tag_q[f.read_ptr];
      fault_o = tag[7];
      at      = f.mid ? f.at : tag[6:5];
      byte_at = {at, tag[4:2]};
      last    = view_i.scalar ? row_last_i : at == tag[1:0];
    end
  end

  always_comb begin
    fd = f;
    if (step || f.taken != '0) begin
      fd.filling = step;
      fd.ahead   = valid_o && !(pop && last && filled == (PtrWidth + 1)'(1));
      if (step) fd.write_ptr = f.write_ptr + 1'b1;
      if (pop) begin
        fd.mid = !last;
        fd.at  = at;
        if (!view_i.scalar) fd.at = at + (view_i.number == cpe_pkg::NumberInt8 ? 2'd1 : 2'd2);
        if (last) fd.read_ptr = f.read_ptr + 1'b1;
      end
      if (step != (pop && last)) fd.taken = step ? f.taken + 1'b1 : f.taken - 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) f <= '0;
    else if (halt_i) f <= '0;
    else if (step || f.taken != '0) f <= fd;
  end

  // The last group of a word, in units of 8 bytes: of fp16 a group has two.
  logic [1:0] last_at;
  always_comb begin
    last_at = '0;
    if (step) last_at = q.addr[4:3] + (q.number == cpe_pkg::NumberFp16 ? {some[0], 1'b0} : some);
  end

  cpe_vector_view #(.Words(Words)) u_view (
    .clk_i,
    .write_i(f.filling),
    .write_at_i(fill_ptr),
    .write_data_i(read_data_i),
    .take_i,
    .view_i,
    .word_i(f.read_ptr),
    .byte_i(byte_at),
    .group_o
  );

  // One process, and only places that nobody reads.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (step) tag_q[f.write_ptr] = {q.addr[17], q.addr[4:0], last_at};
  end
  /* verilator lint_on BLKSEQ */

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && !halt_i) begin
      assert (!pop || valid_o) else $error("a group that is not there");
    end
  end
`endif

endmodule
