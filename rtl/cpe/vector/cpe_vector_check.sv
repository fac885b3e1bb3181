// SPDX-License-Identifier: Apache-2.0
// Which commands of the vector unit make no sense: they are refused and change nothing. Combinational.
module cpe_vector_check (
  input  logic            valid_i,
  input  cpe_pkg::issue_t issue_i,
  input  logic            sized_i,      // there was a size
  input  logic            stored_i,     // results are, as it is set
  output logic            bad_o
);

  logic                     in_ldm, unaligned, result;
  logic [4:0]               unit_bits;  // of an address that must be 0
  cpe_isa_pkg::vector_operand_t how;
  cpe_isa_pkg::vector_mode_t    mode;

  assign how  = issue_i.rs2;
  assign mode = issue_i.rs1;

  always_comb begin
    bad_o     = 1'b0;
    in_ldm    = 1'b0;
    unaligned = 1'b0;
    result    = 1'b0;
    unit_bits = '0;
    if (valid_i) begin
      in_ldm = issue_i.rs1[31:28] == cpe_isa_pkg::SpaceLdm && issue_i.rs1[27:17] == '0;
      case (issue_i.op)
        cpe_isa_pkg::VectorA, cpe_isa_pkg::VectorB, cpe_isa_pkg::VectorC, cpe_isa_pkg::VectorResult: begin
          // Vectors by 8 elements, scalars by one.
          case (how.number)
            cpe_isa_pkg::NumberFp16: unit_bits = how.kind == cpe_isa_pkg::OperandVector ? 5'h0f : 5'h01;
            cpe_isa_pkg::NumberInt8: unit_bits = how.kind == cpe_isa_pkg::OperandVector ? 5'h07 : 5'h00;
            default:             unit_bits = how.kind == cpe_isa_pkg::OperandVector ? 5'h1f : 5'h03;
          endcase
          unaligned = ((issue_i.rs1[4:0] | how.stride[4:0]) & unit_bits) != '0;
          result    = issue_i.op == cpe_isa_pkg::VectorResult;
          case (how.kind)
            cpe_isa_pkg::OperandVector: bad_o = !in_ldm || unaligned;
            cpe_isa_pkg::OperandScalar: bad_o = !in_ldm || unaligned || result;
            cpe_isa_pkg::OperandValue:  bad_o = result;
            default:                bad_o = !result;
          endcase
          if (how.reserved != '0 || (result && (how.negate || how.magnitude))) bad_o = 1'b1;
        end
        cpe_isa_pkg::VectorReduce:
          bad_o = !in_ldm || issue_i.rs1[1:0] != '0 || issue_i.rs2[1:0] != '0 || issue_i.rs2[31:17] != {15{issue_i.rs2[17]}};
        cpe_isa_pkg::VectorSize:
          bad_o = issue_i.rs1[31:16] != '0 || issue_i.rs2[31:16] != '0 || issue_i.rs1[15:0] == '0 || issue_i.rs2[15:0] == '0;
        cpe_isa_pkg::VectorRun:
          bad_o = mode.reserved != '0 || mode.special > cpe_isa_pkg::SpecialRoot || !sized_i
               || (!stored_i && mode.reduce == cpe_isa_pkg::ReduceNone);
        cpe_isa_pkg::VectorWait, cpe_isa_pkg::VectorPoll: ;
        default: bad_o = 1'b1;
      endcase
    end
  end

endmodule
