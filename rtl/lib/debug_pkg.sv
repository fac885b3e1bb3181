// SPDX-License-Identifier: Apache-2.0
// The debug port of the management core: whoever debugs it (the host through BAR4, a simulator) drives the request.
package debug_pkg;

  localparam int unsigned NumBreakpoints = 4;

  typedef struct packed {
    logic                             halt;          // level: stop before the next instruction
    logic                             resume;        // pulse
    logic                             step;          // with resume: stop again after one instruction
    logic                             ebreak_halts;
    logic                             insn_valid;    // pulse while halted: execute insn
    logic [31:0]                      insn;
    logic                             data_we;       // write dscratch0
    logic [63:0]                      data;
    logic [NumBreakpoints-1:0]        bp_en;
    logic [NumBreakpoints-1:0][63:0]  bp_addr;
  } req_t;

  typedef enum logic [2:0] {
    HaltNone       = 3'd0,
    HaltEbreak     = 3'd1,
    HaltBreakpoint = 3'd2,
    HaltRequest    = 3'd3,
    HaltStep       = 3'd4
  } halt_cause_e;

  typedef struct packed {
    logic         halted;
    halt_cause_e  cause;
    logic         busy;
    logic         fault;
    logic [63:0]  data;
  } rsp_t;

endpackage
