// SPDX-License-Identifier: Apache-2.0
// What comes in: tells packets apart, drops those that are none, and keeps requests until somebody serves them.
//
// Posted requests wait in order, their payload in rows of 16 doublewords as it came. A non-posted request is shown only when
// all posted ones that came before it have been done (`posted_done_i`, one pulse for each); posted ones never wait for it.
// Completions go on at once.
//
// A packet is looked at whole before it counts: wrong length, wrong byte enables, over a page's end, an unknown type. What
// came without credit is dropped, too, and moves no counter, so that a far side that errs does no lasting harm.
//
// While `open_i` is low nothing is granted and the counters are as at the start; what has been received stays.
module pcie_rx (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               open_i,
  input  logic [3:0]         mps_i,          // log2 of bytes

  input  logic               rx_valid_i,
  input  tlp_pkg::beat_t     rx_beat_i,
  output tlp_pkg::credits_t  rx_limit_o,

  output logic               p_valid_o,
  input  logic               p_ready_i,
  output tlp_pkg::request_t  p_header_o,
  input  logic               row_read_i,     // row `row_i` of the first posted request
  input  logic [2:0]         row_i,
  output logic [511:0]       row_o,          // a cycle later
  input  logic               posted_done_i,

  output logic               np_valid_o,
  input  logic               np_ready_i,
  output tlp_pkg::request_t  np_header_o,
  output logic [31:0]        np_data_o,

  output logic               cpl_valid_o,
  output tlp_pkg::beat_t     cpl_beat_o,

  output logic               malformed_o,    // pulses
  output logic               overflow_o,
  output logic               unexpected_o,
  output logic [127:0]       error_header_o,
  output logic               packet_o,       // a packet has begun, with so many doublewords
  output logic [10:0]        dwords_o,
  output logic               empty_o
);

  typedef logic [2:0] kind_t;
  localparam kind_t KindNone       = 3'd0;
  localparam kind_t KindRead       = 3'd1;
  localparam kind_t KindWrite      = 3'd2;
  localparam kind_t KindMessage    = 3'd3;
  localparam kind_t KindConfig     = 3'd4;  // input and output, too: one doubleword
  localparam kind_t KindAtomic     = 3'd5;
  localparam kind_t KindCompletion = 3'd6;
  localparam kind_t KindLocked     = 3'd7;  // a completion of a locked read

  function automatic logic [2:0] kind_of(input logic [7:0] fmt_type);
    kind_of = KindNone;
    case (fmt_type)
      8'h00, 8'h20, 8'h01, 8'h21:               kind_of = KindRead;
      8'h40, 8'h60:                             kind_of = KindWrite;
      8'h02, 8'h42, 8'h04, 8'h44, 8'h05, 8'h45: kind_of = KindConfig;
      8'h4c, 8'h6c, 8'h4d, 8'h6d, 8'h4e, 8'h6e: kind_of = KindAtomic;
      8'h0a, 8'h4a:                             kind_of = KindCompletion;
      8'h0b, 8'h4b:                             kind_of = KindLocked;
      default: if (fmt_type[7] == 1'b0 && fmt_type[5:3] == 3'b110) kind_of = KindMessage;
    endcase
  endfunction

  // Byte enables of a request of more than one doubleword leave no gap, unless it is one aligned quadword.
  function automatic logic good_enables(input logic [10:0] dwords, input logic [3:0] first, input logic [3:0] last,
                                        input logic quadword);
    logic to_end, from_start;
    to_end       = first == 4'hf || first == 4'he || first == 4'hc || first == 4'h8;
    from_start   = last == 4'hf || last == 4'h7 || last == 4'h3 || last == 4'h1;
    good_enables = dwords == 11'd1 ? last == '0 :
                   dwords == 11'd2 && quadword ? first != '0 && last != '0 : to_end && from_start;
  endfunction

  // ---------------------------------------------------------------------------------------------- one packet

  // What a packet of which more is to come has been found to be.
  logic              more_q, bad_q, counted_q, room_q;
  kind_t             kind_q;
  logic [6:0]        expect_q, index_q;
  logic [8:0]        credits_q;
  tlp_pkg::request_t header_q;

  tlp_pkg::request_t first;
  logic [10:0]       dwords;
  logic [11:0]       last_byte_dw;
  kind_t             kind;
  logic              bad, counted, has_data, posted, nonposted, room, begins, ends, good;
  logic [6:0]        expected, index;
  logic [8:0]        credits;
  tlp_pkg::request_t header;

  logic [7:0]  ph_received_q, nh_received_q, ph_given_q, nh_given_q;
  logic [11:0] pd_received_q, nd_received_q, pd_given_q, nd_given_q;
  logic [7:0]  ph_room, nh_room;
  logic [11:0] pd_room, nd_room;
  assign ph_room = 8'(pcie_pkg::PostedHeaders) + ph_given_q - ph_received_q;
  assign nh_room = 8'(pcie_pkg::NonPostedHeaders) + nh_given_q - nh_received_q;
  assign pd_room = 12'(pcie_pkg::PostedData) + pd_given_q - pd_received_q;
  assign nd_room = 12'(pcie_pkg::NonPostedData) + nd_given_q - nd_received_q;

  assign first  = rx_beat_i.header;
  assign begins = rx_valid_i && !more_q;
  assign ends   = rx_valid_i && rx_beat_i.eop;

  always_comb begin
    kind         = KindNone;
    bad          = 1'b1;
    counted      = 1'b0;
    expected     = '0;
    index        = '0;
    credits      = '0;
    header       = header_q;
    dwords       = '0;
    has_data     = 1'b0;
    last_byte_dw = '0;
    room         = 1'b0;
    posted       = 1'b0;
    nonposted    = 1'b0;
    if (rx_valid_i && more_q) begin
      kind      = kind_q;
      bad       = bad_q || rx_beat_i.sop;
      counted   = counted_q;
      expected  = expect_q;
      index     = index_q;
      credits   = credits_q;
      posted    = kind_q == KindWrite || kind_q == KindMessage;
      nonposted = kind_q == KindRead || kind_q == KindConfig || kind_q == KindAtomic;
      room      = room_q;
    end else if (rx_valid_i) begin
      header       = first;
      kind         = rx_beat_i.sop ? kind_of(first.fmt_type) : KindNone;
      posted       = kind == KindWrite || kind == KindMessage;
      nonposted    = kind == KindRead || kind == KindConfig || kind == KindAtomic;
      has_data     = first.fmt_type[6];
      dwords       = {first.length == '0, first.length};
      credits      = has_data ? 9'((dwords + 11'd3) >> 2) : '0;
      expected     = has_data ? 7'((dwords + 11'd15) >> 4) : 7'd1;
      last_byte_dw = {2'b0, first.fmt_type[5] ? first.addr[11:2] : first.addr[43:34]} + {1'b0, dwords};
      bad          = kind == KindNone || first.td;
      if (has_data && dwords > (11'd1 << (mps_i - 4'd2))) bad = 1'b1;
      if (nonposted && expected != 7'd1) bad = 1'b1;
      if (kind == KindConfig && (dwords != 11'd1 || first.last_be != '0 || first.tc != '0)) bad = 1'b1;
      if ((kind == KindRead || kind == KindWrite) &&
          (last_byte_dw > 12'd1024 ||
           !good_enables(dwords, first.first_be, first.last_be, !(first.fmt_type[5] ? first.addr[2] : first.addr[34])))) begin
        bad = 1'b1;
      end
      room    = !posted && !nonposted ? 1'b1 :
                posted ? ph_room != '0 && pd_room >= {3'd0, credits} : nh_room != '0 && nd_room >= {3'd0, credits};
      counted = room && (posted || nonposted);
    end
    good = ends && !bad && index + 7'd1 == expected && room && open_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) more_q <= 1'b0;
    else if (!open_i) more_q <= 1'b0;
    else if (rx_valid_i) more_q <= !rx_beat_i.eop;
  end

  always_ff @(posedge clk_i) begin
    if (rx_valid_i) begin
      kind_q    <= kind;
      room_q    <= room;
      bad_q     <= bad || index >= expected;
      counted_q <= counted;
      expect_q  <= expected;
      index_q   <= index + {6'd0, index != '1};
      credits_q <= credits;
      header_q  <= header;
    end
  end

  assign malformed_o    = ends && !good && room && open_i;
  assign overflow_o     = begins && !room && open_i;
  assign unexpected_o   = good && kind == KindLocked;
  assign error_header_o = header;
  assign packet_o       = begins && rx_beat_i.sop;
  assign dwords_o       = begins && has_data ? dwords : '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) cpl_valid_o <= 1'b0;
    else cpl_valid_o <= rx_valid_i && kind == KindCompletion && open_i;
  end
  always_ff @(posedge clk_i) begin
    if (rx_valid_i && kind == KindCompletion) cpl_beat_o <= rx_beat_i;
  end

  // ------------------------------------------------------------------------------------------------- credits

  logic [8:0] p_credits, np_credits;
  logic       p_taken, np_taken, give_bad;
  assign p_taken  = p_valid_o && p_ready_i;
  assign np_taken = np_valid_o && np_ready_i;
  assign give_bad = ends && !good && counted;

  always_comb begin
    p_credits  = '0;
    np_credits = '0;
    if (p_taken && p_header_o.fmt_type[6]) p_credits = 9'(({p_header_o.length == '0, p_header_o.length} + 11'd3) >> 2);
    if (np_taken && np_header_o.fmt_type[6]) np_credits = 9'(({1'b0, np_header_o.length} + 11'd3) >> 2);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      ph_received_q <= '0;
      pd_received_q <= '0;
      nh_received_q <= '0;
      nd_received_q <= '0;
      ph_given_q    <= '0;
      pd_given_q    <= '0;
      nh_given_q    <= '0;
      nd_given_q    <= '0;
    end else if (!open_i) begin
      ph_received_q <= '0;
      pd_received_q <= '0;
      nh_received_q <= '0;
      nd_received_q <= '0;
      ph_given_q    <= '0;
      pd_given_q    <= '0;
      nh_given_q    <= '0;
      nd_given_q    <= '0;
    end else begin
      if (begins && counted && posted) begin
        ph_received_q <= ph_received_q + 8'd1;
        pd_received_q <= pd_received_q + {3'd0, credits};
      end
      if (begins && counted && nonposted) begin
        nh_received_q <= nh_received_q + 8'd1;
        nd_received_q <= nd_received_q + {3'd0, credits};
      end
      if (p_taken || give_bad) begin
        ph_given_q <= ph_given_q + {7'd0, p_taken} + {7'd0, give_bad && posted};
        pd_given_q <= pd_given_q + {3'd0, p_credits} + (give_bad && posted ? {3'd0, credits} : 12'd0);
      end
      if (np_taken || give_bad) begin
        nh_given_q <= nh_given_q + {7'd0, np_taken} + {7'd0, give_bad && nonposted};
        nd_given_q <= nd_given_q + {3'd0, np_credits} + (give_bad && nonposted ? {3'd0, credits} : 12'd0);
      end
    end
  end

  always_comb begin
    rx_limit_o = '0;
    if (open_i) begin
      rx_limit_o.posted_header    = 8'(pcie_pkg::PostedHeaders) + ph_given_q;
      rx_limit_o.posted_data      = 12'(pcie_pkg::PostedData) + pd_given_q;
      rx_limit_o.nonposted_header = 8'(pcie_pkg::NonPostedHeaders) + nh_given_q;
      rx_limit_o.nonposted_data   = 12'(pcie_pkg::NonPostedData) + nd_given_q;
    end
  end

  // -------------------------------------------------------------------------------------------------- queues

  // A row holds four data credits; requests that do not fill theirs cost at most three quarters of a row each.
  localparam int unsigned Rows = 512;
  logic [8:0] write_row_q, read_row_q;
  logic [4:0] p_rows, in_rows;
  logic       p_push;
  assign p_push  = good && posted;
  assign in_rows = kind == KindWrite ? expected[4:0] : '0;
  assign p_rows  = p_header_o.fmt_type[6:3] == 4'b1000 || p_header_o.fmt_type[6:3] == 4'b1100 ?
                   5'((p_header_o.length + 10'd15) >> 4) : '0;

  ram_1r1w #(
    .Depth (Rows),
    .Width (512)
  ) u_rows (
    .clk_i,
    .we_i    (rx_valid_i && kind == KindWrite && !bad && room && index < expected),
    .waddr_i (write_row_q + {2'd0, index}),
    .wdata_i (rx_beat_i.data),
    .re_i    (row_read_i),
    .raddr_i (read_row_q + {6'd0, row_i}),
    .rdata_o (row_o)
  );

  logic unused_ready;
  stream_fifo #(
    .Width (128),
    .Depth (pcie_pkg::PostedHeaders + 1)
  ) u_posted (
    .clk_i,
    .rst_ni,
    .in_valid_i  (p_push),
    .in_ready_o  (unused_ready),
    .in_data_i   (header),
    .out_valid_o (p_valid_o),
    .out_ready_i (p_ready_i),
    .out_data_o  (p_header_o)
  );

  // Of the non-posted queue the entries from read to gate have been found to have nothing before them; the gate moves on as
  // fast as one request per cycle, so that the count of posted requests that an entry waits for cannot go around.
  localparam int unsigned Depth = pcie_pkg::NonPostedHeaders;
  logic [168:0] np_mem_q [Depth];
  logic [5:0]   np_write_q, np_gate_q, np_read_q;
  logic [8:0]   posted_in_q, posted_done_q, gate_ahead;
  logic         np_push, gate_opens;
  logic [4:0]   gate_at, read_at;
  assign np_push     = good && nonposted;
  assign gate_at     = np_gate_q[4:0];
  assign read_at     = np_read_q[4:0];
  assign gate_ahead  = np_mem_q[gate_at][168:160] - posted_done_q;
  assign gate_opens  = np_gate_q != np_write_q && (gate_ahead == '0 || gate_ahead[8]);
  assign np_valid_o  = np_read_q != np_gate_q || gate_opens;
  assign np_header_o = np_mem_q[read_at][159:32];
  assign np_data_o   = np_mem_q[read_at][31:0];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_row_q   <= '0;
      read_row_q    <= '0;
      np_write_q    <= '0;
      np_gate_q     <= '0;
      np_read_q     <= '0;
      posted_in_q   <= '0;
      posted_done_q <= '0;
    end else begin
      if (p_push) begin
        write_row_q <= write_row_q + {4'd0, in_rows};
        posted_in_q <= posted_in_q + 9'd1;
      end
      if (p_taken) read_row_q <= read_row_q + {4'd0, p_rows};
      if (posted_done_i) posted_done_q <= posted_done_q + 9'd1;
      if (np_push) np_write_q <= np_write_q + 6'd1;
      if (gate_opens) np_gate_q <= np_gate_q + 6'd1;
      if (np_taken) np_read_q <= np_read_q + 6'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (np_push) np_mem_q[np_write_q[4:0]] <= {posted_in_q, header, rx_beat_i.data[31:0]};
  end

  assign empty_o = !p_valid_o && np_read_q == np_write_q && !cpl_valid_o && posted_in_q == posted_done_q && !more_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!p_push || unused_ready) else $error("the posted queue is full in spite of credits");
      assert (!np_push || np_write_q - np_read_q != 6'(Depth)) else $error("the non-posted queue is full in spite of credits");
    end
  end
`endif

endmodule
