// Where results leave the vector unit: converts them, and writes them and the reductions of rows to local memory.
//
// Numbers are rounded to nearest even. Integers: what does not fit becomes the nearest that does, a NaN the largest. fp16: what is
// too large becomes infinity, a NaN 0x7e00. One shifter for each element serves all numbers. As in cpe_vector_view the conversion
// lies within the clocked block.
// What programs see is the order of rows: a row's reduction counts as written after its results and before the next row. So a
// result that lies beyond the local memory is a fault only when all reductions of rows before it are written, and a reduction
// that would lie there stops the results of the next row although it is not known yet.
// Cuts: all paths but d_ready_i to what is offered next, and reduced_ready_o.
// Halt: forgets everything; a write that is offered stays so until it is taken.
module cpe_vector_store #(
  parameter int unsigned Groups = 4  // places, a power of two
) (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,
  input  logic                                 halt_i,

  input  logic [cpe_vector_pkg::SlotWidth:0]   begun_i,
  output logic [cpe_vector_pkg::SlotWidth-1:0] slot_o,      // whose target is to be at
  input  cpe_vector_pkg::target_t              target_i,

  // Groups: all that are stored, of others the last of each row
  input  logic                                 valid_i,
  output logic                                 ready_o,
  input  logic [2:0]                           last_element_i,
  input  logic                                 row_last_i,
  input  logic                                 run_last_i,
  input  logic [255:0]                         data_i,

  input  logic                                 reduced_valid_i,
  output logic                                 reduced_ready_o,
  input  logic [31:0]                          reduced_i,

  output logic                                 d_valid_o,
  input  logic                                 d_ready_i,
  output logic [16:5]                          d_addr_o,
  output logic [255:0]                         d_wdata_o,
  output logic [31:0]                          d_strb_o,

  output logic                                 complete_o,   // the oldest run
  output logic                                 fault_o,      // all that comes before it is written
  output logic [17:0]                          fault_addr_o,
  output logic [cpe_vector_pkg::SlotWidth-1:0] fault_slot_o,
  output logic                                 empty_o
);

  localparam int unsigned SlotWidth = cpe_vector_pkg::SlotWidth;
  localparam int unsigned Slots     = cpe_vector_pkg::Slots;
  localparam int unsigned PtrWidth  = $clog2(Groups);

  // --- Groups that wait ---------------------------------------------------------------------------------------------

  logic [255:0]        data_q [Groups];
  logic [4:0]          tag_q  [Groups];
  logic [PtrWidth-1:0] read_ptr_q, write_ptr_q;
  logic [PtrWidth:0]   count_q;
  logic                push, pop, waiting, row_last, run_last;
  logic [2:0]          last_element;

  assign ready_o = !count_q[PtrWidth];
  assign push    = valid_i && ready_o;
  assign waiting = count_q != '0;

  always_comb begin
    last_element = '0;
    row_last     = 1'b0;
    run_last     = 1'b0;
    if (waiting) begin
      {last_element, row_last, run_last} = tag_q[read_ptr_q];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || halt_i) begin
      read_ptr_q  <= '0;
      write_ptr_q <= '0;
      count_q     <= '0;
    end else if (push || pop) begin
      if (push) write_ptr_q <= write_ptr_q + 1'b1;
      if (pop) read_ptr_q <= read_ptr_q + 1'b1;
      if (push != pop) count_q <= push ? count_q + 1'b1 : count_q - 1'b1;
    end
  end

  // One process, and only places that nobody reads.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (push) begin
      data_q[write_ptr_q] = data_i;
      tag_q[write_ptr_q]  = {last_element_i, row_last_i, run_last_i};
    end
  end
  /* verilator lint_on BLKSEQ */

  // --- Whose group is in front --------------------------------------------------------------------------------------

  typedef struct packed {
    logic               valid;
    logic               stored;
    logic               reduced;
    logic [1:0]         number;
    logic [SlotWidth:0] run;            // this one, or the next when there is none
    logic [17:0]        stride;
    logic [17:0]        row_addr;
    logic [17:0]        addr;
    logic [17:0]        reduce_stride;
    logic [17:0]        reduce_addr;
  } state_t;

  state_t             q, d;
  logic [SlotWidth:0] next_run;
  logic               load, beyond, sum_beyond, stopping_q, free, owed_space, write;

  assign next_run   = q.valid ? q.run + 1'b1 : q.run;
  assign slot_o     = next_run[SlotWidth-1:0];
  assign load       = (!q.valid || (pop && run_last)) && next_run != begun_i;
  assign beyond     = q.stored && q.addr[17];
  assign sum_beyond = q.reduced && q.reduce_addr[17];

  always_comb begin
    d = q;
    if (pop || load) begin
      if (row_last) begin
        d.row_addr    = q.row_addr + q.stride;
        d.addr        = d.row_addr;
        d.reduce_addr = q.reduce_addr + q.reduce_stride;
      end else begin
        case (q.number)
          cpe_pkg::NumberFp16: d.addr = q.addr + 18'd16;
          cpe_pkg::NumberInt8: d.addr = q.addr + 18'd8;
          default:             d.addr = q.addr + 18'd32;
        endcase
      end
      if (pop && run_last) begin
        d.valid = 1'b0;
        d.run   = next_run;
      end
      if (load) begin
        d.valid         = 1'b1;
        d.run           = next_run;
        d.stored        = target_i.stored;
        d.reduced       = target_i.reduced;
        d.number        = target_i.number;
        d.stride        = target_i.stride;
        d.row_addr      = {1'b0, target_i.addr};
        d.addr          = {1'b0, target_i.addr};
        d.reduce_stride = target_i.reduce_stride;
        d.reduce_addr   = {1'b0, target_i.reduce_addr};
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) q <= '0;
    else if (halt_i) q.valid <= 1'b0;
    else if (pop || load) q <= d;
  end

  assign write = q.stored;
  assign pop   = waiting && q.valid && !stopping_q && !beyond && (!write || (free && !reduced_ready_o))
              && (!(q.reduced && row_last) || owed_space);

  // --- Reductions that are owed: the results of their rows have left --------------------------------------------------

  localparam int unsigned OwedWidth = 17 + 1 + SlotWidth;

  logic [OwedWidth-1:0] owed_q [4];  // address, last of its run, its slot
  logic [1:0]           owed_read_q, owed_write_q;
  logic [2:0]           owed_count_q;
  logic                 owe, pay, owed_last;
  logic [16:0]          owed_addr;
  logic [SlotWidth-1:0] owed_slot;

  assign owed_space = !owed_count_q[2];
  assign owe        = pop && row_last && q.reduced && !q.reduce_addr[17];
  assign pay        = reduced_valid_i && reduced_ready_o;

  // A reduction goes before results.
  assign reduced_ready_o = owed_count_q != '0 && reduced_valid_i && free;

  always_comb begin
    {owed_addr, owed_last, owed_slot} = '0;
    if (owed_count_q != '0) {owed_addr, owed_last, owed_slot} = owed_q[owed_read_q];
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || halt_i) begin
      owed_read_q  <= '0;
      owed_write_q <= '0;
      owed_count_q <= '0;
    end else if (owe || pay) begin
      if (owe) owed_write_q <= owed_write_q + 2'd1;
      if (pay) owed_read_q <= owed_read_q + 2'd1;
      if (owe != pay) owed_count_q <= owe ? owed_count_q + 3'd1 : owed_count_q - 3'd1;
    end
  end

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (owe) owed_q[owed_write_q] = {q.reduce_addr[16:0], run_last, q.run[SlotWidth-1:0]};
  end
  /* verilator lint_on BLKSEQ */

  // --- The write that is offered --------------------------------------------------------------------------------------

  logic                 out_valid_q, out_last_q;
  logic [SlotWidth-1:0] out_slot_q;
  logic [16:5]          out_addr_q;
  logic [31:0]          out_strb_q;
  logic [255:0]         out_data_q;
  logic                 put;

  assign free      = !out_valid_q || d_ready_i;
  assign put       = pop && write;
  assign d_valid_o = out_valid_q;
  assign d_addr_o  = out_addr_q;
  assign d_strb_o  = out_strb_q;
  assign d_wdata_o = out_data_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) out_valid_q <= 1'b0;
    else if (free) out_valid_q <= (put || pay) && !halt_i;
  end

  always_ff @(posedge clk_i) begin
    if (pay) begin
      out_addr_q <= owed_addr[16:5];
      out_strb_q <= 32'h0000_000f << owed_addr[4:0];
      out_data_q <= {8{reduced_i}};
      out_last_q <= owed_last;
      out_slot_q <= owed_slot;
    end else if (put) begin : convert
      logic [255:0] data;
      logic [255:0] placed;
      logic [7:0]   there;
      logic [31:0]  strb;
      logic         half;
      logic [31:0]  x;
      logic         nan;
      logic [7:0]   exponent;
      logic [8:0]   amount;
      logic [63:0]  fixed;   // whole units in bits 63:33
      logic         up;
      logic [31:0]  units;
      logic [31:0]  y;
      data  = data_q[read_ptr_q];
      there = ~(8'hfe << last_element);
      half  = q.number == cpe_pkg::NumberFp16;
      if (q.number != cpe_pkg::NumberFp32) begin
        for (int unsigned i = 0; i < 8; i++) begin
          x        = data[32*i +: 32];
          nan      = x[30:23] == '1 && x[22:0] != '0;
          exponent = {x[30:24], x[23] | (x[30:23] == '0)};
          // The unit of fp16 is that of its subnormal numbers, or of the last place of a normal one.
          amount   = 9'd157 - {1'b0, exponent};
          if (half) amount = exponent >= 8'd113 ? 9'd20 : 9'd133 - {1'b0, exponent};
          fixed    = {x[30:23] != '0, x[22:0], 40'd0} >> (amount > 9'd63 ? 6'd63 : amount[5:0]);
          up       = fixed[32] && (fixed[33] || fixed[31:0] != '0);
          units    = {1'b0, fixed[63:33]} + {31'd0, up};
          if (half) begin
            y = {16'd0, x[31], units[14:0] + (exponent >= 8'd113 ? {exponent[4:0] - 5'd17, 10'd0} : 15'd0)};
            if (exponent >= 8'd143) y = {16'd0, x[31], 15'h7c00};
            if (nan) y = 32'h7e00;
          end else if (q.number == cpe_pkg::NumberInt32) begin
            y = x[31] ? -units : units;
            if (exponent >= 8'd158) y = x[31] && !nan ? 32'h8000_0000 : 32'h7fff_ffff;
          end else begin
            y = x[31] ? -units : units;
            if (exponent >= 8'd158 || units > 32'd127) y = x[31] && !nan ? 32'h80 : 32'h7f;
          end
          data[32*i +: 32] = y;
        end
      end
      // Where it lies in the word
      placed = data;
      strb   = '0;
      if (half) begin
        for (int unsigned i = 0; i < 8; i++) begin
          placed[16*i +: 16] = data[32*i +: 16];
          strb[2*i +: 2]     = {2{there[i]}};
        end
        placed[255:128] = placed[127:0];
        if (q.addr[4]) strb = strb << 16;
      end else if (q.number == cpe_pkg::NumberInt8) begin
        for (int unsigned i = 0; i < 8; i++) placed[8*i +: 8] = data[32*i +: 8];
        placed = {4{placed[63:0]}};
        strb   = {24'd0, there} << {q.addr[4:3], 3'd0};
      end else begin
        for (int unsigned i = 0; i < 8; i++) strb[4*i +: 4] = {4{there[i]}};
      end
      out_addr_q <= q.addr[16:5];
      out_strb_q <= strb;
      out_data_q <= placed;
      out_last_q <= run_last && !q.reduced;
      out_slot_q <= q.run[SlotWidth-1:0];
    end
  end

  // --- Complete runs: in their order ----------------------------------------------------------------------------------

  logic [Slots-1:0]     written_q;  // runs, by slot
  logic [SlotWidth-1:0] oldest_q;
  logic                 wrote;

  assign wrote      = out_valid_q && d_ready_i && out_last_q;
  assign complete_o = written_q[oldest_q];

  always_ff @(posedge clk_i) begin
    if (!rst_ni || halt_i) begin
      written_q <= '0;
    end else if (wrote || complete_o) begin
      if (complete_o) written_q[oldest_q] <= 1'b0;
      if (wrote) written_q[out_slot_q] <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) oldest_q <= '0;
    else if (complete_o) oldest_q <= oldest_q + 1'b1;
  end

  // --- Faults ---------------------------------------------------------------------------------------------------------

  logic [17:0] stop_addr_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || halt_i) begin
      stopping_q <= 1'b0;
    end else if (!stopping_q && waiting && q.valid && (beyond || (pop && row_last && sum_beyond))) begin
      stopping_q   <= 1'b1;
      stop_addr_q  <= beyond ? q.addr : q.reduce_addr;
      fault_slot_o <= q.run[SlotWidth-1:0];
    end
  end

  assign fault_o      = stopping_q && owed_count_q == '0 && !out_valid_q;
  assign fault_addr_o = stop_addr_q;
  assign empty_o      = !waiting && owed_count_q == '0 && !out_valid_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && !halt_i) begin
      assert (!(pop && run_last) || row_last) else $error("a run that ends within a row");
    end
  end
`endif

endmodule
