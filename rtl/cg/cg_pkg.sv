// What the parts of a core group agree on.
package cg_pkg;

  // An entry of the segment table: 8 bytes in memory, written by the management processor with one store.
  typedef struct packed {
    logic [7:0]  owner;    // the context that may use it; SharedOwner: every one
    logic        valid;
    logic        execute;
    logic        write;
    logic        read;
    logic [23:0] size;     // in granules of 4 KiB
    logic [27:0] base;     // physical address in granules
  } segment_t;

  localparam logic [7:0] SharedOwner = 8'd0;

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

  // The port through which the management processor reaches into a CPE: its local memory (addr[17] = 0) and registers.
  typedef struct packed {
    logic        write;
    logic [17:0] addr;   // of the lowest byte
    logic [63:0] data;   // in natural lanes
    logic [7:0]  strb;
  } access_req_t;
  localparam int unsigned AccessReqWidth = 1 + 18 + 64 + 8;

endpackage
