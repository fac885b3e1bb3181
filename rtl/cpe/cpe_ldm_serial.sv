// The local memory of a CPE where area counts: the ports and rules of cpe_ldm, but one access per cycle in all, so that nothing
// is chosen per bank.
//
// 64 lanes of 2048 bytes: byte x lies in lane x % 64, row x / 64. A lane is as wide as a block of memory is deep: one block, no
//   multiplexer behind it. Every lane has its own row, so a line may begin anywhere and still takes one cycle.
// Who goes first: as in cpe_ldm, with all banks being one. Engines take turns: one that waits sees each other one go first at most once.
// Reads: as in cpe_ldm, but e_rdata_o of an engine that is not in Holds is meaningful only in the cycle after its read was taken.
// Writes: the engines that ever write. Narrow: those of them that write the same 32 bits at every place, and leave the choice to strobes.
// clear_i takes 2048 cycles, plus one for each line write.
// Cuts, illegal: as in cpe_ldm.
module cpe_ldm_serial #(
  parameter int unsigned        Engines = 4,
  parameter logic [Engines-1:0] Holds   = '1,
  parameter logic [Engines-1:0] Writes  = '1,
  parameter logic [Engines-1:0] Narrow  = '0
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   line_we_i,
  input  logic [16:0]            line_waddr_i,
  input  logic [6:0]             line_wbytes_i,
  input  logic [511:0]           line_wdata_i,
  input  logic                   line_re_i,
  output logic                   line_re_ready_o,
  input  logic [16:0]            line_raddr_i,
  input  logic [6:0]             line_rbytes_i,
  output logic [511:0]           line_rdata_o,

  input  logic                   s_valid_i,
  output logic                   s_ready_o,
  input  logic                   s_write_i,
  input  logic [16:2]            s_addr_i,
  input  logic [31:0]            s_wdata_i,
  input  logic [3:0]             s_strb_i,
  output logic [31:0]            s_rdata_o,

  input  logic [Engines-1:0]     e_valid_i,
  output logic [Engines-1:0]     e_ready_o,
  input  logic [Engines-1:0]     e_write_i,
  input  logic [12*Engines-1:0]  e_addr_i,   // addr[16:5]
  input  logic [256*Engines-1:0] e_wdata_i,
  input  logic [32*Engines-1:0]  e_strb_i,
  output logic [256*Engines-1:0] e_rdata_o,

  input  logic                   a_valid_i,
  output logic                   a_ready_o,
  input  logic                   a_write_i,
  input  logic [16:3]            a_addr_i,
  input  logic [63:0]            a_wdata_i,
  input  logic [7:0]             a_strb_i,
  output logic [63:0]            a_rdata_o,

  input  logic                   clear_i,
  output logic                   clearing_o,
  output logic                   busy_o,
  output logic                   event_conflict_o
);

  // --- Whose cycle it is --------------------------------------------------------------------------------------------

  logic               clearing_q, line_read, free, a_urgent, a_early;
  logic [10:0]        clear_row_q;
  logic [3:0]         a_age_q;
  logic [Engines-1:0] later_q;  // engines behind the one that went last: they are first now
  logic [Engines-1:0] first, engine;

  // The lowest bit of those that are first, else of all.
  assign first  = e_valid_i & later_q;
  assign engine = first != '0 ? first & (~first + 1'b1) : e_valid_i & (~e_valid_i + 1'b1);

  assign a_urgent  = &a_age_q;
  assign line_read = line_re_i && !line_we_i && !clearing_q;
  assign free      = !line_we_i && !line_re_i && !clearing_q;
  assign a_early   = a_valid_i && a_urgent;

  assign line_re_ready_o = line_read;
  assign s_ready_o       = s_valid_i && free && !a_early;
  assign e_ready_o       = free && !a_early && !s_valid_i ? engine : '0;
  assign a_ready_o       = a_valid_i && free && (a_urgent || (!s_valid_i && e_valid_i == '0));

  assign event_conflict_o = (line_re_i && !line_read) || (s_valid_i && !s_ready_o) || (e_valid_i & ~e_ready_o) != '0 ||
                            (a_valid_i && !a_ready_o);

  assign clearing_o = clearing_q;
  assign busy_o     = clearing_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      later_q     <= '0;
      a_age_q     <= '0;
      clearing_q  <= 1'b0;
      clear_row_q <= '0;
    end else begin
      if (e_ready_o != '0) later_q <= ~(e_ready_o | (e_ready_o - 1'b1));
      if (a_valid_i) a_age_q <= a_ready_o ? '0 : a_age_q + 4'(!a_urgent);
      if (clear_i) begin
        clearing_q  <= 1'b1;
        clear_row_q <= '0;
      end else if (clearing_q && !line_we_i) begin
        clearing_q  <= clear_row_q != '1;
        clear_row_q <= clear_row_q + 11'd1;
      end
    end
  end

  // --- What is done in it -------------------------------------------------------------------------------------------

  logic [11:0]  word_addr;          // of scalar core, engine or access port
  logic         word_write;
  logic [31:0]  word_strb, e_strb;
  logic [63:0]  narrow;             // 0 in a cycle of who writes whole words, and the other way round
  logic [255:0] wide;
  logic [11:0]  e_addr;

  always_comb begin
    e_addr = '0;
    e_strb = '0;
    narrow = '0;
    wide   = '0;
    for (int unsigned i = 0; i < Engines; i++) begin
      if (e_ready_o[i]) begin
        e_addr = e_addr | e_addr_i[12*i +: 12];
        if (Writes[i]) begin
          e_strb = e_strb | e_strb_i[32*i +: 32];
          if (Narrow[i]) narrow = narrow | {2{e_wdata_i[256*i +: 32]}};
          else wide = wide | e_wdata_i[256*i +: 256];
        end
      end
    end
    if (s_ready_o) narrow = narrow | {2{s_wdata_i}};
    if (a_ready_o) narrow = narrow | a_wdata_i;
  end

  always_comb begin
    word_addr  = e_addr;
    word_write = (e_ready_o & e_write_i & Writes) != '0;
    word_strb  = e_strb;
    if (s_ready_o) begin
      word_addr  = s_addr_i[16:5];
      word_write = s_write_i;
      word_strb  = 32'(s_strb_i) << {s_addr_i[4:2], 2'b00};
    end else if (a_ready_o) begin
      word_addr  = a_addr_i[16:5];
      word_write = a_write_i;
      word_strb  = 32'(a_strb_i) << {a_addr_i[4:3], 3'b000};
    end
  end

  // A line: lanes from its first byte on lie in that byte's row, those before in the next one.
  logic [16:0] line_addr;
  logic [6:0]  line_end;            // behind the last byte, from the first one's row on
  logic [63:0] from, till, line_lanes, lanes_we;
  logic [10:0] row, row_after;
  logic        line, any;

  assign line       = line_we_i || line_read;
  assign any        = line || clearing_q || s_ready_o || a_ready_o || e_ready_o != '0;
  assign line_addr  = line_we_i ? line_waddr_i : line_raddr_i;
  assign line_end   = {1'b0, line_waddr_i[5:0]} + line_wbytes_i;
  assign from       = ~64'd0 << line_addr[5:0];
  assign till       = ~(~64'd0 << line_end[5:0]);
  assign line_lanes = line_end[6] ? from | till : from & till;

  always_comb begin
    row      = word_addr[11:1];
    lanes_we = '0;
    if (line) row = line_addr[16:6];
    else if (clearing_q) row = clear_row_q;
    row_after = line ? line_addr[16:6] + 11'd1 : row;

    if (line_we_i) lanes_we = line_lanes;
    else if (clearing_q) lanes_we = '1;
    else if (word_write && !line_read) lanes_we = word_addr[0] ? {word_strb, 32'd0} : {32'd0, word_strb};
  end

  logic [511:0] rdata;
  logic [255:0] word;
  logic         half_q;

  for (genvar i = 0; i < 64; i++) begin : g_lane
    logic [7:0]  mem_q [2048];
    logic [7:0]  rdata_q, wdata;
    logic [10:0] lane_row;

    assign lane_row = from[i] ? row : row_after;
    // While everything is cleared, nobody else writes.
    assign wdata    = line_we_i ? line_wdata_i[8*i +: 8] : wide[8*(i%32) +: 8] | narrow[8*(i%8) +: 8];

    always_ff @(posedge clk_i) begin
      if (any) begin
        if (lanes_we[i]) mem_q[lane_row] <= wdata;
        else rdata_q <= mem_q[lane_row];
      end
    end

    assign rdata[8*i +: 8] = rdata_q;
  end

  // --- What was read ------------------------------------------------------------------------------------------------

  logic        a_fresh_q;
  logic [2:0]  s_word_q;
  logic [1:0]  a_word_q;
  logic [63:0] a_rdata_q;

  assign line_rdata_o = rdata;
  assign word         = half_q ? rdata[511:256] : rdata[255:0];
  assign s_rdata_o    = word[{s_word_q, 5'd0} +: 32];
  assign a_rdata_o    = a_fresh_q ? word[{a_word_q, 6'd0} +: 64] : a_rdata_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) a_fresh_q <= 1'b0;
    else a_fresh_q <= a_ready_o && !a_write_i;
  end

  always_ff @(posedge clk_i) begin
    half_q <= word_addr[0];
    if (s_ready_o) s_word_q <= s_addr_i[4:2];
    if (a_ready_o) a_word_q <= a_addr_i[4:3];
    if (a_fresh_q) a_rdata_q <= a_rdata_o;
  end

  for (genvar i = 0; i < Engines; i++) begin : g_engine
    if (Holds[i]) begin : g_holds
      logic         fresh_q;
      logic [255:0] held_q;
      always_ff @(posedge clk_i) begin
        if (!rst_ni) fresh_q <= 1'b0;
        else fresh_q <= e_ready_o[i] && !e_write_i[i];
        if (fresh_q) held_q <= word;
      end
      assign e_rdata_o[256*i +: 256] = fresh_q ? word : held_q;
    end else begin : g_passes
      assign e_rdata_o[256*i +: 256] = word;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && line_we_i) begin
      assert (line_wbytes_i != '0 && line_wbytes_i <= 7'd64 && {1'b0, line_waddr_i} + 18'(line_wbytes_i) <= 18'h2_0000)
        else $error("a line write of %0d bytes at %05x", line_wbytes_i, line_waddr_i);
    end
    if (rst_ni && line_re_i) begin
      assert (line_rbytes_i != '0 && line_rbytes_i <= 7'd64 && {1'b0, line_raddr_i} + 18'(line_rbytes_i) <= 18'h2_0000)
        else $error("a line read of %0d bytes at %05x", line_rbytes_i, line_raddr_i);
    end
    if (rst_ni) begin
      assert ((e_valid_i & e_write_i & ~Writes) == '0) else $error("an engine writes that never does: %b", e_write_i);
      for (int unsigned i = 0; i < Engines; i++) begin
        assert (!(Narrow[i] && e_valid_i[i] && e_write_i[i]) || e_wdata_i[256*i +: 256] == {8{e_wdata_i[256*i +: 32]}})
          else $error("engine %0d writes a whole word", i);
      end
    end
  end
`endif

endmodule
