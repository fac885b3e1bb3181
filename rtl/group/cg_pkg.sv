// SPDX-License-Identifier: Apache-2.0
// What the parts of a core group agree on.
package cg_pkg;

  // What a request of the group's own CPEs carries as its source at the HBM controller, in place of a node of the ring.
  localparam logic [2:0] SourceDma   = 3'd6;
  localparam logic [2:0] SourceOther = 3'd7;

  // What the memory port is told by registers and launch.
  typedef struct packed {
    logic [39:0] table_base;      // of the segment table, a multiple of 64
    logic [16:0] table_entries;
    logic [15:0] daemon_segment;
    logic [15:0] code_segment;    // of the launch that runs
    logic [7:0]  owner;           // context of the launch that runs
  } space_t;
  localparam int unsigned SpaceWidth = 40 + 17 + 16 + 16 + 8;

endpackage
