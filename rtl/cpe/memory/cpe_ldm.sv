// SPDX-License-Identifier: Apache-2.0
// The local memory of a CPE (LDM): 128 KiB in 8 banks of 512 rows of 32 bytes. Bank addr[7:5], row addr[16:8]. Each bank serves one
// access per cycle, different banks different ports at once.
//
// Who has a bank first: line writes, which never wait; line reads; the scalar core; the engines; the access port, which comes
//   before core and engines once it has waited 15 cycles. Engines take turns at each bank: one that waits sees each other one
//   go first at most once.
// Line port: 1 to 64 bytes from any address on, up to three banks. Byte x travels in lane x % 64.
// Reads: data in the cycle after the one in which the read was taken; a_rdata_o, and e_rdata_o of engines in Holds, keep it until
//   their port's next read is taken, the others are meaningful in that one cycle.
// clear_i sets everything to 0: 512 cycles, plus one for each line write, which goes first. Everybody else waits.
// Cuts: nothing from valid and address to ready. Ready of a port follows only from ports that go before it.
// Illegal: a line write or read of no or more than 64 bytes, or beyond the end; a request withdrawn before it is taken.
module cpe_ldm #(
  parameter int unsigned      Engines = 4,
  parameter bit [Engines-1:0] Holds   = '1  // engines that look at what they read for longer than a cycle
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
  input  logic [32*Engines-1:0]  e_addr_i,   // addr[16:5], each in a word of its own
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
  output logic                   busy_o,           // something goes on that no port asks for
  output logic                   event_conflict_o  // somebody waits
);

  logic        clearing, others;
  logic [8:0]  clear_row;
  logic [7:0]  busy_banks, lw_banks, lr_banks;
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
    .clearing_o(clearing),
    .clear_row_o(clear_row),
    .others_o(others),
    .busy_banks_o(busy_banks),
    .lw_banks_o(lw_banks),
    .lr_banks_o(lr_banks),
    .lw_from_o(lw_from),
    .lw_till_o(lw_till),
    .lw_words_o(lw_words),
    .event_conflict_o
  );

  assign clearing_o = clearing;
  assign busy_o     = clearing;

  // --- Banks --------------------------------------------------------------------------------------------------------

  for (genvar i = 0; i < 8; i++) begin : g_bank
    logic [255:0] rdata;

    cpe_ldm_bank #(.Bank(i), .Engines(Engines)) u_bank (
      .clk_i,
      .en_i(busy_banks[i]),
      .lw_i(lw_banks[i]),
      .lw_addr_i(line_waddr_i[16:5]),
      .lw_words_i(lw_words),
      .lw_from_i(lw_from),
      .lw_till_i(lw_till),
      .lw_data_i(line_wdata_i[256*(i % 2) +: 256]),
      .lr_i(lr_banks[i]),
      .lr_addr_i(line_raddr_i[16:5]),
      .clear_i(clearing),
      .clear_row_i(clear_row),
      .s_i(s_ready_o),
      .s_write_i,
      .s_addr_i,
      .s_wdata_i,
      .s_strb_i,
      .a_i(a_ready_o),
      .a_write_i,
      .a_addr_i,
      .a_wdata_i,
      .a_strb_i,
      .e_grant_i(e_ready_o),
      .e_write_i,
      .e_addr_i,
      .e_wdata_i,
      .e_strb_i,
      .rdata_o(rdata)
    );
  end

  // --- What was read ------------------------------------------------------------------------------------------------

  logic               s_read_q;
  logic [Engines+1:0] fresh_q;  // read in the cycle before: line port, access port, engines
  logic               lr_q, a_fresh_q;
  logic [2:0]         lr_bank_q, s_bank_q, a_bank_q;
  logic [4:0]         lr_byte_q;
  logic [2:0]         s_word_q;
  logic [1:0]         a_word_q;

  assign lr_q      = fresh_q[Engines+1];
  assign a_fresh_q = fresh_q[Engines];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) s_read_q <= 1'b0;
    else s_read_q <= s_ready_o && !s_write_i;
    if (s_ready_o) {s_bank_q, s_word_q} <= s_addr_i[7:2];
  end

  always_ff @(posedge clk_i) begin
    if (others || fresh_q != '0 || !rst_ni) begin
      fresh_q <= {line_re_ready_o, a_ready_o && !a_write_i, e_ready_o & ~e_write_i};
      if (line_re_ready_o) {lr_bank_q, lr_byte_q} <= line_raddr_i[7:0];
      if (a_ready_o) {a_bank_q, a_word_q} <= a_addr_i[7:3];
      if (!rst_ni) fresh_q <= '0;
    end
  end

  // The word of the first byte gives the lanes from that byte on, the third word those before; both lie in the same half.
  logic [1:0] even, odd;  // which of the four banks of a half, for one byte
  always_comb begin
    line_rdata_o = '0;
    even         = '0;
    odd          = '0;
    if (lr_q) begin
      for (int unsigned i = 0; i < 32; i++) begin
        even = lr_bank_q[2:1] + 2'(lr_bank_q[0] || lr_byte_q > 5'(i));
        odd  = lr_bank_q[2:1] + 2'(lr_bank_q[0] && lr_byte_q > 5'(i));
        case (even)
          2'd0:    line_rdata_o[8*i +: 8] = g_bank[0].rdata[8*i +: 8];
          2'd1:    line_rdata_o[8*i +: 8] = g_bank[2].rdata[8*i +: 8];
          2'd2:    line_rdata_o[8*i +: 8] = g_bank[4].rdata[8*i +: 8];
          default: line_rdata_o[8*i +: 8] = g_bank[6].rdata[8*i +: 8];
        endcase
        case (odd)
          2'd0:    line_rdata_o[256 + 8*i +: 8] = g_bank[1].rdata[8*i +: 8];
          2'd1:    line_rdata_o[256 + 8*i +: 8] = g_bank[3].rdata[8*i +: 8];
          2'd2:    line_rdata_o[256 + 8*i +: 8] = g_bank[5].rdata[8*i +: 8];
          default: line_rdata_o[256 + 8*i +: 8] = g_bank[7].rdata[8*i +: 8];
        endcase
      end
    end
  end

  always_comb begin
    s_rdata_o = '0;
    if (s_read_q) begin
      case (s_bank_q)
        3'd0:    s_rdata_o = g_bank[0].rdata[{s_word_q, 5'd0} +: 32];
        3'd1:    s_rdata_o = g_bank[1].rdata[{s_word_q, 5'd0} +: 32];
        3'd2:    s_rdata_o = g_bank[2].rdata[{s_word_q, 5'd0} +: 32];
        3'd3:    s_rdata_o = g_bank[3].rdata[{s_word_q, 5'd0} +: 32];
        3'd4:    s_rdata_o = g_bank[4].rdata[{s_word_q, 5'd0} +: 32];
        3'd5:    s_rdata_o = g_bank[5].rdata[{s_word_q, 5'd0} +: 32];
        3'd6:    s_rdata_o = g_bank[6].rdata[{s_word_q, 5'd0} +: 32];
        default: s_rdata_o = g_bank[7].rdata[{s_word_q, 5'd0} +: 32];
      endcase
    end
  end

  logic [63:0] a_rdata_q;
  always_comb begin
    a_rdata_o = a_rdata_q;
    if (a_fresh_q) begin
      case (a_bank_q)
        3'd0:    a_rdata_o = g_bank[0].rdata[{a_word_q, 6'd0} +: 64];
        3'd1:    a_rdata_o = g_bank[1].rdata[{a_word_q, 6'd0} +: 64];
        3'd2:    a_rdata_o = g_bank[2].rdata[{a_word_q, 6'd0} +: 64];
        3'd3:    a_rdata_o = g_bank[3].rdata[{a_word_q, 6'd0} +: 64];
        3'd4:    a_rdata_o = g_bank[4].rdata[{a_word_q, 6'd0} +: 64];
        3'd5:    a_rdata_o = g_bank[5].rdata[{a_word_q, 6'd0} +: 64];
        3'd6:    a_rdata_o = g_bank[6].rdata[{a_word_q, 6'd0} +: 64];
        default: a_rdata_o = g_bank[7].rdata[{a_word_q, 6'd0} +: 64];
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (a_fresh_q) a_rdata_q <= a_rdata_o;
  end

  // An engine's bank may serve others in the next cycle already; who looks at what it has read for longer has a register for it.
  logic engines;  // something is read or has been in the cycle before
  assign engines = e_ready_o != '0 || fresh_q[Engines-1:0] != '0;

  for (genvar i = 0; i < Engines; i++) begin : g_engine
    logic [2:0]   bank_q;
    logic [255:0] rdata_q, rdata;

    always_ff @(posedge clk_i) begin
      if (engines) begin
        if (e_ready_o[i]) bank_q <= e_addr_i[32*i +: 3];
        if (Holds[i] && fresh_q[i]) rdata_q <= rdata;
      end
    end

    always_comb begin
      rdata = '0;
      if (Holds[i]) rdata = rdata_q;
      if (fresh_q[i]) begin
        case (bank_q)
          3'd0:    rdata = g_bank[0].rdata;
          3'd1:    rdata = g_bank[1].rdata;
          3'd2:    rdata = g_bank[2].rdata;
          3'd3:    rdata = g_bank[3].rdata;
          3'd4:    rdata = g_bank[4].rdata;
          3'd5:    rdata = g_bank[5].rdata;
          3'd6:    rdata = g_bank[6].rdata;
          default: rdata = g_bank[7].rdata;
        endcase
      end
    end

    assign e_rdata_o[256*i +: 256] = rdata;
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
  end
`endif

endmodule
