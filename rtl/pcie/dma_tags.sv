// SPDX-License-Identifier: Apache-2.0
// The reads of host memory: gives each a tag, sends it, and knows what has become of it.
//
// A tag is free, waiting (for completions), full (all data is there and waits to be moved to card memory) or given up: its
// channel has stopped or its time is over, but completions may still come. A tag that was given up is free again when its
// last completion has come, or after eight times the timeout.
//
// A pointer visits one tag in each cycle; it sees what is too old, and what belongs to a channel that has stopped.
module dma_tags (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  pcie_pkg::config_t   config_i,
  input  logic [23:0]         timeout_i,     // cycles
  input  logic [7:0]          stopped_i,

  input  logic                chunk_valid_i,
  input  dma_pkg::chunk_t     chunk_i,
  output logic [5:0]          tag_o,         // what it takes
  output logic [7:0]          room_o,        // a chunk of this channel could be taken

  output logic                np_valid_o,
  input  logic                np_ready_i,
  output tlp_pkg::beat_t      np_beat_o,

  // Completions: what is known about a tag; and what becomes of it, in the same cycle.
  input  logic [5:0]          cpl_tag_i,
  input  logic                cpl_lock_i,    // a completion of this tag is passing
  output dma_pkg::chunk_t     cpl_chunk_o,
  output logic                cpl_waiting_o,
  output logic                cpl_given_up_o,
  input  logic                cpl_full_i,
  input  logic                cpl_give_up_i,
  input  logic                cpl_free_i,

  input  logic [5:0]          move_tag_i,
  output dma_pkg::chunk_t     move_chunk_o,
  input  logic                move_done_i,   // the tag is free again

  output dma_pkg::error_t     error_o,       // a timeout
  output logic [7:0]          channels_o,    // that have reads waiting or full
  output logic [6:0]          waiting_o,
  output logic [6:0]          given_up_o
);

  localparam int unsigned N          = dma_pkg::Tags;
  localparam int unsigned TimeWidth  = 24;  // in 64 cycles

  logic [N-1:0] waiting_q, full_q, given_up_q, used;
  assign used = waiting_q | full_q | given_up_q;

  logic [dma_pkg::ChunkWidth-1:0] chunk_q [N];
  logic [TimeWidth-1:0]  since_q [N];

  // --- The next free tag ---------------------------------------------------------------------------------------------

  logic         next_valid_q;
  logic [5:0]   next_q, found;
  logic [N-1:0] one;
  assign one = ~used & (used + 64'd1);
  assign found = {(one & 64'hffff_ffff_0000_0000) != '0, (one & 64'hffff_0000_ffff_0000) != '0,
                  (one & 64'hff00_ff00_ff00_ff00) != '0, (one & 64'hf0f0_f0f0_f0f0_f0f0) != '0,
                  (one & 64'hcccc_cccc_cccc_cccc) != '0, (one & 64'haaaa_aaaa_aaaa_aaaa) != '0};
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      next_valid_q <= 1'b0;
      next_q       <= '0;
    end else if (chunk_valid_i) begin
      next_valid_q <= 1'b0;
    end else if (!next_valid_q) begin
      next_valid_q <= one != '0;
      next_q       <= found;
    end
  end

  assign tag_o = next_q;

  // --- The request -----------------------------------------------------------------------------------------------------

  logic         np_valid_q;
  logic [127:0] np_header_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) np_valid_q <= 1'b0;
    else if (chunk_valid_i) np_valid_q <= 1'b1;
    else if (np_ready_i || config_i.flr) np_valid_q <= 1'b0;
  end
  always_ff @(posedge clk_i) begin
    if (chunk_valid_i) begin
      np_header_q <= dma_pkg::header_of(1'b0, config_i.bus_dev_fn, {2'b00, next_q}, chunk_i.host, chunk_i.bytes);
    end
  end
  assign np_valid_o = np_valid_q && !config_i.flr;
  always_comb begin
    np_beat_o        = '0;
    np_beat_o.sop    = 1'b1;
    np_beat_o.eop    = 1'b1;
    np_beat_o.header = np_header_q;
  end

  // --- Time ------------------------------------------------------------------------------------------------------------

  logic [TimeWidth+5:0] clock_q;  // its lower bits are the tag to visit
  logic [5:0]           visit;
  logic [TimeWidth-1:0] now, age;
  logic [17:0]          limit;
  dma_pkg::chunk_t      visited;
  logic                 old, expire, give_up, forget, cpl_left;
  assign visit   = clock_q[5:0];
  assign now     = clock_q[TimeWidth+5:6];
  assign age     = now - since_q[visit];
  assign visited = chunk_q[visit];
  always_comb begin
    // Device Control 2 may ask for more; its default range leaves the choice to the register.
    case (config_i.timeout)
      4'd0, 4'd1: limit = timeout_i[23:6];
      default:    limit = 18'd65536;
    endcase
  end
  assign cpl_left = cpl_waiting_o && (cpl_give_up_i || cpl_free_i);  // its error goes first
  assign old     = limit != '0 && !config_i.timeout_off && age > {6'd0, limit};
  assign give_up = waiting_q[visit] && !(cpl_lock_i && cpl_tag_i == visit) && ((old && !cpl_left) || stopped_i[visited.slot[4:2]]);
  assign expire  = give_up && !stopped_i[visited.slot[4:2]];
  assign forget  = given_up_q[visit] && !(cpl_lock_i && cpl_tag_i == visit) && limit != '0 && age > {3'd0, limit, 3'd0};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) clock_q <= '0;
    else if (used != '0) clock_q <= clock_q + 1'b1;
  end

  always_comb begin
    error_o         = '0;
    error_o.valid   = expire;
    error_o.slot    = visited.slot;
    error_o.cause   = dma_regs_pkg::ErrorCauseTimeout;
    error_o.access  = dma_regs_pkg::ErrorAccessData;
    error_o.address = visited.host;
  end

  // --- State of tags -----------------------------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      waiting_q  <= '0;
      full_q     <= '0;
      given_up_q <= '0;
    end else begin
      if (chunk_valid_i) waiting_q[next_q] <= 1'b1;
      if (cpl_full_i || cpl_give_up_i || cpl_free_i) waiting_q[cpl_tag_i] <= 1'b0;
      if (cpl_full_i) full_q[cpl_tag_i] <= 1'b1;
      if (cpl_give_up_i) given_up_q[cpl_tag_i] <= 1'b1;
      if (cpl_free_i) given_up_q[cpl_tag_i] <= 1'b0;
      if (give_up) waiting_q[visit] <= 1'b0;
      if (give_up) given_up_q[visit] <= 1'b1;
      if (forget) given_up_q[visit] <= 1'b0;
      if (move_done_i) full_q[move_tag_i] <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (chunk_valid_i) begin
      chunk_q[next_q] <= chunk_i;
      since_q[next_q] <= now;
    end
  end
  assign cpl_chunk_o    = chunk_q[cpl_tag_i];
  assign cpl_waiting_o  = waiting_q[cpl_tag_i];
  assign cpl_given_up_o = given_up_q[cpl_tag_i];
  assign move_chunk_o   = chunk_q[move_tag_i];

  // --- How many ----------------------------------------------------------------------------------------------------------

  logic [39:0] count_q, count_d;  // of each channel, waiting or full
  logic [6:0]  given_up_count_q;
  always_comb begin
    count_d = count_q;
    if (chunk_valid_i) count_d[5*chunk_i.slot[4:2] +: 5] = count_d[5*chunk_i.slot[4:2] +: 5] + 5'd1;
    if (cpl_left) count_d[5*cpl_chunk_o.slot[4:2] +: 5] = count_d[5*cpl_chunk_o.slot[4:2] +: 5] - 5'd1;
    if (give_up) count_d[5*visited.slot[4:2] +: 5] = count_d[5*visited.slot[4:2] +: 5] - 5'd1;
    if (move_done_i) count_d[5*move_chunk_o.slot[4:2] +: 5] = count_d[5*move_chunk_o.slot[4:2] +: 5] - 5'd1;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      count_q          <= '0;
      given_up_count_q <= '0;
      waiting_o        <= '0;
    end else if (used != '0 || chunk_valid_i) begin
      count_q          <= count_d;
      waiting_o        <= waiting_o + {6'd0, chunk_valid_i} - {6'd0, cpl_left} - {6'd0, give_up} - {6'd0, move_done_i};
      given_up_count_q <= given_up_count_q + {6'd0, cpl_give_up_i} + {6'd0, give_up} - {6'd0, forget}
                          - {6'd0, cpl_free_i && cpl_given_up_o};
    end
  end
  assign given_up_o = given_up_count_q;
  for (genvar i = 0; i < dma_pkg::Channels; i++) begin : g_channel
    assign channels_o[i] = count_q[5*i +: 5] != '0;
    assign room_o[i]     = next_valid_q && !np_valid_q && count_q[5*i +: 5] < 5'(dma_pkg::ChannelTags);
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert ((waiting_q & full_q) == '0 && (given_up_q & (waiting_q | full_q)) == '0) else $error("a tag is two things at once");
      assert (!chunk_valid_i || (next_valid_q && !used[next_q])) else $error("tag %0d is not free", next_q);
    end
  end
`endif

endmodule
