// SPDX-License-Identifier: Apache-2.0
// What the parts of a CPE's DMA engine agree on.
package cpe_dma_pkg;

  // Transfers that are not complete, waiting ones included: as many as there are tags, so that transfers of a single line can use
  // all of these. A transfer has its place by the lower bits of its ticket.
  localparam int unsigned Slots = 8;

  typedef struct packed {
    logic        write;       // local memory to global memory
    logic [15:0] segment;
    logic [47:0] offset;
    logic [16:0] ldm;
    logic [17:0] bytes;       // of a row
    logic [15:0] rows;
    logic [15:0] ldm_stride;
    logic [31:0] stride;      // in global memory, signed
  } transfer_t;
  localparam int unsigned TransferWidth = 1 + 16 + 48 + 17 + 18 + 16 + 16 + 32;

  // A part of a transfer that lies in one line of global memory.
  typedef struct packed {
    logic        write;
    logic [2:0]  slot;
    logic [15:0] segment;
    logic        outside;     // its offset has more than 48 bits
    logic [47:0] offset;
    logic [16:0] ldm;
    logic [6:0]  bytes;
  } piece_t;

endpackage
