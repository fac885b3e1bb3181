// SPDX-License-Identifier: Apache-2.0
// The engine's requests on the ring: takes turns among those who ask, gives each request a free tag, and brings the answer
// back to whom it belongs.
//
// Cuts: requests (noc_req_o comes from a register). Answers pass in the same cycle.
// Orders: nothing between the four; each one's requests leave in order.
module dma_ring (
  input  logic                clk_i,
  input  logic                rst_ni,

  output logic                noc_req_valid_o,
  input  logic                noc_req_ready_i,
  output noc_pkg::req_t       noc_req_o,
  input  logic                noc_rsp_valid_i,
  input  noc_pkg::rsp_t       noc_rsp_i,

  // By kind: fetch, read, write, record.
  input  logic [3:0]          valid_i,
  output logic [3:0]          take_o,
  input  logic [34:0]         fetch_addr_i,   // in 32 bytes
  input  logic [4:0]          fetch_slot_i,
  input  logic [33:0]         read_line_i,
  input  logic [7:0]          read_info_i,
  input  logic [2:0]          read_channel_i,
  input  logic [33:0]         write_line_i,
  input  logic [63:0]         write_strb_i,
  input  logic [511:0]        write_data_i,
  input  logic [4:0]          write_slot_i,
  input  logic [35:0]         record_addr_i,  // in 16 bytes
  input  logic [127:0]        record_data_i,
  input  logic [4:0]          record_slot_i,

  output logic [3:0]          answer_o,
  output logic [7:0]          answer_info_o,
  output logic [39:0]         answer_addr_o,
  output dma_pkg::error_t     error_o,        // not for reads: the reader tells

  output logic [7:0]          channels_o      // that wait for an answer
);

  localparam int unsigned InfoWidth = 2 + 8 + 3 + 36;

  // --- Tags: at first each one once, then those that have come back --------------------------------------------------

  logic [7:0] fresh_q;
  logic       tag_fresh, free_valid, free_take, unused_ready;
  logic [6:0] tag, free_tag;
  assign tag_fresh = !fresh_q[7];
  assign tag       = tag_fresh ? fresh_q[6:0] : free_tag;
  stream_fifo #(.Width(7), .Depth(dma_pkg::RingTags)) u_free (
    .clk_i,
    .rst_ni,
    .in_valid_i  (noc_rsp_valid_i),
    .in_ready_o  (unused_ready),
    .in_data_i   (noc_rsp_i.tag[6:0]),
    .out_valid_o (free_valid),
    .out_ready_i (free_take),
    .out_data_o  (free_tag)
  );

  // --- Requests ----------------------------------------------------------------------------------------------------

  logic       load, room, req_valid_q;
  logic [1:0] kind, last_q;
  logic [2:0] turn;
  noc_pkg::req_t req_q;
  logic [2:0] channel;
  logic [7:0] info;
  logic [39:0] addr;

  assign turn = dma_pkg::turn_of({4'd0, valid_i}, {1'b0, last_q});
  assign kind = turn[1:0];
  assign room = (!req_valid_q || noc_req_ready_i) && (tag_fresh || free_valid);
  assign load = room && valid_i != '0;
  assign take_o    = load ? 4'd1 << kind : '0;
  assign free_take = load && !tag_fresh;

  always_comb begin
    case (kind)
      dma_pkg::RingFetch: begin
        channel = fetch_slot_i[4:2];
        info    = {3'd0, fetch_slot_i};
        addr    = {fetch_addr_i, 5'd0};
      end
      dma_pkg::RingRead: begin
        channel = read_channel_i;
        info    = read_info_i;
        addr    = {read_line_i, 6'd0};
      end
      dma_pkg::RingWrite: begin
        channel = write_slot_i[4:2];
        info    = {3'd0, write_slot_i};
        addr    = {write_line_i, 6'd0};
      end
      default: begin
        channel = record_slot_i[4:2];
        info    = {3'd0, record_slot_i};
        addr    = {record_addr_i, 4'd0};
      end
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      req_valid_q <= 1'b0;
      fresh_q     <= '0;
      last_q      <= '0;
    end else begin
      if (load) req_valid_q <= 1'b1;
      else if (noc_req_ready_i) req_valid_q <= 1'b0;
      if (load && tag_fresh) fresh_q <= fresh_q + 8'd1;
      if (load) last_q <= kind;
    end
  end

  always_ff @(posedge clk_i) begin
    if (load) begin
      req_q.source <= '0;
      req_q.tag    <= {1'b0, tag};
      req_q.addr   <= addr;
      req_q.op     <= kind[1] ? mbus_pkg::OpWrite : mbus_pkg::OpRead;
      req_q.size   <= kind == dma_pkg::RingFetch ? 3'd5 : 3'd6;
      if (kind == dma_pkg::RingWrite) begin
        req_q.strb <= write_strb_i;
        req_q.data <= write_data_i;
      end else begin
        req_q.strb <= kind == dma_pkg::RingRecord ? 64'hffff << {addr[5:4], 4'd0} : '0;
        req_q.data <= {4{record_data_i}};
      end
    end
  end
  assign noc_req_valid_o = req_valid_q;
  assign noc_req_o       = req_q;

  // --- Answers -----------------------------------------------------------------------------------------------------

  logic [InfoWidth-1:0] info_q [dma_pkg::RingTags];
  always_ff @(posedge clk_i) if (load) info_q[tag] <= {kind, info, channel, addr[39:4]};

  logic [InfoWidth-1:0] answer;
  logic [1:0]           answer_kind;
  logic [2:0]           answer_channel;
  assign answer         = info_q[noc_rsp_i.tag[6:0]];
  assign answer_kind    = answer[InfoWidth-1 -: 2];
  assign answer_info_o  = answer[46:39];
  assign answer_channel = answer[38:36];
  assign answer_addr_o  = {answer[35:0], 4'd0};
  assign answer_o       = noc_rsp_valid_i ? 4'd1 << answer_kind : '0;

  always_comb begin
    error_o         = '0;
    error_o.valid   = noc_rsp_valid_i && noc_rsp_i.status != noc_pkg::StatusOk && answer_kind != dma_pkg::RingRead;
    error_o.slot    = answer_info_o[4:0];
    error_o.cause   = dma_pkg::ring_cause(noc_rsp_i.status);
    error_o.access  = answer_kind == dma_pkg::RingFetch ? dma_regs_pkg::ErrorAccessDescriptor :
                      answer_kind == dma_pkg::RingWrite ? dma_regs_pkg::ErrorAccessData : dma_regs_pkg::ErrorAccessRecord;
    error_o.address = {24'd0, answer_addr_o};
  end

  // How much of each channel is under way.
  logic [63:0] count_q, count_d;
  always_comb begin
    count_d = count_q;
    if (load) count_d[{channel, 3'd0} +: 8] = count_d[{channel, 3'd0} +: 8] + 8'd1;
    if (noc_rsp_valid_i) count_d[{answer_channel, 3'd0} +: 8] = count_d[{answer_channel, 3'd0} +: 8] - 8'd1;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) count_q <= '0;
    else if (load || noc_rsp_valid_i) count_q <= count_d;
  end
  for (genvar i = 0; i < dma_pkg::Channels; i++) begin : g_count
    assign channels_o[i] = count_q[8*i +: 8] != '0;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && noc_rsp_valid_i) begin
      assert (channels_o[answer_channel]) else $error("an answer to no request: tag %0d", noc_rsp_i.tag);
    end
  end
`endif

endmodule
