// SPDX-License-Identifier: Apache-2.0
// What a load makes of the lower bytes of a word, from a lane on: sign or zeros above them.
module cpe_extend (
  input  logic        en_i,      // else 0
  input  logic [31:0] word_i,
  input  logic [1:0]  lane_i,
  input  logic [2:0]  funct3_i,
  output logic [31:0] word_o
);

  logic [31:0] word;

  always_comb begin
    word   = '0;
    word_o = '0;
    if (en_i) begin
      word = word_i >> {lane_i, 3'b0};
      unique case (funct3_i)
        3'd0:    word_o = {{24{word[7]}}, word[7:0]};
        3'd1:    word_o = {{16{word[15]}}, word[15:0]};
        3'd4:    word_o = {24'b0, word[7:0]};
        3'd5:    word_o = {16'b0, word[15:0]};
        default: word_o = word;
      endcase
    end
  end

endmodule
