// SPDX-License-Identifier: Apache-2.0
// Answers the host's requests, in order: gathers the lines of reads, which come in any order, and cuts them into
// completions.
//
// A completion begins when all its lines are there, so that it knows their fate: a damaged one sets the poison bit; one that
// the target refused, or that nobody has, ends the request with Completer Abort or Unsupported Request. Completions are
// cut where addresses are multiples of the largest payload, which keeps to the read completion boundary.
module pcie_completer (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic [15:0]        id_i,            // completer id
  input  logic [3:0]         mps_i,           // log2 of bytes: 7 or 8

  input  logic               answer_valid_i,
  output logic               answer_ready_o,
  input  pcie_pkg::answer_t  answer_i,
  input  logic               slot_take_i,
  output logic               slot_free_o,
  output logic [4:0]         slot_o,

  input  logic               line_valid_i,    // the line of a place
  input  logic [4:0]         line_slot_i,
  input  noc_pkg::status_t   line_status_i,
  input  logic [511:0]       line_data_i,

  output logic               cpl_valid_o,
  input  logic               cpl_ready_i,
  output tlp_pkg::beat_t     cpl_beat_o,

  output pcie_pkg::errors_t  errors_o,        // pulses
  output logic [127:0]       error_header_o,
  output logic               busy_o
);

  // --------------------------------------------------------------------------------------------------- lines

  localparam int unsigned Slots = 32;
  logic [Slots-1:0] done_q, poison_q, denied_q, nobody_q;
  logic [5:0]       write_q, read_q;
  logic             row_read;
  logic [4:0]       row_at;
  logic [511:0]     row;
  assign slot_free_o = write_q - read_q != 6'(Slots);
  assign slot_o      = write_q[4:0];

  ram_1r1w #(
    .Depth (Slots),
    .Width (512)
  ) u_lines (
    .clk_i,
    .we_i    (line_valid_i),
    .waddr_i (line_slot_i),
    .wdata_i (line_data_i),
    .re_i    (row_read),
    .raddr_i (row_at),
    .rdata_o (row)
  );

  logic [2:0] rows_freed;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
      done_q  <= '0;
    end else begin
      if (slot_take_i) begin
        write_q              <= write_q + 6'd1;
        done_q[write_q[4:0]] <= 1'b0;
      end
      if (line_valid_i) done_q[line_slot_i] <= 1'b1;
      read_q <= read_q + {3'd0, rows_freed};
    end
  end
  always_ff @(posedge clk_i) begin
    if (line_valid_i) begin
      poison_q[line_slot_i] <= line_status_i == noc_pkg::StatusPoison;
      denied_q[line_slot_i] <= line_status_i == noc_pkg::StatusDenied;
      nobody_q[line_slot_i] <= line_status_i == noc_pkg::StatusNobody;
    end
  end

  // Bits of the first four places in use.
  function automatic logic [3:0] window(input logic [Slots-1:0] bits, input logic [4:0] at);
    logic [2*Slots-1:0] twice;
    twice  = {bits, bits} >> at;
    window = twice[3:0];
  endfunction

  // ------------------------------------------------------------------------------------------------- request

  logic              queued, next;
  pcie_pkg::answer_t queue, answer_q;
  stream_fifo #(
    .Width ($bits(answer_q)),
    .Depth (16)
  ) u_answers (
    .clk_i,
    .rst_ni,
    .in_valid_i  (answer_valid_i),
    .in_ready_o  (answer_ready_o),
    .in_data_i   (answer_i),
    .out_valid_o (queued),
    .out_ready_i (next),
    .out_data_o  (queue)
  );

  typedef enum logic [2:0] {Idle, Chunk, Beats, Send, Drain} state_e;
  state_e state_q, state_d;

  tlp_pkg::request_t header, request_q;
  logic [1:0]        first_offset, last_offset;
  logic [12:0]       bytes_d;
  logic [10:0]       length;
  logic [31:0]       low_addr;
  assign header    = queue.header;
  assign request_q = answer_q.header;
  assign low_addr  = header.fmt_type[5] ? header.addr[31:0] : header.addr[63:32];
  assign length    = {header.length == '0, header.length};
  always_comb begin
    logic [3:0] last_be;
    first_offset = header.first_be[0] ? 2'd0 : header.first_be[1] ? 2'd1 : header.first_be[2] ? 2'd2 :
                   header.first_be[3] ? 2'd3 : 2'd0;
    last_be      = length == 11'd1 ? header.first_be : header.last_be;
    last_offset  = last_be[3] ? 2'd0 : last_be[2] ? 2'd1 : last_be[1] ? 2'd2 : 2'd3;
    bytes_d      = {length, 2'b00} - {11'd0, first_offset} - {11'd0, last_offset};
  end

  logic        memory_q;                   // a memory read: has an address and a byte count
  logic [5:0]  place_q;                    // doubleword in 256 bytes
  logic [1:0]  offset_q;                   // first byte in it
  logic [10:0] left_q;                     // doublewords
  logic [12:0] bytes_q;
  logic [6:0]  to_boundary, chunk, lines_left_q;
  logic [2:0]  lines, beats, lines_q, beats_q, line_q, beat_q;
  logic [3:0]  shift, mask;
  logic        present, poisoned, poisoned_q;
  logic [2:0]  status, status_q;
  assign shift = place_q[3:0];

  always_comb begin
    to_boundary = '0;
    chunk       = '0;
    lines       = '0;
    beats       = '0;
    mask        = '0;
    present     = 1'b0;
    poisoned    = 1'b0;
    status      = tlp_pkg::CplSuccess;
    if (state_q == Chunk || state_q == Beats) begin
      to_boundary = mps_i == 4'd7 ? 7'd32 - {2'd0, place_q[4:0]} : 7'd64 - {1'd0, place_q};
      chunk       = left_q < {4'd0, to_boundary} ? left_q[6:0] : to_boundary;
      lines       = 3'(({3'd0, shift} + chunk + 7'd15) >> 4);
      beats       = 3'((chunk + 7'd15) >> 4);
      mask        = ~(4'hf << lines);
      present     = (~window(done_q, read_q[4:0]) & mask) == '0 && write_q - read_q >= {3'd0, lines};
      poisoned    = (window(poison_q, read_q[4:0]) & mask) != '0;
      if ((window(denied_q, read_q[4:0]) & mask) != '0) status = tlp_pkg::CplAbort;
      if ((window(nobody_q, read_q[4:0]) & mask) != '0) status = tlp_pkg::CplUnsupported;
    end
  end

  logic emit, last_beat, step, last_chunk, drained;
  assign emit       = state_q == Send || (state_q == Beats && (shift == '0 || line_q != '0 || lines_q == 3'd1));
  assign last_beat  = beat_q + 3'd1 == beats_q;
  assign step       = state_q == Beats && (!emit || cpl_ready_i);
  assign last_chunk = left_q == {4'd0, chunk};
  assign drained    = done_q[read_q[4:0]] && write_q != read_q;
  assign next       = state_q == Idle;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle:    if (queued) state_d = queue.lines ? Chunk : Send;
      Chunk:   if (present) state_d = status == tlp_pkg::CplSuccess ? Beats : Send;
      Beats:   if (step && emit && last_beat) state_d = last_chunk ? Idle : Chunk;
      Send:    if (cpl_ready_i) state_d = answer_q.lines ? Drain : Idle;
      default: if (drained && lines_left_q == 7'd1) state_d = Idle;
    endcase
  end

  assign row_read = (state_q == Chunk && present) || (step && line_q + 3'd1 < lines_q);
  assign row_at   = state_q == Chunk ? read_q[4:0] : read_q[4:0] + {2'd0, line_q} + 5'd1;

  always_comb begin
    rows_freed = '0;
    if (state_q == Beats && state_d != Beats) rows_freed = lines_q;
    if (state_q == Drain && drained) rows_freed = 3'd1;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= Idle;
    else state_q <= state_d;
  end

  logic [511:0] turned, rest_q;
  always_ff @(posedge clk_i) begin
    if (state_q == Idle && queued) begin
      answer_q <= queue;
      memory_q <= header.fmt_type[4:0] == 5'd0;
      place_q  <= low_addr[7:2];
      offset_q <= first_offset;
      left_q   <= length;
      bytes_q  <= header.first_be == '0 && length == 11'd1 ? 13'd1 : bytes_d;
      status_q <= queue.status;
    end
    if (state_q == Chunk) begin
      lines_q      <= lines;
      beats_q      <= beats;
      line_q       <= '0;
      beat_q       <= '0;
      poisoned_q   <= poisoned;
      status_q     <= status;
      lines_left_q <= 7'(({7'd0, shift} + left_q + 11'd15) >> 4);
    end
    if (state_q == Drain && drained) lines_left_q <= lines_left_q - 7'd1;
    if (step) begin
      line_q <= line_q + 3'd1;
      rest_q <= turned;
      if (emit) beat_q <= beat_q + 3'd1;
      if (emit && last_beat) begin
        place_q  <= place_q + chunk[5:0];
        offset_q <= '0;
        left_q   <= left_q - {4'd0, chunk};
        bytes_q  <= bytes_q - {4'd0, chunk, 2'b00} + {11'd0, offset_q};
      end
    end
  end

  // --------------------------------------------------------------------------------------------- completions

  tlp_pkg::completion_t reply;
  logic                 data_word;
  assign data_word = !answer_q.lines && status_q == tlp_pkg::CplSuccess && !request_q.fmt_type[6];
  always_comb begin
    reply            = '0;
    reply.tc         = request_q.tc;
    reply.attr       = request_q.attr;
    reply.attr2      = request_q.attr2;
    reply.t8         = request_q.t8;
    reply.t9         = request_q.t9;
    reply.completer  = id_i;
    reply.requester  = request_q.requester;
    reply.tag        = request_q.tag;
    reply.byte_count = memory_q ? bytes_q[11:0] : 12'd4;
    reply.lower_addr = memory_q ? {place_q[4:0], offset_q} : 7'd0;
    if (state_q == Beats) begin
      reply.fmt_type = tlp_pkg::CompletionD;
      reply.length   = {3'd0, chunk};
      reply.ep       = poisoned_q;
    end else begin
      reply.fmt_type = data_word ? tlp_pkg::CompletionD : tlp_pkg::Completion;
      reply.length   = {9'd0, data_word};
      reply.status   = status_q;
    end
  end

  // Downwards by `shift`: the first doubleword of the payload comes to lane 0.
  always_comb begin
    turned          = '0;
    cpl_beat_o      = '0;
    cpl_beat_o.sop  = 1'b1;
    cpl_beat_o.eop  = 1'b1;
    if (state_q == Beats) begin
      turned              = pcie_pkg::rotate(row, 4'd0 - shift);
      cpl_beat_o.sop      = beat_q == '0;
      cpl_beat_o.eop      = last_beat;
      for (int unsigned i = 0; i < 16; i++) begin
        cpl_beat_o.data[32*i+:32] = line_q != '0 && shift != '0 && 5'(i) < 5'd16 - {1'b0, shift} ? rest_q[32*i+:32]
                                                                                               : turned[32*i+:32];
      end
    end else if (state_q == Send) begin
      cpl_beat_o.data[31:0] = answer_q.data;
    end
    if (emit) cpl_beat_o.header = reply;
  end
  assign cpl_valid_o = emit;

  always_comb begin
    errors_o = '0;
    if (emit && cpl_ready_i && last_beat && state_q == Beats) errors_o[pcie_pkg::ErrPoisonSent] = poisoned_q;
    if (state_q == Send && cpl_ready_i) begin
      errors_o[pcie_pkg::ErrNonPosted] = status_q == tlp_pkg::CplUnsupported;
      errors_o[pcie_pkg::ErrAborted]   = status_q == tlp_pkg::CplAbort;
    end
  end
  assign error_header_o = answer_q.header;

  assign busy_o = state_q != Idle || queued || write_q != read_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!slot_take_i || slot_free_o) else $error("no place for a line");
      assert (!line_valid_i || !done_q[line_slot_i]) else $error("an answer to no read: %0d", line_slot_i);
    end
  end
`endif

endmodule
