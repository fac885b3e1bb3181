// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic, conditions of branches, targets, addresses of memory. Combinational.
// An instruction has either a second register or an immediate as operand, and the other one is 0.
module cpe_alu (
  input  cpe_core_pkg::kind_t kind_i,
  input  cpe_core_pkg::alu_t  op_i,
  input  logic [2:0]          funct3_i,
  input  logic [31:0]         a_i,
  input  logic [31:0]         b_i,
  input  logic [31:0]         imm_i,
  input  logic [31:0]         pc_i,
  output logic [31:0]         result_o,
  output logic                taken_o,    // a jump, or a branch whose condition holds
  output logic [31:0]         address_o   // of memory, or the target
);

  logic [31:0] b;

  always_comb begin
    b         = b_i | imm_i;
    result_o  = '0;
    taken_o   = 1'b0;
    address_o = a_i + imm_i;
    unique case (kind_i)
      cpe_core_pkg::KindAlu: begin
        unique case (op_i)
          cpe_core_pkg::AluAdd:   result_o = a_i + b;
          cpe_core_pkg::AluSub:   result_o = a_i - b;
          cpe_core_pkg::AluSll:   result_o = a_i << b[4:0];
          cpe_core_pkg::AluSlt:   result_o = {31'b0, $signed(a_i) < $signed(b)};
          cpe_core_pkg::AluSltu:  result_o = {31'b0, a_i < b};
          cpe_core_pkg::AluXor:   result_o = a_i ^ b;
          cpe_core_pkg::AluSrl:   result_o = a_i >> b[4:0];
          cpe_core_pkg::AluSra:   result_o = $signed(a_i) >>> b[4:0];
          cpe_core_pkg::AluOr:    result_o = a_i | b;
          cpe_core_pkg::AluAnd:   result_o = a_i & b;
          cpe_core_pkg::AluUpper: result_o = imm_i;
          default:                result_o = pc_i + imm_i;
        endcase
      end
      cpe_core_pkg::KindBranch: begin
        address_o = pc_i + imm_i;
        unique case (funct3_i[2:1])
          2'b00:   taken_o = (a_i == b_i) ^ funct3_i[0];
          2'b10:   taken_o = ($signed(a_i) < $signed(b_i)) ^ funct3_i[0];
          default: taken_o = (a_i < b_i) ^ funct3_i[0];
        endcase
      end
      cpe_core_pkg::KindJal: begin
        address_o = pc_i + imm_i;
        taken_o   = 1'b1;
      end
      cpe_core_pkg::KindJalr: begin
        address_o[0] = 1'b0;
        taken_o      = 1'b1;
      end
      default: ;
    endcase
  end

endmodule
