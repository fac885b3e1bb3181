// SPDX-License-Identifier: Apache-2.0
// What the PCIe endpoint core and its DMA engine share. The engine's module:
//
//   module pcie_dma (
//     input  logic                  clk_i, rst_ni,
//     input  pcie_pkg::config_t     config_i,
//     input  reg_pkg::reg_req_t     reg_req_i,      // device `dma`; the address is relative to the card region
//     output reg_pkg::reg_rsp_t     reg_rsp_o,
//     output logic                  p_valid_o,      // posted packets for the wire
//     input  logic                  p_ready_i,
//     output tlp_pkg::beat_t        p_beat_o,
//     output logic                  np_valid_o,     // memory reads for the wire, one beat each
//     input  logic                  np_ready_i,
//     output tlp_pkg::beat_t        np_beat_o,
//     input  logic                  cpl_valid_i,    // completions received; no ready
//     input  tlp_pkg::beat_t        cpl_beat_i,
//     output logic                  irq_valid_o,    // an MSI-X vector
//     input  logic                  irq_ready_i,
//     output logic [4:0]            irq_vector_o,
//     output logic                  noc_req_valid_o,  // ring, tags 0 to 127
//     input  logic                  noc_req_ready_i,
//     output noc_pkg::req_t         noc_req_o,
//     input  logic                  noc_rsp_valid_i,
//     input  noc_pkg::rsp_t         noc_rsp_i,
//     output logic [7:0]            work_o,         // pulses: bits 32 to 39 of the MPE's inbox
//     output pcie_pkg::dma_errors_t errors_o,       // pulses
//     output logic                  busy_o
//   );
//
// Order: what the engine has handed over (valid and ready) on `p` is on its way before anything that it hands over later
// on `np` or `irq`, and before any completion that the core begins later.
package pcie_pkg;

  typedef struct packed {
    logic [15:0] bus_dev_fn;   // requester id
    logic        bus_master;   // low: nothing new may be sent on p and np; what has been begun is ended
    logic [3:0]  mps;          // log2 of the largest payload in bytes: 7 or 8
    logic [3:0]  mrrs;         // log2 of the largest read request in bytes: 7 to 9
    logic        relaxed;      // the relaxed-ordering attribute may be set
    logic [3:0]  timeout;      // completion timeout as in Device Control 2
    logic        timeout_off;
    // Function-level reset or link down. A level: while it is high the engine drops all its work and offers nothing new; a
    // packet of which a beat has been taken is ended. It stays high until `busy_o` is low, so that requests on the ring
    // are answered before it ends.
    logic        flr;
  } config_t;

  // For the error registers of the configuration space.
  typedef struct packed {
    logic        cpl_timeout;     // nobody answered a read in time
    logic        unexpected_cpl;  // a completion for no read of ours
    logic        poisoned_cpl;    // a completion with the EP bit
  } dma_errors_t;

  // ------------------------------------------------------------------------------------- inside the endpoint core

  // What went wrong; bit i is counted in register errors_* number i of device `pcie`.
  localparam int unsigned Errors = 12;
  typedef logic [Errors-1:0] errors_t;
  localparam int unsigned ErrMalformed   = 0;
  localparam int unsigned ErrPoisoned    = 1;
  localparam int unsigned ErrPosted      = 2;   // unsupported posted request
  localparam int unsigned ErrNonPosted   = 3;   // unsupported non-posted request
  localparam int unsigned ErrAborted     = 4;
  localparam int unsigned ErrDenied      = 5;
  localparam int unsigned ErrWriteFailed = 6;
  localparam int unsigned ErrPoisonSent  = 7;
  localparam int unsigned ErrOverflow    = 8;
  localparam int unsigned ErrTimeout     = 9;
  localparam int unsigned ErrUnexpected  = 10;
  localparam int unsigned ErrPoisonedCpl = 11;

  // Room for requests from the host.
  localparam int unsigned PostedHeaders    = 127;
  localparam int unsigned PostedData       = 1536;  // 24 KiB
  localparam int unsigned NonPostedHeaders = 32;
  localparam int unsigned NonPostedData    = 32;

  // Tags on the ring: 0 to 127 are the DMA engine's.
  localparam logic [1:0] TagWrites = 2'b10;        // 64 of them
  localparam logic [2:0] TagReads  = 3'b110;       // 32 of them
  localparam logic [7:0] TagInbox  = 8'b1110_0000;

  // Where the base address registers are.
  typedef struct packed {
    logic        memory;  // they answer
    logic [26:0] bar0;    // address bits 63:37
    logic [47:0] bar2;    // 63:16
    logic [45:0] bar4;    // 63:18
  } bars_t;

  // What the host may not touch through BAR0, and from where it may not write to the SRAM. Pages of 4 KiB: bits 39:12 of
  // a base, 40:12 of a limit; range i of the denied ones is the i-th part of the vectors.
  typedef struct packed {
    logic [27:0]  sram_base;
    logic [28:0]  sram_limit;
    logic [28:0]  sram_fixed;
    logic [111:0] deny_base;
    logic [115:0] deny_limit;
  } protection_t;

  // What an address in a request from the host means.
  typedef logic [1:0] space_t;
  localparam space_t SpaceNone      = 2'd0;
  localparam space_t SpaceMemory    = 2'd1;  // BAR0: a physical address
  localparam space_t SpaceMsix      = 2'd2;  // BAR2: an offset
  localparam space_t SpaceRegisters = 2'd3;  // BAR4: an offset

  // A line of registers that somebody wants to read or write.
  typedef struct packed {
    logic         msix;    // BAR2
    logic         master;  // from the management processor
    logic         write;
    logic [11:0]  line;    // address bits 17:6
    logic [63:0]  strb;
    logic [511:0] data;
  } line_req_t;

  typedef struct packed {
    logic         err;
    logic [511:0] data;
  } line_rsp_t;

  // What the completer has to send for a request: the data of lines that come, or what is here.
  typedef struct packed {
    logic [127:0] header;
    logic         lines;   // status and data come with the lines
    logic [2:0]   status;
    logic [31:0]  data;
  } answer_t;

  // The lanes of a line that a doubleword position and a count name, in doublewords; and byte enables for them.
  function automatic logic [63:0] strobes(input logic [15:0] lanes);
    for (int unsigned i = 0; i < 16; i++) strobes[4*i+:4] = {4{lanes[i]}};
  endfunction

  // A line turned by doublewords: upwards by `by`.
  function automatic logic [511:0] rotate(input logic [511:0] line, input logic [3:0] by);
    rotate = line;
    if (by[0]) rotate = {rotate[479:0], rotate[511:480]};
    if (by[1]) rotate = {rotate[447:0], rotate[511:448]};
    if (by[2]) rotate = {rotate[383:0], rotate[511:384]};
    if (by[3]) rotate = {rotate[255:0], rotate[511:256]};
  endfunction

endpackage
