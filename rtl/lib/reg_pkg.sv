// SPDX-License-Identifier: Apache-2.0
// The register bus: one 64-bit access at a time between mbus_to_reg and a device.
//
// Law of the bus
// - The requester holds `valid` and the whole request still until the cycle in which the device raises `ready`;
//   in that cycle the access takes effect and `rdata` and `err` count. A device may answer in the first cycle.
//   `valid` low or another access may follow in the next cycle.
// - `addr` names the lowest byte of the access, `wstrb` its byte lanes, for reads too (a register with side effects
//   on reading looks at them). Accesses are 1, 2, 4 or 8 naturally aligned bytes, all inside one 64-bit word.
// - Bytes travel in their natural lanes: the byte at address a is in data[8*(a%8) +: 8]. A device may drive all
//   lanes of `rdata`; those outside `wstrb` are ignored.
// - `err` says that nobody is there or that the access is not allowed: nothing happened, `rdata` is meaningless.
package reg_pkg;

  localparam int unsigned AddrWidth = 32;
  localparam int unsigned DataWidth = 64;
  localparam int unsigned StrbWidth = DataWidth / 8;

  typedef struct packed {
    logic                 valid;
    logic                 write;
    logic [AddrWidth-1:0] addr;
    logic [DataWidth-1:0] wdata;
    logic [StrbWidth-1:0] wstrb;
  } reg_req_t;

  typedef struct packed {
    logic                 ready;
    logic                 err;
    logic [DataWidth-1:0] rdata;
  } reg_rsp_t;

  // The bits that an access with these byte strobes names.
  function automatic logic [63:0] lanes(input logic [7:0] wstrb);
    for (int unsigned i = 0; i < 8; i++) lanes[8*i+:8] = {8{wstrb[i]}};
  endfunction

  // A register's value after a write of the bits in `mask`.
  function automatic logic [63:0] merge(input logic [63:0] old, input logic [63:0] wdata,
                                        input logic [63:0] mask);
    merge = (old & ~mask) | (wdata & mask);
  endfunction

endpackage
