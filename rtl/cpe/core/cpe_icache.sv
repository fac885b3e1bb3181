// SPDX-License-Identifier: Apache-2.0
// The private instruction cache: 16 KiB, two ways, 64-byte lines, read as 64-bit words. Addresses count such words.
//
// A read presents the words of both ways and their tags one cycle later, and until the next read. A line is written in one
// cycle, into the way that is free, else in turn; a read of it in the same cycle finds it. It must not be here already. What is replaced
// cannot be read in that cycle.
// peek_i asks beside that whether a line is here, without its words.
// Invalidation takes effect on reads from the next cycle on; words read before look as they did.
module cpe_icache (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         invalidate_i,
  input  logic         read_i,
  input  logic [28:0]  raddr_i,
  input  logic         fill_i,
  input  logic [25:0]  fill_line_i,
  input  logic [511:0] line_i,
  input  logic         peek_i,
  input  logic [25:0]  peek_line_i,
  output logic         here_o,
  input  logic [18:0]  tag_i,         // of the last read
  output logic         hit_o,
  output logic [63:0]  word_o
);

  logic [127:0] valid0_q, valid1_q, turn_q;  // by set; turn: the way to be replaced next
  logic [18:0] tag0_q [128];
  logic [18:0] tag1_q [128];
  logic [63:0] word0_q, word1_q;
  logic [18:0] rtag0_q, rtag1_q;
  logic        rvalid0_q, rvalid1_q;

  logic [6:0]  set, fill_set, peek_set;
  logic        way;        // that the fill takes
  logic        through;    // the line that is written is read
  logic        gone0, gone1;  // the way that is read is written
  assign set      = raddr_i[9:3];
  assign fill_set = fill_line_i[6:0];
  assign peek_set = peek_line_i[6:0];
  always_comb begin
    way     = 1'b0;
    through = 1'b0;
    gone0   = 1'b0;
    gone1   = 1'b0;
    if (fill_i) begin
      way     = valid0_q[fill_set] && (!valid1_q[fill_set] || turn_q[fill_set]);
      through = raddr_i[28:3] == fill_line_i;
      gone0   = !way && set == fill_set;
      gone1   = way && set == fill_set;
    end
  end

  always_comb begin
    here_o = 1'b0;
    if (peek_i) begin
      here_o = (valid0_q[peek_set] && tag0_q[peek_set] == peek_line_i[25:7]) ||
               (valid1_q[peek_set] && tag1_q[peek_set] == peek_line_i[25:7]);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid0_q <= '0;
      valid1_q <= '0;
      turn_q   <= '0;
    end else if (invalidate_i) begin
      valid0_q <= '0;
      valid1_q <= '0;
    end else if (fill_i) begin
      if (way) valid1_q[fill_set] <= 1'b1;
      else valid0_q[fill_set] <= 1'b1;
      turn_q[fill_set] <= !way;
    end
  end

  // A line that is written appears as a word of way 0.
  always_ff @(posedge clk_i) begin
    if (read_i) begin
      rvalid0_q <= through || (valid0_q[set] && !gone0);
      rvalid1_q <= !through && valid1_q[set] && !gone1;
      rtag0_q   <= through ? raddr_i[28:10] : tag0_q[set];
      rtag1_q   <= tag1_q[set];
    end
  end

  always_ff @(posedge clk_i) begin
    if (fill_i) begin
      if (way) tag1_q[fill_set] <= fill_line_i[25:7];
      else tag0_q[fill_set] <= fill_line_i[25:7];
    end
  end

`ifdef SYNTHESIS

  // Eight banks of each way side by side, so that a line is written at once.
  logic [8*64-1:0] bank0, bank1;
  logic [2:0]      read_bank_q;
  logic            through_q;
  logic [63:0]     fill_word_q;

  for (genvar i = 0; i < 8; i++) begin : g_bank
    logic [63:0] mem0_q [128];
    logic [63:0] mem1_q [128];
    logic [63:0] data0_q, data1_q;
    always_ff @(posedge clk_i) begin
      if (fill_i && !way) mem0_q[fill_set] <= line_i[64*i +: 64];
      if (read_i && !gone0 && raddr_i[2:0] == 3'(i)) data0_q <= mem0_q[set];
    end
    always_ff @(posedge clk_i) begin
      if (fill_i && way) mem1_q[fill_set] <= line_i[64*i +: 64];
      if (read_i && !gone1 && raddr_i[2:0] == 3'(i)) data1_q <= mem1_q[set];
    end
    assign bank0[64*i +: 64] = data0_q;
    assign bank1[64*i +: 64] = data1_q;
  end

  always_ff @(posedge clk_i) begin
    if (read_i) read_bank_q <= raddr_i[2:0];
    if (read_i) through_q <= through;
    if (read_i && through) fill_word_q <= line_i[64*raddr_i[2:0] +: 64];
  end

  assign word0_q = through_q ? fill_word_q : bank0[64*read_bank_q +: 64];
  assign word1_q = bank1[64*read_bank_q +: 64];

`else

  // The same function. One array and one process, which a simulator runs faster.
  logic [63:0] mem0_q [1024];
  logic [63:0] mem1_q [1024];
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (read_i) begin
      word0_q <= mem0_q[raddr_i[9:0]];
      word1_q <= mem1_q[raddr_i[9:0]];
    end
    if (fill_i) begin
      for (int unsigned i = 0; i < 8; i++) begin
        if (way) mem1_q[{fill_set, 3'(i)}] = line_i[64*i +: 64];
        else mem0_q[{fill_set, 3'(i)}] = line_i[64*i +: 64];
      end
      if (read_i && through) word0_q <= line_i[64*raddr_i[2:0] +: 64];
    end
  end
  /* verilator lint_on BLKSEQ */

`endif

  logic hit1;
  assign hit1   = rvalid1_q && rtag1_q == tag_i;
  assign hit_o  = hit1 || (rvalid0_q && rtag0_q == tag_i);
  assign word_o = hit1 ? word1_q : word0_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && fill_i) begin
      assert (!(valid0_q[fill_set] && tag0_q[fill_set] == fill_line_i[25:7]) && !(valid1_q[fill_set] && tag1_q[fill_set] == fill_line_i[25:7]))
        else $error("line %h is here already", fill_line_i);
    end
  end
`endif

endmodule
