// SPDX-License-Identifier: Apache-2.0
// Posted packets on their way out: data of the gatherer, and completion records between its packets.
//
// Cuts: everything but readiness. Order: as taken. During a function-level reset a packet of which nothing has been taken yet
// is swallowed.
module dma_post (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            flr_i,

  input  logic            beat_valid_i,
  output logic            beat_take_o,
  input  tlp_pkg::beat_t  beat_i,
  input  dma_pkg::chunk_t beat_chunk_i,

  input  logic            record_valid_i,  // a packet of one beat
  output logic            record_take_o,
  input  logic [127:0]    record_header_i,
  input  logic [127:0]    record_data_i,

  output logic            p_valid_o,
  input  logic            p_ready_i,
  output tlp_pkg::beat_t  p_beat_o,

  output logic            sent_o,          // a packet of data has been handed over
  output logic [4:0]      sent_slot_o,
  output logic [9:0]      sent_bytes_o,
  output logic            record_sent_o
);

  tlp_pkg::beat_t beat_q;
  logic           valid_q, record_q, inside_q, swallowing_q;
  logic [4:0]     slot_q;
  logic [9:0]     bytes_q;
  logic           swallow, gone, room;
  assign swallow       = swallowing_q || (flr_i && beat_q.sop);
  assign gone          = valid_q && (p_ready_i || swallow);
  assign room          = !valid_q || gone;
  assign record_take_o = room && record_valid_i && !inside_q;
  assign beat_take_o   = room && beat_valid_i && !record_take_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q      <= 1'b0;
      inside_q     <= 1'b0;
      swallowing_q <= 1'b0;
    end else begin
      if (room) valid_q <= record_take_o || beat_take_o;
      if (beat_take_o) inside_q <= !beat_i.eop;
      if (gone) swallowing_q <= swallow && !beat_q.eop;
    end
  end
  always_ff @(posedge clk_i) begin
    if (record_take_o) begin
      beat_q.sop    <= 1'b1;
      beat_q.eop    <= 1'b1;
      beat_q.header <= record_header_i;
      beat_q.data   <= {384'd0, record_data_i};
      record_q      <= 1'b1;
    end else if (beat_take_o) begin
      beat_q   <= beat_i;
      record_q <= 1'b0;
      slot_q   <= beat_chunk_i.slot;
      bytes_q  <= beat_chunk_i.bytes;
    end
  end

  assign p_valid_o     = valid_q && !swallow;
  assign p_beat_o      = beat_q;
  assign sent_o        = gone && beat_q.eop && !record_q;
  assign record_sent_o = gone && record_q;
  assign sent_slot_o   = slot_q;
  assign sent_bytes_o  = bytes_q;

endmodule
