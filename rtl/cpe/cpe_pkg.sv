// SPDX-License-Identifier: Apache-2.0
// What the parts of a CPE (core, local memory, engines) and its core group agree on. docs/hardware/cpe.md tells how they work
// together.
package cpe_pkg;

  // Where a CPE is on the card.
  typedef struct packed {
    logic [1:0] group;
    logic [1:0] row;
    logic [2:0] column;
  } id_t;

  // --- Launch -------------------------------------------------------------------------------------------------------

  typedef struct packed {
    logic [31:0] pc;
    logic [31:0] argument;
    logic [31:0] mask;              // the CPEs that take part: bit row * columns + column
    logic [15:0] code_segment;
    logic [15:0] argument_segment;
  } launch_t;
  localparam int unsigned LaunchWidth = 3 * 32 + 2 * 16;

  // --- Faults -------------------------------------------------------------------------------------------------------

  typedef struct packed {
    logic [4:0]  cause;     // cpe_isa_pkg::cause_e
    logic [1:0]  access;    // cpe_isa_pkg::access_e
    logic        dma;       // by an engine; pc is that of the instruction that began what it did
    logic [31:0] pc;
    logic [15:0] segment;   // cpe_isa_pkg::NoSegment: `offset` is a scalar address, or nothing
    logic [47:0] offset;
  } fault_t;
  localparam int unsigned FaultWidth = 5 + 2 + 1 + 32 + 16 + 48;

  // --- Units --------------------------------------------------------------------------------------------------------
  // custom-0 and custom-1 are R-type: the unit is {custom-1, funct3}, the operation funct7. The core holds `valid` and the
  // command until `ready`; the result for rd counts in the cycle of `ready`. A unit that waits just is not ready. `bad` with
  // `ready` refuses the command: a precise fault.

  typedef struct packed {
    logic [3:0]  target;   // cpe_isa_pkg::unit_e
    logic [6:0]  op;       // of the unit: control_op_e and the like
    logic [31:0] rs1;
    logic [31:0] rs2;
    logic [31:0] pc;
  } issue_t;
  localparam int unsigned IssueWidth = 4 + 7 + 3 * 32;

  // --- Memory -------------------------------------------------------------------------------------------------------
  // A CPE asks its group for 1 to 64 bytes of global memory that lie in one 64-byte line. Byte `offset` travels in lane
  // `lane`, the next in lane + 1 modulo 64: the group aligns. Every request gets one response, in any order; it finds the CPE
  // ready.

  localparam int unsigned MemTags = 8;

  typedef struct packed {
    logic         write;
    logic         scalar;   // by the scalar core, whose tag is 0; else by DMA
    logic [2:0]   tag;
    logic [15:0]  segment;
    logic [47:0]  offset;
    logic [5:0]   lane;
    logic [6:0]   bytes;
    logic [511:0] data;
  } mem_req_t;
  localparam int unsigned MemReqWidth = 2 + 3 + 16 + 48 + 6 + 7 + 512;

  typedef logic [1:0] mem_kind_t;
  localparam mem_kind_t MemDma    = 2'd0;
  localparam mem_kind_t MemScalar = 2'd1;
  localparam mem_kind_t MemFetch  = 2'd2;  // the 64-byte line of code that the CPE waits for

  typedef struct packed {
    mem_kind_t    kind;
    logic [2:0]   tag;
    logic [4:0]   cause;  // cpe_isa_pkg::cause_e
    logic [511:0] data;
  } mem_rsp_t;
  localparam int unsigned MemRspWidth = 2 + 3 + 5 + 512;

  // The port through which the management processor reaches into a CPE: its local memory (addr[17] = 0) and registers.
  typedef struct packed {
    logic        write;
    logic [17:0] addr;   // of the lowest byte
    logic [63:0] data;   // in natural lanes
    logic [7:0]  strb;
  } access_req_t;
  localparam int unsigned AccessReqWidth = 1 + 18 + 64 + 8;

endpackage
