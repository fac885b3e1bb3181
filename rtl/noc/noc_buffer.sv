// SPDX-License-Identifier: Apache-2.0
// Where packets arrive: a queue with two inputs that take an item each in any cycle, in that order, and one output.
//
// Cuts: everything; the output comes from a register.
// Orders: first in, first out; of two items in one cycle a goes first.
// Latency: one cycle; one item per cycle at the output.
// Holds Depth items beside the one at the output. Whoever sends has a credit for the room, so there is no ready.
// Illegal: more items than there is room for.
//
// Two items in a cycle go to different banks, so that each bank is a memory with one port to write and one to read.
module noc_buffer #(
  parameter int unsigned Width = 32,
  parameter int unsigned Depth = 16
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             a_valid_i,
  input  logic [Width-1:0] a_data_i,
  input  logic             b_valid_i,
  input  logic [Width-1:0] b_data_i,

  output logic             out_valid_o,
  input  logic             out_ready_i,
  output logic [Width-1:0] out_data_o
);

  // Rounded up to a power of two: rows wrap by themselves, and a simulator has no row to check.
  localparam int unsigned RowWidth   = Depth > 2 ? $clog2((Depth + 1) / 2) : 1;
  localparam int unsigned Rows       = 2**RowWidth;
  localparam int unsigned CountWidth = $clog2(2*Rows + 1);

  logic [Width-1:0]      bank0_q [Rows];
  logic [Width-1:0]      bank1_q [Rows];
  logic [RowWidth-1:0]   read_row_q, write_row_q, next_row, row0, row1;
  logic                  read_bank_q, write_bank_q;    // items alternate between the banks
  logic [CountWidth-1:0] count_q;                      // items in the banks
  logic                  out_valid_q;
  logic [Width-1:0]      out_q;
  logic                  empty, load, a_direct, b_direct, push_a, push_b, pop;
  logic                  write0, write1, b_in_0, b_in_1;

  assign empty    = count_q == '0;
  assign load     = !out_valid_q || out_ready_i;       // the output register takes something new, if there is any
  assign pop      = load && !empty;
  assign a_direct = load && empty && a_valid_i;
  assign b_direct = load && empty && b_valid_i && !a_valid_i;
  assign push_a   = a_valid_i && !a_direct;
  assign push_b   = b_valid_i && !b_direct;

  // The first item goes to the bank whose turn it is, a second one to the other bank: into the same row when the first
  // went to bank 0, into the next one when it went to bank 1.
  assign next_row = write_row_q + 1'b1;
  assign b_in_0   = push_b && (push_a == write_bank_q);
  assign b_in_1   = push_b && (push_a != write_bank_q);
  assign write0   = b_in_0 || (push_a && !write_bank_q);
  assign write1   = b_in_1 || (push_a && write_bank_q);
  assign row0     = write_bank_q ? next_row : write_row_q;
  assign row1     = write_row_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      out_valid_q  <= 1'b0;
      count_q      <= '0;
      read_row_q   <= '0;
      read_bank_q  <= 1'b0;
      write_row_q  <= '0;
      write_bank_q <= 1'b0;
    end else begin
      if (load) out_valid_q <= !empty || a_valid_i || b_valid_i;
      if (push_a || push_b || pop) count_q <= count_q + CountWidth'(push_a) + CountWidth'(push_b) - CountWidth'(pop);
      if (push_a != push_b) write_bank_q <= !write_bank_q;
      if ((push_a || push_b) && (write_bank_q || (push_a && push_b))) write_row_q <= next_row;
      if (pop) begin
        read_bank_q <= !read_bank_q;
        if (read_bank_q) read_row_q <= read_row_q + 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (write0) bank0_q[row0] <= b_in_0 ? b_data_i : a_data_i;
    if (write1) bank1_q[row1] <= b_in_1 ? b_data_i : a_data_i;
    if (pop) out_q <= read_bank_q ? bank1_q[read_row_q] : bank0_q[read_row_q];
    else if (a_direct) out_q <= a_data_i;
    else if (b_direct) out_q <= b_data_i;
  end

  assign out_valid_o = out_valid_q;
  assign out_data_o  = out_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert ({1'b0, count_q} + (CountWidth + 1)'(push_a) + (CountWidth + 1)'(push_b) <= (CountWidth + 1)'(Depth) +
              (CountWidth + 1)'(pop))
        else $error("a packet came that finds no room");
    end
  end
`endif

endmodule
