// SPDX-License-Identifier: Apache-2.0
// What the timings of the memory allow a pseudo-channel in this slot: the commands of the last slots, and from them which banks
// may take which command. See hbm_pkg for slots and phases.
//
// Commands are registered at the end of the cycle in which they are given; shift_i, in phase 3, ends the slot. While no
// command was given for a while (active_o low) shifting does nothing and may be left out.
module hbm_banks (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        shift_i,
  input  logic        close_i,        // all banks, when nothing has happened for long

  input  logic        act_i,
  input  logic [3:0]  act_bank_i,
  input  logic        refresh_i,
  input  logic [3:0]  refresh_bank_i,
  input  logic        pre_i,
  input  logic [3:0]  pre_bank_i,
  input  logic        read_i,
  input  logic        write_i,
  input  logic [3:0]  col_bank_i,

  output logic [15:0] open_o,       // a row is open or opening
  output logic [15:0] opening_o,    // too early for reads and writes
  output logic [15:0] act_ready_o,  // may take an activation or a refresh
  output logic [15:0] pre_ready_o,  // may be closed
  output logic        read_ok_o,    // the data bus
  output logic        write_ok_o,
  output logic        refreshing_o,
  output logic        active_o
);

  localparam int unsigned ActSlots   = hbm_pkg::SlotsActToPre;
  localparam int unsigned PreSlots   = hbm_pkg::SlotsPreToAct;
  localparam int unsigned ReadSlots  = hbm_pkg::SlotsReadToWrite;
  localparam int unsigned WriteSlots = hbm_pkg::SlotsWriteToPre;

  // Bits 16*k+15 to 16*k: the bank that got the command k slots ago, as one bit.
  logic [16*ActSlots-1:0]   act_q;
  logic [16*PreSlots-1:0]   pre_q;
  logic [16*ReadSlots-1:0]  read_q;
  logic [16*WriteSlots-1:0] write_q;
  logic [15:0] open_q, refreshing_q;
  logic [5:0]  refresh_left_q;  // slots
  logic [5:0]  active_q;        // slots until nothing of the above restricts anything
  logic [15:0] act_bit, pre_bit, refresh_bit, col_bit, acted, closed, used;
  logic        command;

  assign act_bit     = act_i ? 16'd1 << act_bank_i : '0;
  assign pre_bit     = pre_i ? 16'd1 << pre_bank_i : '0;
  assign refresh_bit = refresh_i ? 16'd1 << refresh_bank_i : '0;
  assign col_bit     = (read_i || write_i) ? 16'd1 << col_bank_i : '0;
  assign command     = act_i || refresh_i || pre_i || read_i || write_i;
  assign active_o    = active_q != '0;

  always_comb begin
    opening_o  = '0;
    acted      = '0;
    closed     = '0;
    used       = '0;
    read_ok_o  = 1'b1;
    write_ok_o = 1'b1;
    if (active_o) begin
      for (int unsigned k = 0; k < hbm_pkg::SlotsActToCol; k++) opening_o |= act_q[16*k +: 16];
      for (int unsigned k = 0; k < ActSlots; k++) acted |= act_q[16*k +: 16];
      for (int unsigned k = 0; k < PreSlots; k++) closed |= pre_q[16*k +: 16];
      for (int unsigned k = 0; k < hbm_pkg::SlotsReadToPre; k++) used |= read_q[16*k +: 16];
      for (int unsigned k = 0; k < WriteSlots; k++) used |= write_q[16*k +: 16];
      write_ok_o = read_q == '0;
      read_ok_o  = write_q[16*hbm_pkg::SlotsWriteToRead-1:0] == '0;
    end
    act_ready_o = ~(open_q | closed | refreshing_q);
    pre_ready_o = open_q & ~(acted | used);
  end

  assign open_o       = open_q;
  assign refreshing_o = refreshing_q != '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      open_q         <= '0;
      refreshing_q   <= '0;
      refresh_left_q <= '0;
      active_q       <= '0;
      act_q          <= '0;
      pre_q          <= '0;
      read_q         <= '0;
      write_q        <= '0;
    end else begin
      if (shift_i) begin
        act_q   <= {act_q[16*ActSlots-17:0], 16'd0};
        pre_q   <= {pre_q[16*PreSlots-17:0], 16'd0};
        read_q  <= {read_q[16*ReadSlots-17:0], 16'd0};
        write_q <= {write_q[16*WriteSlots-17:0], 16'd0};
        if (active_q != '0) active_q <= active_q - 1'b1;
        if (refresh_left_q != '0) refresh_left_q <= refresh_left_q - 1'b1;
        if (refresh_left_q == 6'd1) refreshing_q <= '0;
      end
      if (close_i) open_q <= '0;
      if (command) begin
        open_q <= (open_q | act_bit) & ~pre_bit;
        if (act_i) act_q[15:0] <= act_bit;
        if (pre_i) pre_q[15:0] <= pre_bit;
        if (read_i) read_q[15:0] <= col_bit;
        if (write_i) write_q[15:0] <= col_bit;
        if (active_q < 6'(ActSlots)) active_q <= 6'(ActSlots);
        if (refresh_i) begin
          refreshing_q   <= refresh_bit;
          refresh_left_q <= 6'(hbm_pkg::SlotsRefresh);
          active_q       <= 6'(hbm_pkg::SlotsRefresh);
        end
      end
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!(close_i && (command || active_o))) else $error("all banks closed too early");
      assert (!(shift_i && command)) else $error("a command at the end of a slot");
      assert (!(act_i && !act_ready_o[act_bank_i])) else $error("bank %0d opened too early", act_bank_i);
      assert (!(refresh_i && !act_ready_o[refresh_bank_i])) else $error("bank %0d refreshed too early", refresh_bank_i);
      assert (!(refresh_i && refreshing_o)) else $error("two refreshes at a time");
      assert (!(pre_i && !pre_ready_o[pre_bank_i])) else $error("bank %0d closed too early", pre_bank_i);
      assert (!(read_i && !read_ok_o) && !(write_i && !write_ok_o)) else $error("the data bus has not turned around");
    end
  end
`endif

endmodule
