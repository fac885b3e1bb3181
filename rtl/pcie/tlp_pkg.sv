// SPDX-License-Identifier: Apache-2.0
// Transaction-layer packets as they cross the pins between the endpoint and the PCIe wire.
//
// A packet is one or more beats. The first (`sop`) carries the header; the payload's doubleword i is in beat i/16, lanes
// data[32*(i%16) +: 32], lowest address in the lowest lanes. A packet without payload is one beat. Beats of one packet are
// consecutive: nothing else comes between them.
//
// The header is that of the PCI Express Base Specification, doubleword 0 in header[127:96] and so on, each as the
// specification draws it (its byte 0 in the highest lanes). Headers of three doublewords leave header[31:0] zero.
//
// Framing, sequence number and link CRC belong to the wire: it counts 8 bytes for them in every packet.
package tlp_pkg;

  typedef struct packed {
    logic         sop;
    logic         eop;
    logic [127:0] header;
    logic [511:0] data;
  } beat_t;

  // Flow control: how many credits the receiver has given in all since the link came up, modulo the counter's size
  // (CREDITS_LIMIT of the specification). A header credit is one packet, a data credit 16 bytes of payload. Completions
  // are not limited in either direction: who asks keeps room.
  typedef struct packed {
    logic [7:0]  posted_header;
    logic [11:0] posted_data;
    logic [7:0]  nonposted_header;
    logic [11:0] nonposted_data;
  } credits_t;

  // Fmt and Type, header[127:120].
  localparam logic [7:0] MemRead32   = 8'h00;
  localparam logic [7:0] MemRead64   = 8'h20;
  localparam logic [7:0] MemWrite32  = 8'h40;
  localparam logic [7:0] MemWrite64  = 8'h60;
  localparam logic [7:0] CfgRead0    = 8'h04;
  localparam logic [7:0] CfgWrite0   = 8'h44;
  localparam logic [7:0] Completion  = 8'h0A;
  localparam logic [7:0] CompletionD = 8'h4A;

  typedef logic [2:0] cpl_status_t;
  localparam cpl_status_t CplSuccess     = 3'b000;
  localparam cpl_status_t CplUnsupported = 3'b001;
  localparam cpl_status_t CplAbort       = 3'b100;

  // Headers by field; the address of a short header is in the upper half of `addr`.
  typedef struct packed {
    logic [7:0]  fmt_type;
    logic        t9;
    logic [2:0]  tc;
    logic        t8;
    logic        attr2;     // id-based ordering
    logic        ln;
    logic        th;
    logic        td;        // digest
    logic        ep;        // poisoned
    logic [1:0]  attr;      // relaxed ordering, no snoop
    logic [1:0]  at;
    logic [9:0]  length;    // doublewords; 0 is 1024
    logic [15:0] requester;
    logic [7:0]  tag;
    logic [3:0]  last_be;
    logic [3:0]  first_be;
    logic [63:0] addr;
  } request_t;

  typedef struct packed {
    logic [7:0]  fmt_type;
    logic        t9;
    logic [2:0]  tc;
    logic        t8;
    logic        attr2;
    logic        ln;
    logic        th;
    logic        td;
    logic        ep;
    logic [1:0]  attr;
    logic [1:0]  at;
    logic [9:0]  length;
    logic [15:0] completer;
    logic [2:0]  status;    // cpl_status_t
    logic        bcm;
    logic [11:0] byte_count;  // 0 is 4096
    logic [15:0] requester;
    logic [7:0]  tag;
    logic        reserved;
    logic [6:0]  lower_addr;
    logic [31:0] none;
  } completion_t;

endpackage
