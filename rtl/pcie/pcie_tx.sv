// SPDX-License-Identifier: Apache-2.0
// What goes out: completions, posted packets of the DMA engine, interrupts and its reads, by packet and in turns.
//
// Everything leaves in the order in which it was taken; so nothing passes what was taken before it. A packet is taken only when the
// far side has granted credit for all of it, and while one kind waits for credit the others go on.
//
// While `open_i` is low everything is taken and thrown away, and the counters are as at the start.
module pcie_tx (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              open_i,

  // 0: completions, 1: posted, 2: interrupts, 3: non-posted
  input  logic [3:0]        valid_i,
  output logic [3:0]        ready_o,
  input  tlp_pkg::beat_t    cpl_beat_i,
  input  tlp_pkg::beat_t    posted_beat_i,
  input  tlp_pkg::beat_t    irq_beat_i,
  input  tlp_pkg::beat_t    nonposted_beat_i,

  output logic              tx_valid_o,
  input  logic              tx_ready_i,
  output tlp_pkg::beat_t    tx_beat_o,
  input  tlp_pkg::credits_t tx_limit_i,

  output logic              packet_o,   // a packet has begun, with so many doublewords
  output logic [10:0]       dwords_o,
  output logic              busy_o
);

  tlp_pkg::credits_t used_q;
  logic              valid_q, more_q;
  tlp_pkg::beat_t    beat_q;
  logic [3:0]        turn_q;   // who goes first: those above the last one
  logic [3:0]        owner_q, eligible, first, grant, taken;

  // Doublewords of payload, and data credits.
  function automatic logic [10:0] payload(input logic [127:0] header);
    payload = header[126] ? {header[105:96] == '0, header[105:96]} : '0;
  endfunction

  logic [10:0] posted_dwords;
  logic [11:0] posted_credits;
  logic [7:0]  posted_room, irq_room, read_room;
  logic [11:0] posted_data_room;
  assign posted_dwords    = payload(posted_beat_i.header);
  assign posted_credits   = {1'b0, posted_dwords + 11'd3} >> 2;
  assign posted_room      = tx_limit_i.posted_header - used_q.posted_header;
  assign irq_room         = posted_room;
  assign read_room        = tx_limit_i.nonposted_header - used_q.nonposted_header;
  assign posted_data_room = tx_limit_i.posted_data - used_q.posted_data;

  // Room is a number up to half of what the counter can hold.
  always_comb begin
    eligible[0] = 1'b1;
    eligible[1] = posted_room != '0 && !posted_room[7] && posted_data_room >= posted_credits && !posted_data_room[11];
    eligible[2] = irq_room != '0 && !irq_room[7] && posted_data_room != '0 && !posted_data_room[11];
    eligible[3] = read_room != '0 && !read_room[7];
    if (more_q) eligible = owner_q;
    if (!open_i) eligible = '1;
  end

  always_comb begin
    first = valid_i & eligible & turn_q;
    if (first == '0) first = valid_i & eligible;
    grant = first & (~first + 4'd1);
  end

  logic free;
  assign free    = !valid_q || tx_ready_i;
  assign ready_o = !open_i ? 4'hf : free ? grant : 4'h0;
  assign taken   = valid_i & ready_o;

  tlp_pkg::beat_t beat;
  always_comb begin
    beat = '0;
    if (taken[0]) beat = cpl_beat_i;
    if (taken[1]) beat = posted_beat_i;
    if (taken[2]) beat = irq_beat_i;
    if (taken[3]) beat = nonposted_beat_i;
  end

  assign packet_o = open_i && taken != '0 && beat.sop;
  assign dwords_o = packet_o ? payload(beat.header) : '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      more_q  <= 1'b0;
      owner_q <= '0;
      turn_q  <= '0;
      used_q  <= '0;
    end else if (!open_i) begin
      valid_q <= 1'b0;
      more_q  <= 1'b0;
      used_q  <= '0;
    end else begin
      if (taken != '0) begin
        valid_q <= 1'b1;
        more_q  <= !beat.eop;
        owner_q <= taken;
        if (beat.eop) turn_q <= ~((taken - 4'd1) | taken);
        if (packet_o) begin
          if (taken[1] || taken[2]) begin
            used_q.posted_header <= used_q.posted_header + 8'd1;
            used_q.posted_data   <= used_q.posted_data + ({1'b0, dwords_o + 11'd3} >> 2);
          end
          if (taken[3]) used_q.nonposted_header <= used_q.nonposted_header + 8'd1;
        end
      end else if (tx_ready_i) begin
        valid_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (taken != '0) beat_q <= beat;
  end

  assign tx_valid_o = valid_q;
  assign tx_beat_o  = beat_q;
  assign busy_o     = valid_q || more_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && open_i && taken != '0) begin
      assert (beat.sop != more_q) else $error("a packet begins inside another, or does not begin");
      assert (!taken[2] || beat.eop) else $error("an interrupt of several beats");
    end
  end
`endif

endmodule
