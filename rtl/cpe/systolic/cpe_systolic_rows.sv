// SPDX-License-Identifier: Apache-2.0
// Reads lists of rows of 8 bytes from local memory, ahead of the one who takes them.
//
// A list is the address of its first row, a stride, and how many; each row comes with the tag of its list. Rows that follow each
//   other in memory (a stride of 8) are read four at once. The next list waits here while one is read.
// The first row that lies outside of local memory is not read; once all before it are taken, outside_o tells its address, for good.
// stop_i drops everything; a request that is offered stays until it is taken. awake_i may be low where nothing is to happen.
// Nothing but registers and row_o is read from outside of the one process, which costs a simulator least.
// row_o is there when it is taken.
// Cuts: all paths but take_i to row_o.
// Illegal: a list of no rows, a start without start_ready_o, a take without valid_o.
module cpe_systolic_rows #(
  parameter int unsigned TagWidth = 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                awake_i,
  input  logic                stop_i,

  input  logic                start_i,
  output logic                start_ready_o,
  input  logic [17:0]         start_address_i,
  input  logic [15:0]         start_stride_i,
  input  logic [8:0]          start_rows_i,
  input  logic [TagWidth-1:0] start_tag_i,

  output logic                p_valid_o,
  input  logic                p_ready_i,
  output logic [16:5]         p_addr_o,
  input  logic [255:0]        p_rdata_i,

  output logic                valid_o,
  input  logic                take_i,
  output logic [TagWidth-1:0] tag_o,
  output logic [63:0]         row_o,
  output logic                outside_o,
  output logic [17:0]         address_o,
  output logic                full_o,         // it reads no further before a word has been taken
  output logic                idle_o
);

  // --- What to read -------------------------------------------------------------------------------------------------

  logic                active_q, next_q, request_q;
  logic [17:0]         address_q, next_address_q;
  logic [15:0]         stride_q, next_stride_q;
  logic [8:0]          left_q, next_rows_q;
  logic [TagWidth-1:0] tag_q, next_tag_q;

  // --- What was read ------------------------------------------------------------------------------------------------

  // Two words at most: the last one that was read, at the memory's output, and the one before. Of each: the next row, how many.
  logic                port_valid_q, spill_valid_q;
  logic [255:0]        spill_q;
  logic [1:0]          front_row_q, back_row_q;
  logic [2:0]          front_rows_q, back_rows_q;
  logic [TagWidth-1:0] front_tag_q, back_tag_q;

  assign start_ready_o = !next_q;
  assign p_valid_o     = request_q;
  assign p_addr_o      = address_q[16:5];
  assign valid_o       = port_valid_q;
  assign tag_o         = front_tag_q;
  assign outside_o     = active_q && address_q[17] && !port_valid_q;
  assign address_o     = address_q;
  assign full_o        = spill_valid_q;
  assign idle_o        = !active_q && !next_q && !port_valid_q;

  always_comb begin
    row_o = '0;
    if (take_i) row_o = spill_valid_q ? spill_q[{front_row_q, 6'd0} +: 64] : p_rdata_i[{front_row_q, 6'd0} +: 64];
  end

  // A word is read, or the last row of one is taken, or a list begins, or comes: in most cycles only the next row is taken.
  logic read, empties, moves;
  always_comb begin
    read    = 1'b0;
    empties = 1'b0;
    moves   = 1'b0;
    if (awake_i) begin
      if (request_q) read = p_ready_i;
      if (take_i) empties = front_rows_q == 3'd1;
      moves = read || empties || start_i || (next_q && !active_q) || stop_i || !rst_ni;
    end
  end

  always_ff @(posedge clk_i) begin : p_rows
    logic                stays, active, begins, port_valid, spill_valid;
    logic [17:0]         address;
    logic [8:0]          left;
    logic [2:0]          room, rows;          // in this word; that are taken from it
    {stays, active, begins, port_valid, spill_valid, address, left, room, rows} = '0;
    if (take_i) begin
      front_row_q  <= front_row_q + 1'b1;
      front_rows_q <= front_rows_q - 1'b1;
    end
    if (moves) begin
      stays       = port_valid_q && !empties;
      address     = address_q;
      left        = left_q;
      active      = active_q;
      rows        = 3'd1;
      if (read) begin
        if (stride_q == 16'd8) begin
          room    = 3'd4 - {1'b0, address_q[4:3]};
          rows    = left_q < {6'd0, room} ? left_q[2:0] : room;
          address = address_q + {12'd0, rows, 3'd0};
        end else begin
          address = address_q + {2'd0, stride_q};
        end
        left   = left_q - {6'd0, rows};
        active = left != '0;
      end
      begins      = next_q && !active;
      port_valid  = read || spill_valid_q || stays;
      spill_valid = (read && stays) || (spill_valid_q && !empties);

      if (empties && spill_valid_q) begin
        front_row_q  <= back_row_q;
        front_rows_q <= back_rows_q;
        front_tag_q  <= back_tag_q;
      end else if (read && !stays) begin
        front_row_q  <= address_q[4:3];
        front_rows_q <= rows;
        front_tag_q  <= tag_q;
      end
      if (read && stays) begin
        spill_q     <= p_rdata_i;
        back_row_q  <= address_q[4:3];
        back_rows_q <= rows;
        back_tag_q  <= tag_q;
      end
      if (begins) begin
        address  = next_address_q;
        left     = next_rows_q;
        stride_q <= next_stride_q;
        tag_q    <= next_tag_q;
      end
      if (start_i) begin
        next_address_q <= start_address_i;
        next_stride_q  <= start_stride_i;
        next_rows_q    <= start_rows_i;
        next_tag_q     <= start_tag_i;
      end

      active        = (active || begins) && !stop_i && rst_ni;
      spill_valid   = spill_valid && !stop_i && rst_ni;
      request_q     <= rst_ni && ((request_q && !p_ready_i) || (active && !address[17] && !spill_valid));
      active_q      <= active;
      next_q        <= (start_i || (next_q && !begins)) && !stop_i && rst_ni;
      address_q     <= address;
      left_q        <= left;
      port_valid_q  <= port_valid && !stop_i && rst_ni;
      spill_valid_q <= spill_valid;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && awake_i && !stop_i) begin
      assert (!take_i || valid_o) else $error("a row is taken that is not there");
      assert (!start_i || start_rows_i != '0) else $error("a list of no rows");
      assert (!start_i || start_ready_o) else $error("a list that nobody takes");
      assert (!spill_valid_q || port_valid_q) else $error("a word was put aside for nothing");
    end
  end
`endif

endmodule
