// SPDX-License-Identifier: Apache-2.0
// What the modules of the SoC share.
package soc_pkg;

  // Slaves of the memory bus.
  localparam int unsigned Targets = 4;
  typedef logic [1:0] target_t;
  localparam target_t TargetRom     = 2'd0;
  localparam target_t TargetSram    = 2'd1;
  localparam target_t TargetDevices = 2'd2;
  localparam target_t TargetNobody  = 2'd3;

  // Does the address lie beyond the ring?
  function automatic logic on_card(input logic [39:0] addr);
    on_card = memmap_pkg::region_of(addr) == memmap_pkg::RegionCard || memmap_pkg::region_of(addr) == memmap_pkg::RegionHbm;
  endfunction

  function automatic logic [63:0] reverse_bytes(input logic [63:0] word);
    for (int unsigned i = 0; i < 8; i++) reverse_bytes[8*i+:8] = word[8*(7-i)+:8];
  endfunction

  // One word of a byte stream, first byte lowest.
  typedef struct packed {
    logic [3:0]  count;  // bytes that count, 1 to 8
    logic [63:0] bytes;
  } chunk_t;

endpackage
