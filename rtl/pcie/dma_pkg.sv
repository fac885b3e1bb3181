// SPDX-License-Identifier: Apache-2.0
// What the parts of the DMA engine share. docs/hardware/dma.md tells how they work together.
//
// A descriptor under way sits in one of the channel's slots and is named by {channel, slot}. It is moved in chunks: what one
// memory read or write on the PCIe side moves.
package dma_pkg;

  localparam int unsigned Channels    = 8;
  localparam int unsigned Slots       = 4;    // of each channel
  localparam int unsigned Tags        = 64;   // memory reads outstanding on PCIe, 512 bytes each
  localparam int unsigned ChannelTags = 16;   // of one channel
  localparam int unsigned Writes      = 32;   // memory writes being gathered, 256 bytes each
  localparam int unsigned RingTags    = 128;  // requests outstanding on the ring

  // Of the structures below, as bits (Yosys takes no $bits of a type).
  localparam int unsigned ChunkWidth      = 119;
  localparam int unsigned DescriptorWidth = 174;
  localparam int unsigned RetireWidth     = 90;

  typedef struct packed {
    logic [4:0]  slot;   // {channel, slot}
    logic [63:0] host;
    logic [39:0] card;
    logic [9:0]  bytes;  // 1 to 512
  } chunk_t;

  // What the engine keeps of a descriptor.
  typedef struct packed {
    logic        bad;
    logic        fence;
    logic        work;
    logic        irq;
    logic        record;
    logic        to_host;
    logic [31:0] tag;
    logic [31:0] length;
    logic [39:0] card;
    logic [63:0] host;
  } descriptor_t;

  typedef struct packed {
    logic        valid;
    logic [4:0]  slot;
    logic [3:0]  cause;    // dma_regs_pkg::error_cause_e
    logic [1:0]  access;   // dma_regs_pkg::error_access_e
    logic [63:0] address;
  } error_t;

  // A completed descriptor's record, or an interrupt for one that failed: what the channel contributes.
  typedef struct packed {
    logic [15:0] number;    // of the descriptor
    logic [1:0]  slot;
    logic [63:0] record;    // address of the record
    logic        on_card;
    logic [4:0]  irq;
    logic        error_irq;
    logic        error_work;
  } retire_t;

  // Kinds of requests on the ring.
  localparam logic [1:0] RingFetch  = 2'd0;  // a descriptor
  localparam logic [1:0] RingRead   = 2'd1;  // a line of data to the host
  localparam logic [1:0] RingWrite  = 2'd2;  // a line of data from the host
  localparam logic [1:0] RingRecord = 2'd3;

  // Bytes go `lanes` lanes up, those at the top come in at the bottom.
  function automatic logic [511:0] rotate(input logic [511:0] data, input logic [5:0] lanes);
    rotate = data;
    if (lanes[0]) rotate = {rotate[503:0], rotate[511:504]};
    if (lanes[1]) rotate = {rotate[495:0], rotate[511:496]};
    if (lanes[2]) rotate = {rotate[479:0], rotate[511:480]};
    if (lanes[3]) rotate = {rotate[447:0], rotate[511:448]};
    if (lanes[4]) rotate = {rotate[383:0], rotate[511:384]};
    if (lanes[5]) rotate = {rotate[255:0], rotate[511:256]};
  endfunction

  function automatic logic [63:0] rotate_mask(input logic [63:0] mask, input logic [5:0] lanes);
    rotate_mask = (mask << lanes) | (mask >> (7'd64 - {1'b0, lanes}));
  endfunction

  // Lanes from `first` up to, not including, `beyond` (0 to 64).
  function automatic logic [63:0] lanes_of(input logic [5:0] first, input logic [6:0] beyond);
    lanes_of = (64'hffff_ffff_ffff_ffff << first) & ~(64'hffff_ffff_ffff_ffff << beyond);
  endfunction

  // The one whose turn it is: the next valid one after `last`.
  function automatic logic [2:0] turn_of(input logic [7:0] valid, input logic [2:0] last);
    logic [7:0] above, some, one;
    above   = valid & (8'hfe << last);
    some    = above != '0 ? above : valid;
    one     = some & ~(some - 8'd1);
    turn_of = {(one & 8'hf0) != '0, (one & 8'hcc) != '0, (one & 8'haa) != '0};
  endfunction

  // The header of a memory read or write with exact byte enables; as long as the address needs.
  function automatic logic [127:0] header_of(input logic write, input logic [15:0] requester, input logic [7:0] tag,
                                             input logic [63:0] host, input logic [9:0] bytes);
    logic [10:0] beyond, dwords;
    logic [3:0]  first, last;
    logic        wide;
    logic [7:0]  fmt_type;
    logic [63:0] addr;
    beyond   = {1'b0, bytes} + {9'd0, host[1:0]};
    dwords   = (beyond + 11'd3) >> 2;
    first    = 4'hf << host[1:0];
    last     = beyond[1:0] == 2'd0 ? 4'hf : ~(4'hf << beyond[1:0]);
    wide     = host[63:32] != '0;
    fmt_type = wide ? (write ? tlp_pkg::MemWrite64 : tlp_pkg::MemRead64) :
                      (write ? tlp_pkg::MemWrite32 : tlp_pkg::MemRead32);
    addr     = wide ? {host[63:2], 2'b00} : {host[31:2], 2'b00, 32'd0};
    // As tlp_pkg::request_t.
    header_of = {fmt_type, 14'd0, dwords[9:0], requester, tag, dwords == 11'd1 ? 4'h0 : last,
                 dwords == 11'd1 ? first & last : first, addr};
  endfunction

  // The cause of an error by the ring's status.
  function automatic logic [3:0] ring_cause(input logic [1:0] status);
    ring_cause = status == noc_pkg::StatusNobody ? dma_regs_pkg::ErrorCauseRingNobody :
                 status == noc_pkg::StatusDenied ? dma_regs_pkg::ErrorCauseRingDenied :
                                                   dma_regs_pkg::ErrorCauseRingPoison;
  endfunction

endpackage
