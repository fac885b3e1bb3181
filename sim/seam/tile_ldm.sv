// SPDX-License-Identifier: Apache-2.0
// The local memory of a CPE (rtl/cpe/memory/cpe_ldm.sv) as a model of a CPE has it: the same ports, rules and arbiter, but one memory of words
// in place of banks and multiplexers, and a register for what each port has read. Without an access it costs a simulator three branches.
// The testbench of the local memory tests this one as well (cpe.ldm-tile).
//
// In a cycle a word is for one port only (the arbiter gives away banks), so that reads and writes may come in any order.
module tile_ldm #(
  parameter int unsigned      Engines = 4,
  parameter bit [Engines-1:0] Holds   = '1  // here all do
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
  input  logic [32*Engines-1:0]  e_addr_i,
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

  logic        others;
  logic [8:0]  clear_row;
  logic [1:0]  lw_words;
  logic [31:0] lw_from, lw_till;

  cpe_ldm_arbiter #(.Engines(Engines)) u_arbiter (
    .clk_i,
    .rst_ni,
    .line_we_i,
    .line_waddr_i,
    .line_wbytes_i,
    .line_re_i,
    .line_re_ready_o,
    .line_raddr_i,
    .line_rbytes_i,
    .s_valid_i,
    .s_ready_o,
    .s_addr_i(s_addr_i[7:5]),
    .e_valid_i,
    .e_ready_o,
    .e_addr_i,
    .a_valid_i,
    .a_ready_o,
    .a_addr_i(a_addr_i[7:5]),
    .clear_i,
    .clearing_o,
    .clear_row_o(clear_row),
    .others_o(others),
    .busy_banks_o(),
    .lw_banks_o(),
    .lr_banks_o(),
    .lw_from_o(lw_from),
    .lw_till_o(lw_till),
    .lw_words_o(lw_words),
    .event_conflict_o
  );

  assign busy_o = clearing_o;

  /* verilator lint_off BLKSEQ */
  logic [255:0] mem_q [4096];
  logic [11:0]  word;
  logic [31:0]  strb;
  logic [255:0] wdata;

  // Four bytes, or what a port writes in part, are put together byte by byte.
  task automatic store();
    if (&strb) begin
      mem_q[word] = wdata;
    end else begin
      for (int unsigned i = 0; i < 32; i++) if (strb[i]) mem_q[word][8*i +: 8] = wdata[8*i +: 8];
    end
  endtask

  // The one process that writes.
  always_ff @(posedge clk_i) begin
    if (s_ready_o) begin
      if (!s_write_i) begin
        s_rdata_o <= mem_q[s_addr_i[16:5]][{s_addr_i[4:2], 5'd0} +: 32];
      end else if (&s_strb_i) begin
        mem_q[s_addr_i[16:5]][{s_addr_i[4:2], 5'd0} +: 32] = s_wdata_i;
      end else begin
        for (int unsigned i = 0; i < 4; i++) begin
          if (s_strb_i[i]) mem_q[s_addr_i[16:5]][{s_addr_i[4:2], 2'(i), 3'd0} +: 8] = s_wdata_i[8*i +: 8];
        end
      end
    end
    if (others) begin
      if (clearing_o) begin
        for (int unsigned i = 0; i < 8; i++) mem_q[{clear_row, 3'(i)}] = '0;
      end
      if (line_we_i) begin
        for (int unsigned i = 0; i < 3; i++) begin
          if (2'(i) <= lw_words) begin
            word  = line_waddr_i[16:5] + 12'(i);
            strb  = (i == 0 ? lw_from : '1) & (2'(i) == lw_words ? lw_till : '1);
            wdata = word[0] ? line_wdata_i[511:256] : line_wdata_i[255:0];
            store();
          end
        end
      end
      if (a_ready_o && a_write_i) begin
        word  = a_addr_i[16:5];
        strb  = 32'(a_strb_i) << {a_addr_i[4:3], 3'd0};
        wdata = {4{a_wdata_i}};
        store();
      end
      for (int unsigned i = 0; i < Engines; i++) begin
        if (e_ready_o[i] && e_write_i[i]) begin
          word  = e_addr_i[32*i +: 12];
          strb  = e_strb_i[32*i +: 32];
          wdata = e_wdata_i[256*i +: 256];
          store();
        end
      end
    end
  end

  // From the first byte on the lanes of a line are in the word of that byte, then in the next; those before it in the third.
  logic [511:0] line_q;
  logic [11:0]  line_word;
  logic [255:0] ends, between;
  always_ff @(posedge clk_i) begin
    if (others) begin
      if (line_re_ready_o) begin
        line_word = line_raddr_i[16:5];
        ends      = mem_q[line_word];
        between   = mem_q[line_word + 12'd1];
        for (int unsigned i = 0; i < 32; i++) begin
          if (5'(i) < line_raddr_i[4:0]) ends[8*i +: 8] = mem_q[line_word + 12'd2][8*i +: 8];
        end
        line_q <= line_word[0] ? {ends, between} : {between, ends};
      end
      if (a_ready_o && !a_write_i) a_rdata_o <= mem_q[a_addr_i[16:5]][{a_addr_i[4:3], 6'd0} +: 64];
    end
  end
  assign line_rdata_o = line_q;
  /* verilator lint_on BLKSEQ */

  for (genvar i = 0; i < Engines; i++) begin : g_engine
    logic [255:0] rdata_q;
    always_ff @(posedge clk_i) begin
      if (others) begin
        if (e_ready_o[i] && !e_write_i[i]) rdata_q <= mem_q[e_addr_i[32*i +: 12]];
      end
    end
    assign e_rdata_o[256*i +: 256] = rdata_q;
  end

endmodule
