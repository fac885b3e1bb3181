// SPDX-License-Identifier: Apache-2.0
// Data memory of a 4-way cache with 64-byte lines: eight banks of 64 bits.
//
// Word i of a line in way w lies in bank (i + 2w) mod 8. So one cycle reads word i of all four ways (four different
// banks), or reads or writes a whole line of one way (all eight banks, one row each). Every bank has one port. Words are written
// in pairs, as far as the strobes say: an even word lies in an even bank, the odd one behind it in an odd one.
//
// At most one operation per cycle; read data is there in the next cycle and stays until the next read.
module mpe_cache_ram #(
    parameter int unsigned SetBits = 6
) (
    input  logic                clk_i,
    input  logic                read_word_i,    // word_i of set_i in all ways
    input  logic                read_line_i,    // way_i of set_i
    input  logic                write_line_i,
    input  logic                write_pair_i,   // words word_i[2:1] * 2 and the one behind
    input  logic [SetBits-1:0]  set_i,
    input  logic [1:0]          way_i,
    input  logic [2:0]          word_i,
    input  logic [1:0][7:0]     strb_i,         // bytes of a pair
    input  logic [63:0]         low_data_i,
    input  logic [63:0]         high_data_i,
    input  logic [511:0]        line_data_i,
    output logic [3:0][63:0]    words_o,        // by way
    output logic [511:0]        line_o
);

  logic [7:0][63:0] bank_data;
  logic [2:0]       word_q;
  logic [1:0]       way_q;

  always_ff @(posedge clk_i) begin
    if (read_word_i) word_q <= word_i;
    if (read_line_i) way_q <= way_i;
  end

  for (genvar b = 0; b < 8; b++) begin : gen_bank
    logic [2:0]  skew;      // of this bank against the addressed word
    logic [2:0]  word;      // which word of the addressed way's line lies here
    logic        read, write;
    assign skew       = 3'(b) - word_i;
    assign word       = 3'(b) - {way_i, 1'b0};
    assign read       = read_line_i || (read_word_i && !skew[0]);
    assign write      = write_pair_i && word[2:1] == word_i[2:1] && strb_i[b % 2] != '0;

    ram_1rw #(
        .Depth     (2 ** (SetBits + 2)),
        .Width     (64),
        .LaneWidth (8)
    ) u_ram (
        .clk_i,
        .en_i    (read || write_line_i || write),
        .we_i    (write_line_i || write),
        .addr_i  ({set_i, read_word_i ? skew[2:1] : way_i}),
        .strb_i  (write_line_i ? '1 : strb_i[b % 2]),
        .wdata_i (write_line_i ? line_data_i[64*word+:64] : b % 2 == 0 ? low_data_i : high_data_i),
        .rdata_o (bank_data[b])
    );
  end

  for (genvar w = 0; w < 4; w++) begin : gen_way
    logic [2:0] bank;
    assign bank = word_q + 3'(2 * w);
    assign words_o[w] = bank_data[bank];
  end

  for (genvar i = 0; i < 8; i++) begin : gen_line
    logic [2:0] bank;
    assign bank = 3'(i) + {way_q, 1'b0};
    assign line_o[64*i+:64] = bank_data[bank];
  end

endmodule
