// SPDX-License-Identifier: Apache-2.0
// What the parts of a CPE ask of its local memory (cpe_ldm tells the rules). Each request is there until its `ready`; what was read
// comes by a signal of its own. The widest field is the last: so it lies in whole words of a simulator.
package cpe_ldm_pkg;

  // An engine reads a word of 32 bytes.
  typedef struct packed {
    logic        valid;
    logic [16:5] addr;
  } read_t;

  // An engine writes a word as a whole.
  typedef struct packed {
    logic         valid;
    logic [16:5]  addr;
    logic [255:0] wdata;
  } write_t;

  // An engine does either, and writes the bytes that it names.
  typedef struct packed {
    logic         valid;
    logic         write;
    logic [16:5]  addr;
    logic [31:0]  strb;
    logic [255:0] wdata;
  } access_t;

  // The scalar core.
  typedef struct packed {
    logic        valid;
    logic        write;
    logic [16:2] addr;
    logic [3:0]  strb;
    logic [31:0] wdata;
  } scalar_t;

  // The access port.
  typedef struct packed {
    logic        valid;
    logic        write;
    logic [16:3] addr;
    logic [7:0]  strb;
    logic [63:0] wdata;
  } outer_t;

  // The DMA engine: 1 to 64 bytes from any address on.
  typedef struct packed {
    logic         valid;
    logic [16:0]  addr;
    logic [6:0]   bytes;
    logic [511:0] wdata;
  } line_write_t;

  typedef struct packed {
    logic        valid;
    logic [16:0] addr;
    logic [6:0]  bytes;
  } line_read_t;

endpackage
