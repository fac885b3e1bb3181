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
  output cpe_pkg::vector_op_t                    op_o,
  output cpe_vector_pkg::tag_t                   tag_o,

  output logic [2:0]                             fault_o,        // one of them
  output logic [cpe_vector_pkg::SlotWidth-1:0]   fault_slot_o,
  output logic                                   waits_o         // for operands, although the lanes have a place
);

  localparam int unsigned SlotWidth = cpe_vector_pkg::SlotWidth;
  localparam int unsigned ViewWidth = cpe_vector_pkg::ViewWidth;

  typedef struct packed {
    logic               valid;
    logic               waits;         // for the runs before, also when it reads nothing
    logic               first;         // group of its row
    logic               stored;
    logic [2:0]         op;
    logic [2:0]         special;
    logic [1:0]         reduce;
    logic [SlotWidth:0] run;           // this one, or the next when there is none
    logic [2:0]         last_element;  // of a row's last group
    logic [12:0]        row_groups;
    logic [12:0]        groups;        // left of the row
    logic [15:0]        rows;          // left
  } state_t;

  state_t                 q, d;
  cpe_vector_pkg::tag_t   tag_q, next_tag;
  logic [3*ViewWidth-1:0] view_q;
  logic [2:0]             used, good;
  logic [SlotWidth-1:0]   slot_q;
  cpe_vector_pkg::view_t  a, b, c;

  assign {c, b, a}    = view_q;
  assign view_o       = view_q;
  assign slot_o       = slot_q;
  assign op_o         = q.op;
  assign tag_o        = tag_q;
  assign row_last_o   = tag_q.row_last;
  assign fault_slot_o = q.run[SlotWidth-1:0];

  always_comb begin
    used       = '0;
    good       = '0;
    fault_o    = '0;
    valid_o    = 1'b0;
    waits_o    = 1'b0;
    if (active_i && q.valid && !q.waits) begin
      used       = {c.used, b.used, a.used};
      good       = ~used | (there_i & ~bad_i);
      fault_o    = used & there_i & bad_i & {good[1] && good[0], good[0], 1'b1};
      valid_o    = good == '1 && ready_i;
      waits_o    = (~used | there_i) != '1 && ready_i;
    end
  end

  // d and next_tag are what q and tag_q become: nothing else looks at them.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (en_i) begin : advance
      logic               ends;
      logic               load;
      logic [SlotWidth:0] next_run;
      d        = q;
      next_run = q.valid ? q.run + 1'b1 : q.run;
      ends     = valid_o && tag_q.run_last;
      load     = (!q.valid || ends) && next_run != begun_i;
      if (q.waits) d.waits = q.run != done_i;
      if (valid_o) begin
        d.first  = tag_q.row_last;
        d.groups = tag_q.row_last ? q.row_groups : q.groups - 13'd1;
        if (tag_q.row_last) d.rows = q.rows - 16'd1;
        if (ends) begin
          d.valid = 1'b0;
          d.run   = next_run;
        end
      end
      if (load) begin
        d.valid        = 1'b1;
        d.waits        = !work_i.overlap;
        d.first        = 1'b1;
        d.stored       = work_i.stored;
        d.op           = work_i.op;
        d.special      = work_i.special;
        d.reduce       = work_i.reduce;
        d.run          = next_run;
        d.last_element = work_i.elements[2:0] - 3'd1;
        d.row_groups   = 13'((17'(work_i.elements) + 17'd7) >> 3);
        d.groups       = d.row_groups;
        d.rows         = work_i.rows;
      end
      next_tag = '0;
      if (d.valid) begin
        next_tag.row_last     = d.groups == 13'd1;
        next_tag.last_element = next_tag.row_last ? d.last_element : 3'd7;
        next_tag.row_first    = d.first;
        next_tag.run_last     = next_tag.row_last && d.rows == 16'd1;
        next_tag.stored       = d.stored;
        next_tag.reduce       = d.reduce;
        next_tag.special      = d.special;
      end
      if (!rst_ni) begin
        q      <= '0;
        tag_q  <= '0;
        slot_q <= '0;
      end else if (halt_i) begin
        q.valid <= 1'b0;
        tag_q   <= '0;
      end else begin
        q      <= d;
        tag_q  <= next_tag;
        slot_q <= d.valid ? d.run[SlotWidth-1:0] + 1'b1 : d.run[SlotWidth-1:0];
        if (load) view_q <= view_i;
      end
    end
  end
  /* verilator lint_on BLKSEQ */

endmodule
