// What a load makes of the lower bytes of a word: sign or zeros above them.
module cpe_extend (
  input  logic [31:0] word_i,
  input  logic [2:0]  funct3_i,
  output logic [31:0] word_o
);

  always_comb begin
    unique case (funct3_i)
      3'd0:    word_o = {{24{word_i[7]}}, word_i[7:0]};
      3'd1:    word_o = {{16{word_i[15]}}, word_i[15:0]};
      3'd4:    word_o = {24'b0, word_i[7:0]};
      3'd5:    word_o = {16'b0, word_i[15:0]};
      default: word_o = word_i;
    endcase
  end

endmodule
