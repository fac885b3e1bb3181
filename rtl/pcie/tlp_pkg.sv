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

endpackage
