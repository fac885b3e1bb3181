// What the devices of the SoC share.
package soc_pkg;

  // The bits that an access with these byte strobes names.
  function automatic logic [63:0] lanes(input logic [7:0] wstrb);
    for (int unsigned i = 0; i < 8; i++) lanes[8*i+:8] = {8{wstrb[i]}};
  endfunction

  // A register's value after a write of the bits in `mask`.
  function automatic logic [63:0] merge(input logic [63:0] old, input logic [63:0] wdata,
                                        input logic [63:0] mask);
    merge = (old & ~mask) | (wdata & mask);
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
