// SPDX-License-Identifier: Apache-2.0
// Takes completions: checks each against the read that it answers and turns its payload so that bytes lie as in the card's
// lines.
//
// The buffer has 512 bytes for each tag, where the byte for card address a has place a % 512. A beat of payload fills two
// neighbouring lines in part; they go to different banks.
//
// Cuts: completions (writes to the buffer follow by one cycle; cpl_full_i of the tag comes in the cycle of the last beat).
module dma_receive (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  pcie_pkg::config_t config_i,

  input  logic              cpl_valid_i,
  input  tlp_pkg::beat_t    cpl_beat_i,

  output logic [5:0]        tag_o,
  output logic              lock_o,
  input  dma_pkg::chunk_t   chunk_i,
  input  logic              waiting_i,
  input  logic              given_up_i,
  output logic              full_o,
  output logic              give_up_o,
  output logic              free_o,

  input  logic              start_i,       // a tag starts with nothing received
  input  logic [5:0]        start_tag_i,

  output logic [1:0]        write_o,       // one bit for each bank
  output logic [2*8-1:0]    write_row_o,   // {tag, line / 2}
  output logic [2*64-1:0]   write_strb_o,
  output logic [511:0]      write_data_o,

  output dma_pkg::error_t   error_o,
  output logic              unexpected_o,
  output logic              late_o,
  output logic              poisoned_o
);

  tlp_pkg::completion_t header;
  assign header = cpl_beat_i.header;

  // --- The first beat against the read -------------------------------------------------------------------------------

  logic        first, known, with_data, good, ends, agrees;
  logic [9:0]  got, left, valid, bytes;
  logic [11:0] payload;
  logic [63:0] host;
  logic [9:0]  got_q [dma_pkg::Tags];
  logic [5:0]  tag_q;
  logic        taking_q, final_q;
  logic [8:0]  place_q;
  logic [9:0]  left_q;

  assign first     = cpl_valid_i && cpl_beat_i.sop;
  assign tag_o     = first ? header.tag[5:0] : tag_q;
  assign got       = got_q[tag_o];
  assign left      = chunk_i.bytes - got;
  assign host      = chunk_i.host + {54'd0, got};
  assign payload   = {header.length, 2'b00};
  assign known     = first && header.tag[7:6] == '0 && header.requester == config_i.bus_dev_fn && (waiting_i || given_up_i);
  assign with_data = header.fmt_type == tlp_pkg::CompletionD;
  assign good      = with_data && header.status == tlp_pkg::CplSuccess && !header.ep;
  // By what the packet says of itself, nothing comes after it.
  assign ends      = !with_data || {1'b0, payload} >= {1'b0, header.byte_count} + {11'd0, header.lower_addr[1:0]};
  assign agrees   = header.byte_count == {2'd0, left} && header.lower_addr == host[6:0] && header.length != '0 &&
                     payload < {2'd0, left} + {10'd0, host[1:0]} + 12'd4;
  assign valid     = payload[9:0] - {8'd0, host[1:0]};
  assign bytes     = valid < left ? valid : left;

  logic take, is_final, wrong;
  assign take     = cpl_valid_i && (cpl_beat_i.sop ? known && waiting_i && good && agrees : taking_q);
  assign is_final = cpl_beat_i.sop ? bytes == left : final_q;
  assign wrong    = known && waiting_i && !(good && agrees);

  // While a packet passes that fills the buffer its tag stays as it is.
  assign lock_o    = cpl_valid_i || taking_q;
  assign full_o    = take && cpl_beat_i.eop && is_final;
  assign give_up_o = wrong && !ends;
  assign free_o    = known && ends && (wrong || given_up_i);

  assign unexpected_o = first && !known;
  assign late_o       = known && given_up_i;
  assign poisoned_o   = wrong && with_data && header.ep;
  always_comb begin
    error_o         = '0;
    error_o.valid   = wrong;
    error_o.slot    = chunk_i.slot;
    error_o.access  = dma_regs_pkg::ErrorAccessData;
    error_o.address = chunk_i.host;
    if (header.status == tlp_pkg::CplUnsupported) error_o.cause = dma_regs_pkg::ErrorCauseUnsupported;
    else if (header.status != tlp_pkg::CplSuccess) error_o.cause = dma_regs_pkg::ErrorCauseCompleterAbort;
    else if (with_data && header.ep) error_o.cause = dma_regs_pkg::ErrorCausePoisonedCompletion;
    else error_o.cause = dma_regs_pkg::ErrorCauseBadCompletion;
  end

  // --- Where its bytes go --------------------------------------------------------------------------------------------

  logic [8:0] place;          // of the payload's lane 0 in the tag's 512 bytes
  logic [5:0] lane;           // first lane that counts
  logic [9:0] beyond, rest;   // first one that does not
  assign place  = cpl_beat_i.sop ? chunk_i.card[8:0] + got[8:0] - {7'd0, host[1:0]} : place_q;
  assign lane   = cpl_beat_i.sop ? {4'd0, host[1:0]} : '0;
  assign beyond = cpl_beat_i.sop ? {8'd0, host[1:0]} + bytes : left_q;
  assign rest   = beyond > 10'd64 ? beyond - 10'd64 : '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      taking_q <= 1'b0;
      final_q  <= 1'b0;
      tag_q    <= '0;
      place_q  <= '0;
      left_q   <= '0;
    end else if (config_i.flr) begin
      taking_q <= 1'b0;  // a link that goes down cuts a packet off: its end never comes
    end else if (cpl_valid_i) begin
      taking_q <= take && !cpl_beat_i.eop;
      final_q  <= is_final;
      tag_q    <= tag_o;
      place_q  <= place + 9'd64;
      left_q   <= rest;
    end
  end
  always_ff @(posedge clk_i) begin
    if (start_i) got_q[start_tag_i] <= '0;
    if (take && cpl_beat_i.sop) got_q[tag_o] <= got + bytes;
  end

  // --- The write -------------------------------------------------------------------------------------------------------

  logic         write_q;
  logic [5:0]   write_tag_q;
  logic [8:0]   write_place_q;
  logic [63:0]  write_lanes_q, high;
  logic [511:0] write_data_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) write_q <= 1'b0;
    else write_q <= take;
  end
  always_ff @(posedge clk_i) begin
    if (take) begin
      write_tag_q   <= tag_o;
      write_place_q <= place;
      write_lanes_q <= dma_pkg::rotate_mask(dma_pkg::lanes_of(lane, beyond > 10'd64 ? 7'd64 : beyond[6:0]), place[5:0]);
      write_data_q  <= dma_pkg::rotate(cpl_beat_i.data, place[5:0]);
    end
  end

  logic [2:0]  row, next_row;
  logic [63:0] strb, next_strb;
  assign high      = 64'hffff_ffff_ffff_ffff << write_place_q[5:0];
  assign row       = write_place_q[8:6];
  assign next_row  = row + 3'd1;
  assign strb      = write_lanes_q & high;
  assign next_strb = write_lanes_q & ~high;
  assign write_strb_o = row[0] ? {strb, next_strb} : {next_strb, strb};
  assign write_row_o  = row[0] ? {write_tag_q, row[2:1], write_tag_q, next_row[2:1]} :
                                 {write_tag_q, next_row[2:1], write_tag_q, row[2:1]};
  assign write_o[0]   = write_q && write_strb_o[63:0] != '0;
  assign write_o[1]   = write_q && write_strb_o[127:64] != '0;
  assign write_data_o = write_data_q;

endmodule
