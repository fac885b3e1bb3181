// SPDX-License-Identifier: Apache-2.0
// What the parts of the scalar core agree on: kinds of instructions, operations and the numbers of the counters.
package cpe_core_pkg;

  // What an instruction is to the execute stage.
  typedef logic [3:0] kind_t;
  localparam kind_t KindAlu    = 4'd0;
  localparam kind_t KindBranch = 4'd1;
  localparam kind_t KindJal    = 4'd2;
  localparam kind_t KindJalr   = 4'd3;
  localparam kind_t KindLoad   = 4'd4;
  localparam kind_t KindStore  = 4'd5;
  localparam kind_t KindMul    = 4'd6;
  localparam kind_t KindDiv    = 4'd7;
  localparam kind_t KindCsr    = 4'd8;
  localparam kind_t KindCustom = 4'd9;
  localparam kind_t KindFence  = 4'd10;
  localparam kind_t KindStop   = 4'd11;  // cannot be executed: cause in rd, access in op, address in imm

  // Operation of the ALU: funct3, and bit 3 as the alternative; the last two are codes that leave free.
  typedef logic [3:0] alu_t;
  localparam alu_t AluAdd   = 4'h0;
  localparam alu_t AluSll   = 4'h1;
  localparam alu_t AluSlt   = 4'h2;
  localparam alu_t AluSltu  = 4'h3;
  localparam alu_t AluXor   = 4'h4;
  localparam alu_t AluSrl   = 4'h5;
  localparam alu_t AluOr    = 4'h6;
  localparam alu_t AluAnd   = 4'h7;
  localparam alu_t AluSub   = 4'h8;
  localparam alu_t AluSra   = 4'hd;
  localparam alu_t AluUpper = 4'he;  // lui
  localparam alu_t AluPc    = 4'hf;  // auipc

  // Counters.
  typedef logic [3:0] counter_t;
  localparam counter_t CountCycles     = 4'd0;
  localparam counter_t CountRetired    = 4'd1;
  localparam counter_t CountCode       = 4'd2;
  localparam counter_t CountLdm        = 4'd3;
  localparam counter_t CountWindow     = 4'd4;
  localparam counter_t CountControl    = 4'd5;
  localparam counter_t CountDma        = 4'd6;
  localparam counter_t CountRow        = 4'd7;
  localparam counter_t CountColumn     = 4'd8;
  localparam counter_t CountUnit       = 4'd9;
  localparam counter_t CountArithmetic = 4'd10;

endpackage
