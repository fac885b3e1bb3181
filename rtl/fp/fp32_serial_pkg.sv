// SPDX-License-Identifier: Apache-2.0
// What the serial arithmetic units of a CPE ask of the arithmetic that they share (cpe_math).
package fp32_serial_pkg;

  // A group and what to do in it.
  typedef logic [4:0] op_t;
  localparam logic [1:0] Operation = 2'd0;  // cpe_isa_pkg::vector_function_t of operands 0, 1, 2
  localparam logic [1:0] Special   = 2'd1;  // cpe_isa_pkg::special_function_t of operand 0
  localparam logic [1:0] Of        = 2'd2;  // operand 0, a cpe_isa_pkg::number_t at the lower end, as fp32
  localparam logic [1:0] To        = 2'd3;  // operand 0, in fp32, as such a number, not fp32

  typedef struct packed {
    logic        valid;  // stays, with the rest, until it is done; or falls: it is forgotten
    op_t         op;
  } request_t;

  typedef struct packed {
    logic        done;   // y is the result, in this cycle only
    logic [31:0] y;
  } answer_t;

endpackage
