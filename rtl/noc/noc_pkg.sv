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

endpackage
