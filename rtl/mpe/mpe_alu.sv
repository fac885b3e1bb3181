// SPDX-License-Identifier: Apache-2.0
// Integer unit: RV64I, Zba and Zbb in one cycle. Combinational.
// word_i makes it a 32-bit operation with a sign-extended result; uw_i takes only the low word of a_i.
module mpe_alu (
    input  mpe_pkg::alu_op_e  op_i,
    input  logic              word_i,
    input  logic              uw_i,
    input  logic [1:0]        shadd_i,
    input  logic [63:0]       a_i,
    input  logic [63:0]       b_i,
    output logic [63:0]       result_o
);

  logic [63:0] a_uw;
  assign a_uw = uw_i ? {32'b0, a_i[31:0]} : a_i;

  // Shifts and rotations share one amount; 32-bit operands are first widened so that a 64-bit shifter serves.
  logic [5:0] amount;
  assign amount = {b_i[5] & ~word_i, b_i[4:0]};

  function automatic logic [63:0] byte_or(logic [63:0] x);
    for (int i = 0; i < 8; i++) byte_or[8*i+:8] = {8{|x[8*i+:8]}};
  endfunction

  function automatic logic [63:0] byte_reverse(logic [63:0] x);
    for (int i = 0; i < 8; i++) byte_reverse[8*i+:8] = x[8*(7-i)+:8];
  endfunction

  function automatic logic [63:0] bit_reverse(logic [63:0] x);
    logic [63:0] y;
    y = byte_reverse(x);
    y = {4{16'h0f0f}} & (y >> 4) | ({4{16'h0f0f}} & y) << 4;
    y = {4{16'h3333}} & (y >> 2) | ({4{16'h3333}} & y) << 2;
    bit_reverse = {4{16'h5555}} & (y >> 1) | ({4{16'h5555}} & y) << 1;
  endfunction

  function automatic logic [6:0] leading_zeros(logic [63:0] x);
    logic [63:0] y;
    logic [6:0]  n;
    y = x;
    n = '0;
    if (y[63:32] == '0) begin n[5] = 1'b1; y = y << 32; end
    if (y[63:48] == '0) begin n[4] = 1'b1; y = y << 16; end
    if (y[63:56] == '0) begin n[3] = 1'b1; y = y << 8; end
    if (y[63:60] == '0) begin n[2] = 1'b1; y = y << 4; end
    if (y[63:62] == '0) begin n[1] = 1'b1; y = y << 2; end
    if (!y[63]) n[0] = 1'b1;
    if (x == '0) n = 7'd64;
    leading_zeros = n;
  endfunction

  function automatic logic [6:0] population(logic [63:0] x);
    logic [63:0] y;
    y = x - ({4{16'h5555}} & (x >> 1));
    y = ({4{16'h3333}} & y) + ({4{16'h3333}} & (y >> 2));
    y = {4{16'h0f0f}} & (y + (y >> 4));
    y = y + (y >> 8);
    y = y + (y >> 16);
    y = y + (y >> 32);
    population = y[6:0];
  endfunction

  logic less_signed, less_unsigned;
  assign less_signed   = $signed(a_i) < $signed(b_i);
  assign less_unsigned = a_i < b_i;

  logic [63:0] wide;   // before the sign extension of 32-bit operations
  always_comb begin
    logic [63:0] shift_in;
    wide = '0;
    shift_in = '0;
    unique case (op_i)
      mpe_pkg::AluAdd:  wide = (a_uw << shadd_i) + b_i;
      mpe_pkg::AluSub:  wide = a_i - b_i;
      mpe_pkg::AluSll:  wide = a_uw << amount;
      mpe_pkg::AluSrl:  wide = (word_i ? {32'b0, a_i[31:0]} : a_i) >> amount;
      mpe_pkg::AluSra: begin
        shift_in = word_i ? {{32{a_i[31]}}, a_i[31:0]} : a_i;
        wide     = $unsigned($signed(shift_in) >>> amount);
      end
      mpe_pkg::AluRol: begin
        shift_in = word_i ? {a_i[31:0], a_i[31:0]} : a_i;
        wide     = (shift_in << amount) | (word_i ? shift_in >> (6'd32 - amount) : shift_in >> (7'd64 - {1'b0, amount}));
      end
      mpe_pkg::AluRor: begin
        shift_in = word_i ? {a_i[31:0], a_i[31:0]} : a_i;
        wide     = (shift_in >> amount) | (shift_in << (7'd64 - {1'b0, amount}));
      end
      mpe_pkg::AluSlt:  wide = {63'b0, less_signed};
      mpe_pkg::AluSltu: wide = {63'b0, less_unsigned};
      mpe_pkg::AluXor:  wide = a_i ^ b_i;
      mpe_pkg::AluOr:   wide = a_i | b_i;
      mpe_pkg::AluAnd:  wide = a_i & b_i;
      mpe_pkg::AluXnor: wide = ~(a_i ^ b_i);
      mpe_pkg::AluOrn:  wide = a_i | ~b_i;
      mpe_pkg::AluAndn: wide = a_i & ~b_i;
      mpe_pkg::AluMin:  wide = less_signed ? a_i : b_i;
      mpe_pkg::AluMax:  wide = less_signed ? b_i : a_i;
      mpe_pkg::AluMinu: wide = less_unsigned ? a_i : b_i;
      mpe_pkg::AluMaxu: wide = less_unsigned ? b_i : a_i;
      mpe_pkg::AluClz:  wide = {57'b0, leading_zeros(word_i ? {a_i[31:0], 1'b1, 31'b0} : a_i)};
      mpe_pkg::AluCtz:  wide = {57'b0, leading_zeros(bit_reverse(word_i ? {31'b0, 1'b1, a_i[31:0]} : a_i))};
      mpe_pkg::AluCpop: wide = {57'b0, population(word_i ? {32'b0, a_i[31:0]} : a_i)};
      mpe_pkg::AluSextB: wide = {{56{a_i[7]}}, a_i[7:0]};
      mpe_pkg::AluSextH: wide = {{48{a_i[15]}}, a_i[15:0]};
      mpe_pkg::AluZextH: wide = {48'b0, a_i[15:0]};
      mpe_pkg::AluOrcB: wide = byte_or(a_i);
      mpe_pkg::AluRev8: wide = byte_reverse(a_i);
      default: wide = b_i;  // AluPassB
    endcase
  end

  assign result_o = word_i ? {{32{wide[31]}}, wide[31:0]} : wide;

endmodule
