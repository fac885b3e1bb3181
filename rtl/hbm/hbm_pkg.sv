// SPDX-License-Identifier: Apache-2.0
// HBM of a core group: sizes, timings, the place of a line, and what travels between the parts of the controller.
//
// A pseudo-channel works in slots of four cycles, the time that a line takes on its data bus. In a slot it may open a row
// (or refresh a bank) in phase 0, and close a row and start a line in phase 2. So tRCD (phase 0 to phase 2) and tRP (phase 2
// to phase 0), both 14 cycles, cost exactly what they say; the other timings are rounded up to the next slot.
package hbm_pkg;

  localparam int unsigned Channels  = 4;   // pseudo-channels
  localparam int unsigned Banks     = 16;  // of each
  localparam int unsigned LineWidth = 28;  // 16 GiB in lines of 64 bytes
  localparam int unsigned RowWidth  = 18;
  localparam int unsigned ColWidth  = 4;   // pages of 1 KiB

  // Cycles. Given: tRCD, tRP, CL, tRAS, tREFI, tRFC.
  localparam int unsigned TRcd   = 14;
  localparam int unsigned TRp    = 14;
  localparam int unsigned TRas   = 33;
  localparam int unsigned TCl    = 14;
  localparam int unsigned TRefi  = 3900;
  localparam int unsigned TRfc   = 160;
  // Chosen: write latency, burst, bubble between read and write data, write data to read command, write data to
  // precharge, read to precharge.
  localparam int unsigned TWl    = 8;
  localparam int unsigned TBurst = 4;
  localparam int unsigned TRtw   = 2;
  localparam int unsigned TWtr   = 8;
  localparam int unsigned TWr    = 15;
  localparam int unsigned TRtp   = 5;
  // Self-refresh: after how many cycles without work it begins, and from its end to the first command.
  localparam int unsigned TIdle  = 4096;
  localparam int unsigned TXs    = 174;

  // The same in slots: how many later the second command may come. Those from one phase to the other, see above.
  localparam int unsigned SlotsActToCol  = (TRcd - 2) / 4;
  localparam int unsigned SlotsActToPre  = (TRas - 2 + 3) / 4;
  localparam int unsigned SlotsPreToAct  = (TRp + 2) / 4;
  localparam int unsigned SlotsReadToPre = (TRtp + 3) / 4;
  localparam int unsigned SlotsWriteToPre = (TWl + TBurst + TWr + 3) / 4;
  localparam int unsigned SlotsReadToWrite = (TCl + TBurst + TRtw - TWl + 3) / 4;
  localparam int unsigned SlotsWriteToRead = (TWl + TBurst + TWtr + 3) / 4;
  localparam int unsigned SlotsRefresh   = TRfc / 4;
  localparam int unsigned SlotsRefi      = TRefi / 4;

  // The place of a line. Consecutive lines lie in different channels, then in one row of a bank of each. Channel and bank
  // are hashed with the bits above, so that strides of powers of two meet all of them.
  function automatic logic [1:0] channel_of(input logic [27:0] line);
    channel_of = {^(line & 28'haaa_aaaa), ^(line & 28'h555_5555)};
  endfunction

  function automatic logic [3:0] bank_of(input logic [27:0] line);
    bank_of = line[9:6] ^ line[13:10] ^ line[17:14] ^ line[21:18] ^ line[25:22] ^ {2'b00, line[27:26]};
  endfunction

  function automatic logic [17:0] row_of(input logic [27:0] line);
    row_of = line[27:10];
  endfunction

  function automatic logic [3:0] col_of(input logic [27:0] line);
    col_of = line[5:2];
  endfunction

  // And back: what the memory sees of it.
  function automatic logic [27:0] line_of(input logic [1:0] channel, input logic [3:0] bank, input logic [17:0] row,
                                          input logic [3:0] col);
    line_of      = {row, 4'b0000, col, 2'b00};
    line_of[9:6] = bank ^ hbm_pkg::bank_of(line_of);
    line_of[1:0] = channel ^ hbm_pkg::channel_of(line_of);
  endfunction

  // A request as a channel keeps it; data and strobes of writes, and operands of atomics, lie in memories beside.
  typedef struct packed {
    logic        write;   // and not: read
    logic        amo;     // both: first a read, then a write
    logic [3:0]  op;      // mbus_pkg::op_e of an atomic
    logic        is_word; // its size
    logic [3:0]  offset;  // address bits 5:2
    logic [2:0]  source;
    logic [7:0]  tag;
    logic [3:0]  bank;
    logic [17:0] row;
    logic [3:0]  col;
  } item_t;
  localparam int unsigned ItemWidth = 11 + 3 + 8 + 4 + RowWidth + ColWidth;

  // What a channel remembers of a read until its data comes.
  typedef struct packed {
    logic        amo;
    logic [3:0]  op;
    logic        is_word;
    logic [3:0]  offset;
    logic [2:0]  source;
    logic [7:0]  tag;
    logic [1:0]  channel;
    logic [3:0]  bank;
    logic [17:0] row;
    logic [3:0]  col;
    logic [5:0]  slot;
  } read_t;
  localparam int unsigned ReadWidth = 10 + 3 + 8 + 2 + 4 + RowWidth + ColWidth + 6;

  // Commands to the memory: at most one of each line in a cycle, each to one channel.
  typedef struct packed {
    logic        sleep;        // all banks are closed, the memory refreshes itself
    logic        wake;         // until here
    logic        act;
    logic        refresh;
    logic [1:0]  row_channel;  // of act and refresh
    logic [3:0]  row_bank;
    logic [17:0] row;
    logic        pre;
    logic [3:0]  pre_bank;
    logic        col;
    logic        write;
    logic [1:0]  col_channel;  // of pre and col
    logic [3:0]  col_bank;
    logic [3:0]  col_col;
  } cmd_t;

  // What happened in a cycle, for counters.
  typedef struct packed {
    logic read;      // a line
    logic write;
    logic hit;       // and its row was open
    logic act;       // a row was opened
    logic conflict;  // one was closed because another was needed
    logic refresh;
    logic atomic;
    logic poison;    // damaged data was read
  } events_t;

  // The lowest one of a word, and its number.
  function automatic logic [63:0] lowest(input logic [63:0] word);
    lowest = word & (~word + 64'd1);
  endfunction

  function automatic logic [5:0] index_of(input logic [63:0] one);
    index_of[0] = |(one & 64'haaaa_aaaa_aaaa_aaaa);
    index_of[1] = |(one & 64'hcccc_cccc_cccc_cccc);
    index_of[2] = |(one & 64'hf0f0_f0f0_f0f0_f0f0);
    index_of[3] = |(one & 64'hff00_ff00_ff00_ff00);
    index_of[4] = |(one & 64'hffff_0000_ffff_0000);
    index_of[5] = |(one & 64'hffff_ffff_0000_0000);
  endfunction

endpackage
