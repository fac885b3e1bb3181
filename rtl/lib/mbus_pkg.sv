// SPDX-License-Identifier: Apache-2.0
// The memory bus inside the management processor's complex: core -> SRAM, ROM, devices, ring.
//
// Law of the bus
// - Requests are a valid/ready stream. Responses have no ready: whoever asks keeps room for the answer.
// - Every request gets exactly one response, writes too (that is how `fence` knows). The earliest response is
//   one cycle after the request was taken.
// - Responses of one id come in request order; responses of different ids may pass each other.
// - Requests of one master to the same 64-byte line take effect in request order.
// - Bytes travel in their natural lanes: the byte at address a is in data[8*(a%64) +: 8].
// - Reads and atomics name a naturally aligned block of 2**size bytes. Writes ignore `size`: the strobes say all.
package mbus_pkg;

  localparam int unsigned AddrWidth = 40;
  localparam int unsigned LineBytes = 64;
  localparam int unsigned LineBits = 8 * LineBytes;

  typedef enum logic [3:0] {
    OpRead  = 4'd0,
    OpWrite = 4'd1,
    OpLr    = 4'd2,
    OpSc    = 4'd3,   // answers 0 for success, 1 for failure, in the lanes of the address
    OpSwap  = 4'd4,   // this and the following: answer the old value
    OpAdd   = 4'd5,
    OpXor   = 4'd6,
    OpAnd   = 4'd7,
    OpOr    = 4'd8,
    OpMin   = 4'd9,
    OpMax   = 4'd10,
    OpMinu  = 4'd11,
    OpMaxu  = 4'd12
  } op_e;

  typedef enum logic [1:0] {
    IdFetch = 2'd0,   // instruction cache refill
    IdRead  = 2'd1,   // data read, page-table walk, atomic
    IdWrite = 2'd2    // write-back and uncached store
  } id_e;

  typedef struct packed {
    op_e                    op;
    id_e                    id;
    logic [AddrWidth-1:0]   addr;
    logic [2:0]             size;   // log2 of bytes, 0 to 6
    logic [LineBytes-1:0]   strb;
    logic [LineBits-1:0]    data;
  } req_t;

  typedef struct packed {
    id_e                    id;
    logic                   err;    // nobody there, or not allowed: data is meaningless
    logic [LineBits-1:0]    data;
  } rsp_t;

endpackage
