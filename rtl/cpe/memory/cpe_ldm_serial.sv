// SPDX-License-Identifier: Apache-2.0
// The local memory of a CPE where area counts: the ports and rules of cpe_ldm, but one access per cycle in all, so that nothing
// is chosen per bank.
//
// 4096 words of 32 bytes, in memories that are one block each and have two ports: the first one is at the word that is accessed, or the
//   lower half of a line, the second at the upper half. So only what is written is chosen from, and what one word has for less.
// Lines must not cross a multiple of 64 bytes.
// Who goes first: as in cpe_ldm, with all banks being one. Engines take turns: one that waits sees each other one go first at most once.
// Reads: as in cpe_ldm, but what engines and the access port read is there only in the cycle after it was taken.
// Writes: the engines that ever write. Of them First and Second write whole words, each through a port; all others write the same 32 bits
//   at every place, and leave the choice to strobes.
// clear_i takes 2048 cycles, plus one for each line write.
// Cuts, illegal: as in cpe_ldm.
module cpe_ldm_serial #(
  parameter int unsigned        Engines = 4,
  parameter logic [Engines-1:0] Writes  = '1,
  parameter int unsigned        First   = 0,
  parameter int unsigned        Second  = 1
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

  logic        line_read, clearing;
  logic [10:0] clear_row;

  cpe_ldm_arbiter_serial #(
    .Engines(Engines)
  ) u_arbiter (
    .clk_i,
    .rst_ni,
    .line_we_i,
    .line_re_i,
    .line_re_ready_o(line_read),
    .s_valid_i,
    .s_ready_o,
    .e_valid_i,
    .e_ready_o,
    .a_valid_i,
    .a_ready_o,
    .clear_i,
    .clearing_o     (clearing),
    .clear_row_o    (clear_row),
    .event_conflict_o
  );

  assign line_re_ready_o = line_read;
  assign clearing_o      = clearing;
  assign busy_o          = clearing;

  // --- Where it is done ---------------------------------------------------------------------------------------------

  logic        line, whole;
  logic [11:0] e_addr, addr;
  logic [16:0] line_addr;

  assign line      = line_we_i || line_read;
  assign line_addr = line_we_i ? line_waddr_i : line_raddr_i;
  assign whole     = line || clearing;  // both ports are at work

  always_comb begin
    e_addr = '0;
    for (int unsigned i = 0; i < Engines; i++) if (e_ready_o[i]) e_addr = e_addr | e_addr_i[12*i +: 12];
    if (line) addr = {line_addr[16:6], 1'b0};
    else if (clearing) addr = {clear_row, 1'b0};
    else if (s_ready_o) addr = s_addr_i[16:5];
    else if (a_ready_o) addr = a_addr_i[16:5];
    else addr = e_addr;
  end

  // --- What is written ----------------------------------------------------------------------------------------------

  logic        first, second, narrow;
  logic [31:0] e_strb;
  logic [63:0] pattern;                 // what is written at every place, if that is narrow
  logic [7:0]  pattern_strb, places;    // of a pattern of 8 bytes; of 4 bytes each in the word
  logic [6:0]  line_end;                // behind the last byte
  logic [63:0] line_strb;
  logic [31:0] first_we, second_we;

  assign first  = e_ready_o[First];
  assign second = e_ready_o[Second];
  assign narrow = !line_we_i && !first;

  always_comb begin
    e_strb       = '0;
    pattern      = '0;
    pattern_strb = '0;
    places       = '0;
    for (int unsigned i = 0; i < Engines; i++) begin
      if (Writes[i] && e_ready_o[i] && i != First && i != Second) begin
        pattern = pattern | {2{e_wdata_i[256*i +: 32]}};
        if (e_write_i[i]) e_strb = e_strb | e_strb_i[32*i +: 32];
      end
    end
    if (s_ready_o) begin
      pattern = pattern | {2{s_wdata_i}};
      places  = 8'd1 << s_addr_i[4:2];
      if (s_write_i) pattern_strb = {2{s_strb_i}};
    end
    if (a_ready_o) begin
      pattern = pattern | a_wdata_i;
      places  = 8'd3 << {a_addr_i[4:3], 1'b0};
      if (a_write_i) pattern_strb = a_strb_i;
    end
  end

  assign line_end  = {1'b0, line_waddr_i[5:0]} + line_wbytes_i;
  assign line_strb = (~64'd0 << line_waddr_i[5:0]) & ~(~64'd0 << line_end) & {64{line_we_i}};

  always_comb begin
    for (int unsigned i = 0; i < 32; i++) begin
      first_we[i]  = line_strb[i] || e_strb[i] || (places[i/4] && pattern_strb[i%8]);
      second_we[i] = line_strb[32+i];
    end
    // While everything is cleared, only lines are written beside it.
    if (!line_we_i && clearing) {first_we, second_we} = '1;
    if (first) first_we = e_strb_i[32*First +: 32];
    if (second) {first_we, second_we} = {32'd0, e_strb_i[32*Second +: 32]};
  end

  // --- Memories -----------------------------------------------------------------------------------------------------

  logic [255:0] lower, upper;

  // What is narrow, else which of two: then one table of four inputs for each bit chooses from three.
  logic [63:0] choice;
  assign choice = pattern | {64{first}};

  // Four bits of each word.
  for (genvar i = 0; i < 64; i++) begin : g_memory
    logic [3:0] mem_q [4096];
    logic [3:0] lower_q, upper_q, first_data, second_data;

    always_comb begin
      for (int unsigned b = 0; b < 4; b++) begin
        if (narrow) first_data[b] = choice[(4*i + b) % 64];
        else first_data[b] = choice[(4*i + b) % 64] ? e_wdata_i[256*First + 4*i + b] : line_wdata_i[4*i + b];
      end
      second_data = second ? e_wdata_i[256*Second + 4*i +: 4] : line_wdata_i[256 + 4*i +: 4];
      if (clearing && !line_we_i) second_data = '0;
    end

    // Conditions that keep a port from what the other one writes, to be seen here: else it is no memory to synthesis.
    always_ff @(posedge clk_i) begin
      if (first_we[i/2]) mem_q[addr] <= first_data;
      else if (!second) lower_q <= mem_q[addr];
      if (second_we[i/2]) mem_q[{addr[11:1], addr[0] || whole}] <= second_data;
      else if (line_read) upper_q <= mem_q[{addr[11:1], addr[0] || whole}];
    end

    assign lower[4*i +: 4] = lower_q;
    assign upper[4*i +: 4] = upper_q;
  end

  // --- What was read ------------------------------------------------------------------------------------------------

  logic [4:2] place_q;

  assign line_rdata_o = {upper, lower};
  assign e_rdata_o    = {Engines{lower}};
  assign a_rdata_o    = lower[{place_q[4:3], 6'd0} +: 64];
  assign s_rdata_o    = a_rdata_o[{place_q[2], 5'd0} +: 32];

  always_ff @(posedge clk_i) begin
    place_q <= s_ready_o ? s_addr_i[4:2] : {a_addr_i[4:3], 1'b0};
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && line_we_i) begin
      assert (line_wbytes_i != '0 && {1'b0, line_waddr_i[5:0]} + line_wbytes_i <= 7'd64)
        else $error("a line write of %0d bytes at %05x", line_wbytes_i, line_waddr_i);
    end
    if (rst_ni && line_re_i) begin
      assert (line_rbytes_i != '0 && {1'b0, line_raddr_i[5:0]} + line_rbytes_i <= 7'd64)
        else $error("a line read of %0d bytes at %05x", line_rbytes_i, line_raddr_i);
    end
    if (rst_ni) begin
      assert ((e_valid_i & e_write_i & ~Writes) == '0) else $error("an engine writes that never does: %b", e_write_i);
      for (int unsigned i = 0; i < Engines; i++) begin
        assert (i == First || i == Second || !(e_valid_i[i] && e_write_i[i]) || e_wdata_i[256*i +: 256] == {8{e_wdata_i[256*i +: 32]}})
          else $error("engine %0d writes a whole word", i);
      end
      assert (!(e_valid_i[First] && !e_write_i[First]) && !(e_valid_i[Second] && !e_write_i[Second])) else $error("an engine reads that only writes");
    end
  end
`endif

endmodule
