// SPDX-License-Identifier: Apache-2.0
// The buffer of completions, and the way from there to card memory: reads that are complete, in the order in which they
// became so, leave as writes of whole lines; only their first and last line may be partial.
//
// Cuts: ring writes (they come from registers and the buffer's read register).
module dma_move (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic [7:0]      stopped_i,

  input  logic [1:0]      write_i,
  input  logic [2*8-1:0]  write_row_i,
  input  logic [2*64-1:0] write_strb_i,
  input  logic [511:0]    write_data_i,

  input  logic            full_i,         // this tag is complete
  input  logic [5:0]      full_tag_i,
  output logic [5:0]      tag_o,
  input  dma_pkg::chunk_t chunk_i,        // of tag_o
  output logic            done_o,         // all of tag_o is on its way or was dropped

  output logic            line_o,         // a line has been given to the ring, or will be
  output logic            finished_o,     // it was the chunk's last one
  output logic [4:0]      slot_o,         // of both
  output logic [9:0]      bytes_o,        // of the finished chunk

  output logic            ring_valid_o,
  input  logic            ring_take_i,
  output logic [33:0]     ring_line_o,
  output logic [63:0]     ring_strb_o,
  output logic [511:0]    ring_data_o,
  output logic [4:0]      ring_slot_o,

  output logic [7:0]      busy_o          // the channel whose line waits for the ring
);

  logic       queue_valid, queue_take, unused_ready;
  logic [5:0] queue_tag;
  stream_fifo #(.Width(6), .Depth(dma_pkg::Tags)) u_queue (
    .clk_i,
    .rst_ni,
    .in_valid_i  (full_i),
    .in_ready_o  (unused_ready),
    .in_data_i   (full_tag_i),
    .out_valid_o (queue_valid),
    .out_ready_i (queue_take),
    .out_data_o  (queue_tag)
  );

  // Line by line: `start_q` is the first one of the tag, `at` the byte it begins with.
  logic        start_q;
  logic [33:0] line_q, line, last_line;
  logic [39:0] last_byte;
  logic        active, step, is_last, drop;
  logic [1:0]  bank_read;
  assign tag_o     = queue_tag;
  assign last_byte = chunk_i.card + {30'd0, chunk_i.bytes} - 40'd1;
  assign last_line = last_byte[39:6];
  assign line      = start_q ? chunk_i.card[39:6] : line_q;
  assign is_last   = line == last_line;
  assign drop      = queue_valid && start_q && stopped_i[chunk_i.slot[4:2]];
  assign active    = queue_valid && !drop;

  logic        held_q, held_bank_q;
  logic [33:0] held_line_q;
  logic [63:0] held_strb_q;
  logic [4:0]  held_slot_q;
  assign step       = active && !write_i[line[0]] && (!held_q || ring_take_i);
  assign bank_read  = step ? 2'd1 << line[0] : '0;
  assign queue_take = drop || (step && is_last);
  assign done_o     = queue_take;
  assign line_o     = step;
  assign finished_o = step && is_last;
  assign slot_o     = chunk_i.slot;
  assign bytes_o    = chunk_i.bytes;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      start_q <= 1'b1;
      held_q  <= 1'b0;
    end else begin
      if (step) start_q <= is_last;
      if (step) held_q <= 1'b1;
      else if (ring_take_i) held_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (step) begin
      line_q      <= line + 34'd1;
      held_bank_q <= line[0];
      held_line_q <= line;
      held_strb_q <= dma_pkg::lanes_of(start_q ? chunk_i.card[5:0] : 6'd0, is_last ? {1'b0, last_byte[5:0]} + 7'd1 : 7'd64);
      held_slot_q <= chunk_i.slot;
    end
  end

  logic [511:0] rdata [2];
  for (genvar i = 0; i < 2; i++) begin : g_bank
    ram_1rw #(.Depth(dma_pkg::Tags * 4), .Width(512)) u_ram (
      .clk_i,
      .en_i    (write_i[i] || bank_read[i]),
      .we_i    (write_i[i]),
      .addr_i  (write_i[i] ? write_row_i[8*i +: 8] : {queue_tag, line[2:1]}),
      .strb_i  (write_strb_i[64*i +: 64]),
      .wdata_i (write_data_i),
      .rdata_o (rdata[i])
    );
  end

  assign ring_valid_o = held_q;
  assign ring_line_o  = held_line_q;
  assign ring_strb_o  = held_strb_q;
  assign ring_data_o  = held_bank_q ? rdata[1] : rdata[0];
  assign ring_slot_o  = held_slot_q;
  assign busy_o       = held_q ? 8'd1 << held_slot_q[4:2] : '0;

endmodule
