// The private instruction cache where area counts: as cpe_icache, but a line is written word by word, and a line that was filled is not
// shown. It has as few blocks of memory as 8 KiB can.
//
// ready_o is low, and nothing may be read, in the eight cycles after a fill; and for 64 after an invalidation, and after reset, in which
// the tags are made void one after the other. Invalidation begins with the cycle after it.
// Of two lines that are there the one to be replaced is chosen in turn, for all sets together.
module cpe_icache_serial (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         invalidate_i,
  output logic         ready_o,
  input  logic         read_i,
  input  logic [28:0]  raddr_i,
  input  logic         fill_i,        // raddr_i lies in the line; the last word that was read, too, and it was not there
  input  logic [511:0] line_i,
  input  logic [19:0]  tag_i,         // of the last read
  output logic         hit_o,
  output logic [63:0]  word_o
);

  logic        clearing_q, filling_q, way_q;
  logic [5:0]  set_q;                  // that is filled or cleared
  logic [2:0]  place_q;                // of the word that is written
  logic [19:0] fill_tag_q;
  logic [63:0] line_q [8];

  // A tag with a bit that says whether it counts.
  (* ram_style = "block" *) logic [20:0] tag0_q [64];
  (* ram_style = "block" *) logic [20:0] tag1_q [64];
  logic [63:0] mem0_q [512];
  logic [63:0] mem1_q [512];
  logic [20:0] rtag0_q, rtag1_q;
  logic [63:0] word0_q, word1_q;

  assign ready_o = !clearing_q && !filling_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || invalidate_i) begin
      clearing_q <= 1'b1;
      filling_q  <= 1'b0;
      set_q      <= '0;
    end else if (clearing_q) begin
      clearing_q <= set_q != '1;
      set_q      <= set_q + 6'd1;
    end else if (fill_i) begin
      filling_q <= 1'b1;
      set_q     <= raddr_i[8:3];
    end else if (filling_q) begin
      filling_q <= place_q != '1;
    end
  end

  always_ff @(posedge clk_i) begin
    place_q <= filling_q ? place_q + 3'd1 : '0;
    if (fill_i) begin
      fill_tag_q <= raddr_i[28:9];
      for (int unsigned i = 0; i < 8; i++) line_q[i] <= line_i[64*i +: 64];
      way_q <= rtag0_q[20] && (!rtag1_q[20] || !way_q);
    end
  end

  logic [8:0]  waddr;
  logic [63:0] wdata;
  logic [20:0] wtag;
  logic        write0, write1;

  assign waddr  = {set_q, place_q};
  assign wdata  = line_q[place_q];
  assign wtag   = clearing_q ? '0 : {1'b1, fill_tag_q};
  assign write0 = clearing_q || (filling_q && !way_q);
  assign write1 = clearing_q || (filling_q && way_q);

  always_ff @(posedge clk_i) begin
    if (write0) tag0_q[set_q] <= wtag;
    if (read_i) rtag0_q <= tag0_q[raddr_i[8:3]];
  end
  always_ff @(posedge clk_i) begin
    if (write1) tag1_q[set_q] <= wtag;
    if (read_i) rtag1_q <= tag1_q[raddr_i[8:3]];
  end
  always_ff @(posedge clk_i) begin
    if (write0) mem0_q[waddr] <= wdata;
    if (read_i) word0_q <= mem0_q[raddr_i[8:0]];
  end
  always_ff @(posedge clk_i) begin
    if (write1) mem1_q[waddr] <= wdata;
    if (read_i) word1_q <= mem1_q[raddr_i[8:0]];
  end

  logic hit1;
  assign hit1   = rtag1_q == {1'b1, tag_i};
  assign hit_o  = hit1 || rtag0_q == {1'b1, tag_i};
  assign word_o = hit1 ? word1_q : word0_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) assert (!(read_i || fill_i) || ready_o) else $error("the cache is not ready");
  end
`endif

endmodule
