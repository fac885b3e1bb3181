// SPDX-License-Identifier: Apache-2.0
// What the parts of the vector unit agree on. (Yosys does not take types of another package here.)
package cpe_vector_pkg;

  // Runs that are not complete, those that wait included. A run has its slot by the lower bits of its ticket.
  localparam int unsigned Slots     = 4;
  localparam int unsigned SlotWidth = 2;

  localparam logic [31:0] One          = 32'h3f80_0000;
  localparam logic [31:0] NegativeZero = 32'h8000_0000;
  localparam logic [31:0] Nan          = 32'h7fc0_0000;

  // An operand, as its stream walks over it. Addresses and sums of them have 18 bits: the upper one tells that they lie beyond
  // the local memory, on whichever side.
  typedef struct packed {
    logic        used;      // by the operation, and in local memory
    logic        scalar;
    logic        overlap;
    logic [1:0]  number;
    logic [17:0] stride;
    logic [16:0] addr;
    logic [15:0] elements;
    logic [15:0] rows;
  } walk_t;
  localparam int unsigned WalkWidth = 3 + 2 + 18 + 17 + 2 * 16;
  // Side by side they begin at multiples of 32 bits: so a simulator copies them without shifting.
  localparam int unsigned WalkPlace = 96;

  // An operand, as its elements become fp32.
  typedef struct packed {
    logic        used;
    logic        scalar;
    logic [1:0]  number;
    logic        negate;
    logic        magnitude;
    logic [31:0] constant;   // when it is not used
  } view_t;
  localparam int unsigned ViewWidth = 2 + 2 + 2 + 32;

  typedef struct packed {
    logic [2:0]  op;
    logic [2:0]  special;
    logic [1:0]  reduce;
    logic        stored;
    logic        overlap;
    logic [15:0] elements;
    logic [15:0] rows;
  } work_t;
  localparam int unsigned WorkWidth = 3 + 3 + 2 + 2 + 2 * 16;

  // Where results and reductions go.
  typedef struct packed {
    logic        stored;
    logic        reduced;
    logic [1:0]  number;
    logic [17:0] stride;
    logic [16:0] addr;
    logic [17:0] reduce_stride;
    logic [16:0] reduce_addr;
  } target_t;
  localparam int unsigned TargetWidth = 2 + 2 + 2 * (18 + 17);

  // What travels with a group of 8 elements.
  typedef struct packed {
    logic [2:0] last_element;  // of the 8; beyond it are none
    logic       row_first;
    logic       row_last;
    logic       run_last;
    logic       stored;
    logic [1:0] reduce;
    logic [2:0] special;
  } tag_t;
  localparam int unsigned TagWidth = 3 + 4 + 2 + 3;

endpackage
