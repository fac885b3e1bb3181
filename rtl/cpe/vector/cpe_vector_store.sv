// SPDX-License-Identifier: Apache-2.0
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
  input  logic                                 active_i,    // else nothing happens
  input  logic                                 en_i,        // of registers: active or in reset

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

  // Groups that wait, and reductions that are owed: the results of their rows have left.
  localparam int unsigned OwedWidth = 17 + 1 + SlotWidth;

  logic [255:0]         data_q [Groups];
  logic [4:0]           tag_q  [Groups];  // last element, last of its row, of its run
  logic [OwedWidth-1:0] owed_q [4];       // address, last of its run, its slot

  logic [PtrWidth-1:0]  read_ptr_q, write_ptr_q;
  logic [PtrWidth:0]    count_q;
  logic [1:0]           owed_read_q, owed_write_q;
  logic [2:0]           owed_count_q;
  logic                 stopping_q;

  // Whose group is in front
  logic                 going_q;        // there is a run
  logic [SlotWidth:0]   run_q;          // this one, or the next when there is none
  logic [17:0]          row_addr_q;
  logic [17:0]          addr_q;
  logic [17:0]          reduce_addr_q;
  logic                 stored_q;       // from here on: of the run
  logic                 reduced_q;
  logic [1:0]           number_q;
  logic [17:0]          stride_q;
  logic [17:0]          reduce_stride_q;

  // The write that is offered.
  logic                 out_valid_q, out_last_q;
  logic [SlotWidth-1:0] out_slot_q;
  logic [16:5]          out_addr_q;
  logic [31:0]          out_strb_q;
  logic [255:0]         out_data_q;

  // Runs that are written, by slot; they are complete in their order.
  logic [Slots-1:0]     written_q;
  logic [SlotWidth-1:0] oldest_q;
  logic                 complete_q;

  logic [SlotWidth-1:0] slot_q;
  logic [17:0]          stop_addr_q;

  assign slot_o       = slot_q;
  assign ready_o      = !count_q[PtrWidth];
  assign d_valid_o    = out_valid_q;
  assign d_addr_o     = out_addr_q;
  assign d_strb_o     = out_strb_q;
  assign d_wdata_o    = out_data_q;
  assign complete_o   = complete_q;
  assign fault_o      = stopping_q && owed_count_q == '0 && !out_valid_q;
  assign fault_addr_o = stop_addr_q;
  assign empty_o      = count_q == '0 && owed_count_q == '0 && !out_valid_q;

  // A reduction goes before results.
  always_comb begin
    reduced_ready_o = 1'b0;
    if (active_i && reduced_valid_i) reduced_ready_o = owed_count_q != '0 && (!out_valid_q || d_ready_i);
  end

  // Nobody else looks at what belongs to the run. Places that are written are those that nobody reads.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin : advance
    // What the registers become.
    logic [PtrWidth-1:0]  read_ptr;
    logic [PtrWidth-1:0]  write_ptr;
    logic [PtrWidth:0]    count;
    logic [1:0]           owed_read;
    logic [1:0]           owed_write;
    logic [2:0]           owed_count;
    logic                 stopping;
    logic                 going;
    logic [SlotWidth:0]   run;
    logic [17:0]          row_addr;
    logic [17:0]          addr;
    logic [17:0]          reduce_addr;
    logic [Slots-1:0]     written;
    logic [SlotWidth-1:0] oldest;
    logic                 push;
    logic                 pop;
    logic                 row_last;
    logic                 run_last;
    logic                 free;
    logic                 put;
    logic                 owe;
    logic                 load;
    logic                 beyond;
    logic [SlotWidth:0]   next_run;
    logic [255:0]         data;
    logic [255:0]         placed;
    logic [2:0]           last;      // element
    logic [31:0]          strb;
    logic                 half;
    logic [31:0]          x;
    logic                 nan;
    logic [7:0]           exponent;
    logic [8:0]           amount;
    logic [63:0]          fixed;   // whole units in bits 63:33
    logic                 up;
    logic [31:0]          units;
    logic [31:0]          y;
    {read_ptr, write_ptr, count, owed_read, owed_write, owed_count, stopping, going, run, row_addr, addr, reduce_addr, written, oldest,
     push, pop, row_last, run_last, free, put, owe, load, beyond, next_run, data, placed, last, strb, half, x, nan,
     exponent, amount, fixed, up, units, y} = '0;
    if (en_i) begin
      read_ptr    = read_ptr_q;
      write_ptr   = write_ptr_q;
      count       = count_q;
      owed_read   = owed_read_q;
      owed_write  = owed_write_q;
      owed_count  = owed_count_q;
      stopping    = stopping_q;
      going       = going_q;
      run         = run_q;
      row_addr    = row_addr_q;
      addr        = addr_q;
      reduce_addr = reduce_addr_q;
      free        = !out_valid_q || d_ready_i;
      beyond      = stored_q && addr_q[17];
      row_last    = tag_q[read_ptr_q][1];
      run_last    = tag_q[read_ptr_q][0];
      next_run    = going_q ? run_q + 1'b1 : run_q;
      push        = valid_i && !count_q[PtrWidth];
      if (count_q != '0 && going_q && !stopping_q && !beyond) begin
        pop = (!stored_q || (free && !reduced_ready_o)) && !(reduced_q && row_last && owed_count_q[2]);
      end
      put         = pop && stored_q;
      owe         = pop && row_last && reduced_q && !reduce_addr_q[17];
      load        = (!going_q || (pop && run_last)) && next_run != begun_i;

      if (free) out_valid_q <= (put || reduced_ready_o) && !halt_i;
      if (reduced_ready_o) begin
        out_addr_q <= owed_q[owed_read_q][SlotWidth + 6 +: 12];
        out_strb_q <= 32'h0000_000f << owed_q[owed_read_q][SlotWidth + 1 +: 5];
        out_data_q <= {8{reduced_i}};
        {out_last_q, out_slot_q} <= owed_q[owed_read_q][SlotWidth:0];
      end else if (put) begin
        data  = data_q[read_ptr_q];
        last  = tag_q[read_ptr_q][4:2];
        half  = number_q == cpe_isa_pkg::NumberFp16;
        if (number_q != cpe_isa_pkg::NumberFp32) begin
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
            end else if (number_q == cpe_isa_pkg::NumberInt32) begin
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
          for (int unsigned i = 0; i < 8; i++) placed[16*i +: 16] = data[32*i +: 16];
          placed[255:128] = placed[127:0];
          strb            = ~(32'hffff_fffc << {last, 1'b0});
          if (addr_q[4]) strb = strb << 16;
        end else if (number_q == cpe_isa_pkg::NumberInt8) begin
          for (int unsigned i = 0; i < 8; i++) placed[8*i +: 8] = data[32*i +: 8];
          placed = {4{placed[63:0]}};
          strb   = {24'd0, ~(8'hfe << last)} << {addr_q[4:3], 3'd0};
        end else begin
          strb = ~(32'hffff_fff0 << {last, 2'b00});
        end
        out_addr_q <= addr_q[16:5];
        out_strb_q <= strb;
        out_data_q <= placed;
        out_last_q <= run_last && !reduced_q;
        out_slot_q <= run_q[SlotWidth-1:0];
      end

      // Complete runs
      written = written_q;
      oldest  = oldest_q;
      if (complete_q) begin
        written[oldest_q] = 1'b0;
        oldest            = oldest_q + 1'b1;
      end
      if (out_valid_q && d_ready_i && out_last_q) written[out_slot_q] = 1'b1;

      // Faults
      if (!stopping_q && count_q != '0 && going_q && (beyond || (pop && row_last && reduced_q && reduce_addr_q[17]))) begin
        stopping     = 1'b1;
        stop_addr_q  <= beyond ? addr_q : reduce_addr_q;
        fault_slot_o <= run_q[SlotWidth-1:0];
      end

      // Whose group is next
      if (pop) begin
        if (row_last) begin
          row_addr    = row_addr_q + stride_q;
          addr        = row_addr;
          reduce_addr = reduce_addr_q + reduce_stride_q;
        end else begin
          case (number_q)
            cpe_isa_pkg::NumberFp16: addr = addr_q + 18'd16;
            cpe_isa_pkg::NumberInt8: addr = addr_q + 18'd8;
            default:             addr = addr_q + 18'd32;
          endcase
        end
        if (run_last) begin
          going = 1'b0;
          run   = next_run;
        end
        read_ptr = read_ptr_q + 1'b1;
        count    = count - 1'b1;
      end
      if (load) begin
        going           = 1'b1;
        run             = next_run;
        stored_q        = target_i.stored;
        reduced_q       = target_i.reduced;
        number_q        = target_i.number;
        stride_q        = target_i.stride;
        row_addr        = {1'b0, target_i.addr};
        addr            = {1'b0, target_i.addr};
        reduce_stride_q = target_i.reduce_stride;
        reduce_addr     = {1'b0, target_i.reduce_addr};
      end

      if (push) begin
        data_q[write_ptr_q] = data_i;
        tag_q[write_ptr_q]  = {last_element_i, row_last_i, run_last_i};
        write_ptr           = write_ptr_q + 1'b1;
        count               = count + 1'b1;
      end
      if (owe) begin
        owed_q[owed_write_q] = {reduce_addr_q[16:0], run_last, run_q[SlotWidth-1:0]};
        owed_write           = owed_write_q + 2'd1;
        owed_count           = owed_count + 3'd1;
      end
      if (reduced_ready_o) begin
        owed_read  = owed_read_q + 2'd1;
        owed_count = owed_count - 3'd1;
      end

      if (!rst_ni) begin
        going_q      <= 1'b0;
        run_q        <= '0;
        read_ptr_q   <= '0;
        write_ptr_q  <= '0;
        count_q      <= '0;
        owed_read_q  <= '0;
        owed_write_q <= '0;
        owed_count_q <= '0;
        stopping_q   <= 1'b0;
        slot_q       <= '0;
        out_valid_q  <= 1'b0;
        written_q    <= '0;
        oldest_q     <= '0;
        complete_q   <= 1'b0;
      end else if (halt_i) begin
        going_q      <= 1'b0;
        read_ptr_q   <= '0;
        write_ptr_q  <= '0;
        count_q      <= '0;
        owed_read_q  <= '0;
        owed_write_q <= '0;
        owed_count_q <= '0;
        stopping_q   <= 1'b0;
        written_q    <= '0;
        complete_q   <= 1'b0;
      end else begin
        going_q       <= going;
        run_q         <= run;
        row_addr_q    <= row_addr;
        addr_q        <= addr;
        reduce_addr_q <= reduce_addr;
        read_ptr_q    <= read_ptr;
        write_ptr_q   <= write_ptr;
        count_q       <= count;
        owed_read_q   <= owed_read;
        owed_write_q  <= owed_write;
        owed_count_q  <= owed_count;
        stopping_q    <= stopping;
        slot_q        <= going ? run[SlotWidth-1:0] + 1'b1 : run[SlotWidth-1:0];
        written_q     <= written;
        oldest_q      <= oldest;
        complete_q    <= written[oldest];
      end
    end
  end
  /* verilator lint_on BLKSEQ */

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (active_i && rst_ni && !halt_i && count_q != '0) begin
      assert (!tag_q[read_ptr_q][0] || tag_q[read_ptr_q][1]) else $error("a run that ends within a row");
    end
  end
`endif

endmodule
