// SPDX-License-Identifier: Apache-2.0
// The private instruction cache where area counts: 8 KiB as in cpe_icache, but one way, and a line that was filled is not shown.
//
// A line is 32 bits in each of 16 memories, which are written as a whole and read by 4 bits: nothing chooses a word.
// ready_o is low, and nothing may be read, for 128 cycles after an invalidation, and after reset, in which the tags are made void one
// after the other. Invalidation begins with the cycle after it.
module cpe_icache_serial (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         invalidate_i,
  output logic         ready_o,
  input  logic         read_i,
  input  logic [28:0]  raddr_i,
  input  logic         fill_i,        // raddr_i lies in the line
  input  logic [511:0] line_i,
  input  logic [28:10] tag_i,         // of the last read
  output logic         hit_o,
  output logic [63:0]  word_o
);

  logic       clearing_q;
  logic [6:0] set_q;                  // that is cleared

  assign ready_o = !clearing_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || invalidate_i) begin
      clearing_q <= 1'b1;
      set_q      <= '0;
    end else if (clearing_q) begin
      clearing_q <= set_q != '1;
      set_q      <= set_q + 7'd1;
    end
  end

  // A tag with a bit that says whether it counts.
  (* ram_style = "block" *) logic [19:0] tags_q [128];
  logic [19:0] tag_q;
  logic [6:0]  set;

  assign set = clearing_q ? set_q : raddr_i[9:3];

  always_ff @(posedge clk_i) begin
    if (clearing_q || fill_i) tags_q[set] <= {!clearing_q, raddr_i[28:10]};
    else if (read_i) tag_q <= tags_q[set];
  end

  assign hit_o = tag_q == {1'b1, tag_i};

  for (genvar i = 0; i < 16; i++) begin : g_memory
    logic [3:0] mem_q [1024];
    logic [3:0] part_q;

    always_ff @(posedge clk_i) begin
      if (fill_i) begin
        for (int unsigned j = 0; j < 8; j++) mem_q[{raddr_i[9:3], 3'(j)}] <= line_i[64*j + 4*i +: 4];
      end else if (read_i) begin
        part_q <= mem_q[raddr_i[9:0]];
      end
    end

    assign word_o[4*i +: 4] = part_q;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) assert (!(read_i || fill_i) || ready_o) else $error("the cache is not ready");
  end
`endif

endmodule
