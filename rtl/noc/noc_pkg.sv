// SPDX-License-Identifier: Apache-2.0
// The ring between management processor, PCIe endpoint and core groups: what travels on it.
//
// Law of the ring, as its users see it
// - Who asks is an initiator, who answers a target; a node may be both. Requests carry at most one 64-byte line.
// - Every request gets exactly one response, writes too: a write that is answered has taken effect. A request to several
//   targets (a set of groups) is answered once, when all have answered; its status is the worst of theirs.
// - Requests are a valid/ready stream at both ends. Responses are one too where the target gives them; at the
//   initiator they have no ready: whoever asks keeps room for the answer.
// - A tag is the initiator's and names one request that is under way; it comes back in the response. Responses come in
//   any order.
// - Requests of one initiator to one target arrive in the order in which they were sent. Nothing is promised between
//   different targets: who needs that waits for the answer.
// - Bytes travel in their natural lanes: the byte at address a is in data[8*(a%64) +: 8]. Reads and atomics name a
//   naturally aligned block of 2**size bytes, at most a line; writes ignore `size`, their strobes say all. An answer
//   to a read may drive all lanes. Atomics answer in the lanes of their address.
package noc_pkg;

  localparam int unsigned MaxGroups = 4;
  localparam int unsigned MaxNodes  = 2 + MaxGroups;
  localparam int unsigned TagWidth  = 8;

  // Nodes in the order in which they sit on the ring. A card of n groups has the first 2 + n of them.
  typedef logic [2:0] node_t;
  localparam node_t NodeMpe    = 3'd0;
  localparam node_t NodePcie   = 3'd1;
  localparam node_t NodeGroup0 = 3'd2;

  typedef logic [MaxNodes-1:0] set_t;  // of nodes

  typedef struct packed {
    logic [3:0]          op;      // mbus_pkg::op_e
    node_t               source;  // the initiator; filled in by the ring
    logic [TagWidth-1:0] tag;
    logic [39:0]         addr;
    logic [2:0]          size;
    logic [63:0]         strb;
    logic [511:0]        data;
  } req_t;

  typedef logic [1:0] status_t;  // a higher one is worse
  localparam status_t StatusOk     = 2'd0;
  localparam status_t StatusPoison = 2'd1;  // the data read is damaged
  localparam status_t StatusDenied = 2'd2;  // the target lives but refuses: protected, wrong size, in reset
  localparam status_t StatusNobody = 2'd3;  // nobody lives there

  typedef struct packed {
    node_t               dest;    // the initiator that asked; the target copies `source` here
    logic [TagWidth-1:0] tag;
    status_t             status;
    logic [511:0]        data;
  } rsp_t;

  // Bits of a request and of a response
  localparam int unsigned ReqWidth = 4 + 3 + TagWidth + 40 + 3 + 64 + 512;
  localparam int unsigned RspWidth = 3 + TagWidth + 2 + 512;

  // --- Inside the ring ---------------------------------------------------------------------------------------------

  // What travels beside the payload of a slot. The slot is occupied while a destination is left. A claimed slot, occupied
  // or not, takes no packet but the claimer's.
  typedef struct packed {
    set_t  dests;
    logic  claimed;
    node_t claimer;
  } slot_t;

  localparam int unsigned CreditWidth = 5;
  typedef struct packed {
    node_t                  from;   // the target in whose buffer room has become free
    logic [CreditWidth-1:0] count;
  } credit_t;
  localparam int unsigned CreditPacketWidth = 3 + CreditWidth;

  function automatic set_t one(input node_t node);
    one = 6'(1) << node;
  endfunction

  // The nodes that lie clockwise of `node`, by the shortest way. What lies opposite is split: clockwise from even
  // nodes, the other way from odd ones. A node reaches itself clockwise, all around.
  function automatic set_t clockwise(input int unsigned node, input int unsigned nodes);
    clockwise = '0;
    for (int unsigned hops = 1; hops <= nodes; hops++) begin
      if (2*hops < nodes || (2*hops == nodes && node % 2 == 0) || hops == nodes) begin
        clockwise[(node+hops)%nodes] = 1'b1;
      end
    end
  endfunction

  // The nodes that a request is for, by its address; none when nobody lives there, and for anything but a write to a set.
  function automatic set_t route(input logic [39:0] addr, input logic is_write, input int unsigned groups);
    logic [MaxGroups-1:0] chosen, present;
    present = ~(4'b1111 << groups);
    chosen  = '0;
    route   = '0;
    if (addr[39:36] == 4'h0) begin
      route = 6'(1) << NodeMpe;
    end else if (addr[39:24] == 16'h1000) begin
      route = 6'(1) << NodePcie;
    end else if (addr[39:32] == 8'h11) begin
      if (addr[31:26] == '0) chosen = 4'b1 << addr[25:24];
    end else if (addr[39:32] == 8'h12) begin
      if (addr[31:28] == '0 && is_write) chosen = addr[27:24];
    end else if (addr[39:36] == 4'h8) begin
      chosen = 4'b1 << addr[35:34];
    end
    if ((chosen & ~present) == '0) route = route | {chosen, 2'b00};
  endfunction

endpackage
