// SPDX-License-Identifier: Apache-2.0
// Card memory to host: reads the lines of a chunk over the ring, turns them so that they lie as in the packet, and sends
// memory writes in the order in which the chunks came.
//
// 32 chunks of up to 256 bytes are under way. Answers come in any order; a line fills two neighbouring beats of the packet in
// part; they lie in different banks.
module dma_gather (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  pcie_pkg::config_t config_i,
  input  logic [7:0]        stopped_i,

  input  logic              chunk_valid_i,
  input  dma_pkg::chunk_t   chunk_i,
  output logic              room_o,

  output logic              ring_valid_o,
  input  logic              ring_take_i,
  output logic [33:0]       ring_line_o,
  output logic [7:0]        ring_info_o,
  output logic [2:0]        ring_channel_o,
  input  logic              answer_i,
  input  logic [7:0]        answer_info_i,
  input  logic [39:0]       answer_addr_i,
  input  logic [1:0]        answer_status_i,
  input  logic [511:0]      answer_data_i,

  // Beats of packets. What has been handed over is told by `sent_*`.
  output logic              beat_valid_o,
  input  logic              beat_take_i,
  output tlp_pkg::beat_t    beat_o,
  output dma_pkg::chunk_t   beat_chunk_o,
  input  logic              sent_i,          // a packet of this channel has gone out
  input  logic [2:0]        sent_channel_i,

  output dma_pkg::error_t   error_o,
  output logic [7:0]        channels_o       // that have chunks under way
);

  localparam int unsigned N          = dma_pkg::Writes;

  logic [dma_pkg::ChunkWidth-1:0] chunk_q [N];
  logic [2:0]            left_q [N];  // answers to come
  logic [5:0]            in_q, ask_q, out_q;
  assign room_o = in_q - out_q < 6'(N);

  // --- Requests for lines ----------------------------------------------------------------------------------------------

  dma_pkg::chunk_t asked;
  logic [2:0]      ask_count_q;
  logic [9:0]      asked_span, in_span;
  logic [2:0]      asked_lines, in_lines;
  assign asked       = chunk_q[ask_q[4:0]];
  assign asked_span  = asked.bytes + {4'd0, asked.card[5:0]} + 10'd63;
  assign asked_lines = asked_span[8:6];
  assign in_span     = chunk_i.bytes + {4'd0, chunk_i.card[5:0]} + 10'd63;
  assign in_lines    = in_span[8:6];

  assign ring_valid_o   = ask_q != in_q;
  assign ring_line_o    = asked.card[39:6] + {31'd0, ask_count_q};
  assign ring_info_o    = {ask_q[4:0], ask_count_q};
  assign ring_channel_o = asked.slot[4:2];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      in_q        <= '0;
      ask_q       <= '0;
      ask_count_q <= '0;
    end else begin
      if (chunk_valid_i) in_q <= in_q + 6'd1;
      if (ring_take_i) begin
        if (ask_count_q + 3'd1 == asked_lines) begin
          ask_q       <= ask_q + 6'd1;
          ask_count_q <= '0;
        end else begin
          ask_count_q <= ask_count_q + 3'd1;
        end
      end
    end
  end

  // --- Answers -----------------------------------------------------------------------------------------------------------

  dma_pkg::chunk_t answered;
  logic [4:0]      answer_chunk;
  logic [2:0]      answer_line;
  logic [5:0]      turn;
  logic [39:0]     last_byte;
  logic [63:0]     lanes;
  logic            answer_bad;
  assign answer_bad   = answer_i && answer_status_i != noc_pkg::StatusOk;
  assign answer_chunk = answer_info_i[7:3];
  assign answer_line  = answer_info_i[2:0];
  assign answered     = chunk_q[answer_chunk];
  // The packet begins with the doubleword of the first byte.
  assign turn         = {4'd0, answered.host[1:0]} - answered.card[5:0];
  assign last_byte    = answered.card + {30'd0, answered.bytes} - 40'd1;
  assign lanes        = dma_pkg::lanes_of(answer_line == '0 ? answered.card[5:0] : 6'd0,
                                          answer_addr_i[39:6] == last_byte[39:6] ? {1'b0, last_byte[5:0]} + 7'd1 : 7'd64);

  always_ff @(posedge clk_i) begin
    if (chunk_valid_i) begin
      chunk_q[in_q[4:0]] <= chunk_i;
      left_q[in_q[4:0]]  <= in_lines;
    end
    if (answer_i) left_q[answer_chunk] <= left_q[answer_chunk] - 3'd1;
  end

  logic         write_q;
  logic [4:0]   write_chunk_q;
  logic [1:0]   write_row_q, next_row;
  logic [5:0]   write_turn_q;
  logic [63:0]  write_lanes_q, high, strb, next_strb;
  logic [511:0] write_data_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) write_q <= 1'b0;
    else write_q <= answer_i;
  end
  always_ff @(posedge clk_i) begin
    if (answer_i) begin
      write_chunk_q <= answer_chunk;
      // When lanes turn backwards, those that do not come around belong to the beat before.
      write_row_q   <= answer_line[1:0] - {1'b0, answered.card[5:0] > {4'd0, answered.host[1:0]}};
      write_turn_q  <= turn;
      write_lanes_q <= dma_pkg::rotate_mask(lanes, turn);
      write_data_q  <= dma_pkg::rotate(answer_data_i, turn);
    end
  end

  logic [1:0]   bank_write, bank_read;
  logic [127:0] bank_strb;
  logic [11:0]  bank_row;
  assign high       = 64'hffff_ffff_ffff_ffff << write_turn_q;
  assign strb       = write_lanes_q & high;
  assign next_strb  = write_lanes_q & ~high;
  assign next_row   = write_row_q + 2'd1;
  assign bank_strb  = write_row_q[0] ? {strb, next_strb} : {next_strb, strb};
  assign bank_row   = write_row_q[0] ? {write_chunk_q, write_row_q[1], write_chunk_q, next_row[1]} :
                                       {write_chunk_q, next_row[1], write_chunk_q, write_row_q[1]};
  assign bank_write = {write_q && bank_strb[127:64] != '0, write_q && bank_strb[63:0] != '0};

  // --- Packets -------------------------------------------------------------------------------------------------------------

  dma_pkg::chunk_t sending, held_chunk_q;
  logic            ready, drop, no_master, step, is_last;
  logic [1:0]      beat_q, last_beat;
  logic [8:0]      span;
  logic            held_q, held_bank_q, held_sop_q, held_eop_q;
  logic [127:0]    held_header_q;
  assign sending   = chunk_q[out_q[4:0]];
  assign span      = sending.bytes[8:0] + {7'd0, sending.host[1:0]} - 9'd1;
  assign last_beat = span[7:6];
  assign ready     = out_q != ask_q && left_q[out_q[4:0]] == '0;
  assign no_master = ready && beat_q == '0 && !config_i.bus_master && !stopped_i[sending.slot[4:2]] && !answer_bad;
  assign drop      = ready && beat_q == '0 && (stopped_i[sending.slot[4:2]] || no_master);
  assign step      = ready && !drop && (config_i.bus_master || beat_q != '0) && !bank_write[beat_q[0]] &&
                     (!held_q || beat_take_i);
  assign is_last   = beat_q == last_beat;
  assign bank_read = step ? 2'd1 << beat_q[0] : '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      out_q  <= '0;
      beat_q <= '0;
      held_q <= 1'b0;
    end else begin
      if (drop || (step && is_last)) out_q <= out_q + 6'd1;
      if (step) beat_q <= is_last ? '0 : beat_q + 2'd1;
      if (step) held_q <= 1'b1;
      else if (beat_take_i) held_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (step) begin
      held_bank_q <= beat_q[0];
      held_sop_q  <= beat_q == '0;
      held_eop_q  <= is_last;
      if (beat_q == '0) begin
        held_chunk_q  <= sending;
        held_header_q <= dma_pkg::header_of(1'b1, config_i.bus_dev_fn, 8'd0, sending.host, sending.bytes);
      end
    end
  end

  always_comb begin
    error_o         = '0;
    error_o.valid   = answer_bad || no_master;
    error_o.access  = dma_regs_pkg::ErrorAccessData;
    if (answer_bad) begin
      error_o.slot    = answered.slot;
      error_o.cause   = dma_pkg::ring_cause(answer_status_i);
      error_o.address = {24'd0, answer_addr_i};
    end else begin
      error_o.slot    = sending.slot;
      error_o.cause   = dma_regs_pkg::ErrorCauseNoBusMaster;
      error_o.address = sending.host;
    end
  end

  logic [511:0] rdata [2];
  for (genvar i = 0; i < 2; i++) begin : g_bank
    ram_1rw #(.Depth(N * 2), .Width(512)) u_ram (
      .clk_i,
      .en_i    (bank_write[i] || bank_read[i]),
      .we_i    (bank_write[i]),
      .addr_i  (bank_write[i] ? bank_row[6*i +: 6] : {out_q[4:0], beat_q[1]}),
      .strb_i  (bank_strb[64*i +: 64]),
      .wdata_i (write_data_q),
      .rdata_o (rdata[i])
    );
  end

  assign beat_valid_o  = held_q;
  assign beat_chunk_o  = held_chunk_q;
  always_comb begin
    beat_o.sop    = held_sop_q;
    beat_o.eop    = held_eop_q;
    beat_o.header = held_header_q;
    beat_o.data   = held_bank_q ? rdata[1] : rdata[0];
  end

  // --- How many chunks each channel has here ---------------------------------------------------------------------------------

  logic [47:0] count_q, count_d;
  always_comb begin
    count_d = count_q;
    if (chunk_valid_i) count_d[6*chunk_i.slot[4:2] +: 6] = count_d[6*chunk_i.slot[4:2] +: 6] + 6'd1;
    if (drop) count_d[6*sending.slot[4:2] +: 6] = count_d[6*sending.slot[4:2] +: 6] - 6'd1;
    if (sent_i) count_d[6*sent_channel_i +: 6] = count_d[6*sent_channel_i +: 6] - 6'd1;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) count_q <= '0;
    else if (chunk_valid_i || drop || sent_i) count_q <= count_d;
  end
  for (genvar i = 0; i < dma_pkg::Channels; i++) begin : g_channel
    assign channels_o[i] = count_q[6*i +: 6] != '0;
  end

endmodule
