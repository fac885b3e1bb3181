// SPDX-License-Identifier: Apache-2.0
// The modules of rtl/lib that are not streams: cells, counters, memory, arithmetic. Each has ports of its own.
module tb_cells (
  input  logic         clk_i,
  input  logic         rst_ni,

  // clock_gate: a register on the gated clock between two on the free one
  input  logic         gate_en_i,
  output logic         gate_clk_o,
  output logic [15:0]  free_o,
  output logic [15:0]  gated_o,
  output logic [15:0]  back_o,

  // idle_clock: edges of its clock since the reset
  input  logic         busy_i,
  output logic [15:0]  idle_edges_o,

  input  logic [3:0]   async_i,
  output logic [3:0]   sync_o,
  input  logic         arst_ni,
  output logic         arst_sync_no,

  // zero_count and popcount of the lowest 1, 2, 13, 32, 33 and 64 bits; seven bits for each result
  input  logic [63:0]  word_i,
  output logic [41:0]  leading_o,
  output logic [41:0]  trailing_o,
  output logic [41:0]  ones_o,

  // Four memories; ram_select_i says whose data comes out.
  input  logic [1:0]   ram_select_i,
  input  logic [3:0]   ram_en_i,
  input  logic         ram_we_i,
  input  logic [5:0]   ram_addr_i,
  input  logic [63:0]  ram_strb_i,
  input  logic [511:0] ram_wdata_i,
  output logic [511:0] ram_rdata_o,

  // Two memories of two ports, 64 x 40 and 5 x 256 bits
  input  logic         pair_select_i,
  input  logic [1:0]   pair_re_i,
  input  logic [5:0]   pair_raddr_i,
  output logic [255:0] pair_rdata_o,
  input  logic [1:0]   pair_we_i,
  input  logic [5:0]   pair_waddr_i,
  input  logic [255:0] pair_wdata_i,

  input  logic [3:0]   amo_op_i,
  input  logic [2:0]   amo_size_i,
  input  logic [63:0]  amo_old_i,
  input  logic [63:0]  amo_operand_i,
  output logic [63:0]  amo_new_o,

  // credit_counter with 1, 4 and 7 credits; three bits for each count
  input  logic [2:0]   take_i,
  input  logic [2:0]   give_i,
  output logic [2:0]   avail_o,
  output logic [8:0]   credits_o
);

  logic gated_clk;

  clock_gate u_gate (
    .clk_i,
    .en_i (gate_en_i || !rst_ni),
    .clk_o(gated_clk)
  );

  assign gate_clk_o = gated_clk;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      free_o <= '0;
      back_o <= '0;
    end else begin
      free_o <= free_o + 1'b1;
      back_o <= gated_o;
    end
  end

  always_ff @(posedge gated_clk) begin
    if (!rst_ni) gated_o <= '0;
    else gated_o <= free_o;
  end

  logic idle_clk;

  idle_clock #(
    .Tail(3)
  ) u_idle_clock (
    .clk_i,
    .rst_ni,
    .busy_i,
    .clk_o (idle_clk)
  );

  always_ff @(posedge idle_clk) begin
    if (!rst_ni) idle_edges_o <= '0;
    else idle_edges_o <= idle_edges_o + 1'b1;
  end

  sync_2ff #(
    .Width     (4),
    .ResetValue(4'b1010)
  ) u_sync (
    .clk_i,
    .rst_ni,
    .async_i,
    .sync_o
  );

  reset_sync u_reset_sync (
    .clk_i,
    .rst_ni(arst_ni),
    .rst_no(arst_sync_no)
  );

  for (genvar w = 0; w < 6; w++) begin : g_word
    localparam int unsigned Width = w == 0 ? 1 : w == 1 ? 2 : w == 2 ? 13 : w == 3 ? 32 : w == 4 ? 33 : 64;
    localparam int unsigned CountWidth = $clog2(Width + 1);
    logic [CountWidth-1:0] leading, trailing, ones;

    zero_count #(
      .Width  (Width),
      .Leading(1'b1)
    ) u_leading (
      .data_i (word_i[Width-1:0]),
      .count_o(leading)
    );
    zero_count #(
      .Width  (Width),
      .Leading(1'b0)
    ) u_trailing (
      .data_i (word_i[Width-1:0]),
      .count_o(trailing)
    );
    popcount #(
      .Width(Width)
    ) u_popcount (
      .data_i (word_i[Width-1:0]),
      .count_o(ones)
    );

    assign leading_o[7*w +: 7]  = 7'(leading);
    assign trailing_o[7*w +: 7] = 7'(trailing);
    assign ones_o[7*w +: 7]     = 7'(ones);
  end

  // Depth, width and lane: 64 x 64 bits in bytes, 5 lines in bytes, 16 x 48 in half words, 33 x 20 in one piece.
  logic [511:0] rdata [4];

  for (genvar r = 0; r < 4; r++) begin : g_ram
    localparam int unsigned Depth     = r == 0 ? 64 : r == 1 ? 5 : r == 2 ? 16 : 33;
    localparam int unsigned Width     = r == 0 ? 64 : r == 1 ? 512 : r == 2 ? 48 : 20;
    localparam int unsigned LaneWidth = r == 2 ? 16 : r == 3 ? 20 : 8;
    if (Width < 512) assign rdata[r][511:Width] = '0;
    ram_1rw #(
      .Depth    (Depth),
      .Width    (Width),
      .LaneWidth(LaneWidth)
    ) u_ram (
      .clk_i,
      .en_i   (ram_en_i[r]),
      .we_i   (ram_we_i),
      .addr_i (ram_addr_i[$clog2(Depth)-1:0]),
      .strb_i (ram_strb_i[Width/LaneWidth-1:0]),
      .wdata_i(ram_wdata_i[Width-1:0]),
      .rdata_o(rdata[r][Width-1:0])
    );
  end

  assign ram_rdata_o = rdata[ram_select_i];

  logic [39:0]  narrow;
  logic [255:0] wide;

  ram_1r1w #(
    .Depth(64),
    .Width(40)
  ) u_narrow (
    .clk_i,
    .re_i   (pair_re_i[0]),
    .raddr_i(pair_raddr_i),
    .rdata_o(narrow),
    .we_i   (pair_we_i[0]),
    .waddr_i(pair_waddr_i),
    .wdata_i(pair_wdata_i[39:0])
  );
  ram_1r1w #(
    .Depth(5),
    .Width(256)
  ) u_wide (
    .clk_i,
    .re_i   (pair_re_i[1]),
    .raddr_i(pair_raddr_i[2:0]),
    .rdata_o(wide),
    .we_i   (pair_we_i[1]),
    .waddr_i(pair_waddr_i[2:0]),
    .wdata_i(pair_wdata_i)
  );

  assign pair_rdata_o = pair_select_i ? wide : 256'(narrow);

  amo_alu u_amo_alu (
    .op_i     (mbus_pkg::op_e'(amo_op_i)),
    .size_i   (amo_size_i),
    .old_i    (amo_old_i),
    .operand_i(amo_operand_i),
    .new_o    (amo_new_o)
  );

  for (genvar c = 0; c < 3; c++) begin : g_credits
    localparam int unsigned Credits = c == 0 ? 1 : c == 1 ? 4 : 7;
    logic [$clog2(Credits+1)-1:0] count;
    credit_counter #(
      .Credits(Credits)
    ) u_credits (
      .clk_i,
      .rst_ni,
      .take_i (take_i[c]),
      .give_i (give_i[c]),
      .avail_o(avail_o[c]),
      .count_o(count)
    );
    assign credits_o[3*c +: 3] = 3'(count);
  end

endmodule
