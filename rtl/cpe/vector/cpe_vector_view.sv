// SPDX-License-Identifier: Apache-2.0
// The words of one operand that wait, and the group of 8 elements that was taken last, as fp32.
//
// Elements are converted when they are taken, then comes magnitude, then negation. What is converted lies within the clocked block
// and so within its condition: a simulator does none of it while nothing is taken. One normaliser serves all numbers. All are
// exact but int32, which is rounded to nearest even; a NaN of fp16 becomes 0x7fc00000.
// Illegal: to take from the word that is written.
module cpe_vector_view #(
  parameter int unsigned Words = 8
) (
  input  logic                     clk_i,
  input  logic                     en_i,      // else nothing changes

  input  logic                     write_i,
  input  logic [$clog2(Words)-1:0] write_at_i,
  input  logic [255:0]             write_data_i,

  input  logic                     take_i,
  input  cpe_vector_pkg::view_t    view_i,
  input  logic [$clog2(Words)-1:0] word_i,
  input  logic [4:0]               byte_i,    // of the group, or the scalar
  output logic [255:0]             group_o
);

  logic [255:0] words_q [Words];
  logic [255:0] group_q;

  assign group_o = group_q;

  always_ff @(posedge clk_i) begin : convert
    logic [255:0] word;
    logic [255:0] raw;        // elements at the lower end of 32 bits each
    logic [31:0]  element;
    logic         half;
    logic         sign;
    logic [31:0]  magnitude;
    logic [7:0]   exponent;   // of bit 31 of the magnitude, biased
    logic [15:0]  upper;
    logic [7:0]   octet;
    logic [3:0]   nibble;
    logic [4:0]   zeros;
    logic [31:0]  normal;
    logic         up;
    logic [31:0]  y;
    logic [31:0]  flip;
    logic [31:0]  keep;
    {word, raw, element, half, sign, magnitude, exponent, upper, octet, nibble, zeros, normal, up, y, flip, keep} = '0;
    if (en_i && take_i) begin
      flip = {view_i.negate, 31'd0};
      keep = {!view_i.magnitude, 31'h7fff_ffff};
      if (!view_i.used) begin
        group_q <= {8{view_i.constant}};
      end else begin
        word = words_q[word_i];
        raw  = word;
        half = view_i.number == cpe_isa_pkg::NumberFp16;
        if (view_i.scalar) begin
          raw[31:0] = word[{byte_i[4:2], 5'd0} +: 32] >> {byte_i[1:0], 3'd0};
        end else if (half) begin
          if (byte_i[4]) word[127:0] = word[255:128];
          for (int unsigned i = 0; i < 8; i++) raw[32*i +: 32] = {16'd0, word[16*i +: 16]};
        end else if (view_i.number == cpe_isa_pkg::NumberInt8) begin
          word[63:0] = word[{byte_i[4:3], 6'd0} +: 64];
          for (int unsigned i = 0; i < 8; i++) raw[32*i +: 32] = {24'd0, word[8*i +: 8]};
        end
        for (int unsigned i = 0; i < 8; i++) begin
          // A scalar is converted once.
          if (i == 0 || !view_i.scalar) begin
            element = raw[32*i +: 32];
            y       = element;
            if (view_i.number != cpe_isa_pkg::NumberFp32) begin
              sign      = view_i.number == cpe_isa_pkg::NumberInt32 ? element[31] : half ? element[15] : element[7];
              magnitude = view_i.number == cpe_isa_pkg::NumberInt8 ? {{24{sign}}, element[7:0]} : element;
              if (sign) magnitude = -magnitude;
              exponent  = 8'd158;
              if (half) begin
                magnitude = {element[14:10] != '0, element[9:0], 21'd0};
                exponent  = {3'd0, element[14:11], element[10] | (element[14:10] == '0)} + 8'd112;
              end
              zeros[4] = magnitude[31:16] == '0;
              upper    = zeros[4] ? magnitude[15:0] : magnitude[31:16];
              zeros[3] = upper[15:8] == '0;
              octet    = zeros[3] ? upper[7:0] : upper[15:8];
              zeros[2] = octet[7:4] == '0;
              nibble   = zeros[2] ? octet[3:0] : octet[7:4];
              zeros[1] = nibble[3:2] == '0;
              zeros[0] = zeros[1] ? !nibble[1] : !nibble[3];
              normal   = magnitude << zeros;
              up       = normal[7] && (normal[8] || normal[6:0] != '0);
              y        = {sign, exponent - {3'd0, zeros}, normal[30:8]} + {31'd0, up};
              if (magnitude == '0) y = {sign, 31'd0};
              if (half && element[14:10] == '1) y = element[9:0] == '0 ? {sign, 31'h7f80_0000} : cpe_vector_pkg::Nan;
            end
            y = (y & keep) ^ flip;
          end
          group_q[32*i +: 32] <= y;
        end
      end
    end
  end

  // This process alone writes to the places, and only to those that nobody reads: assignments may take effect at once. The
  // simulator would otherwise look at a flag for every place in every cycle.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (en_i && write_i) words_q[write_at_i] = write_data_i;
  end
  /* verilator lint_on BLKSEQ */

endmodule
