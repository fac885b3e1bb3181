// SPDX-License-Identifier: Apache-2.0
// DMA engine: eight channels between host memory (memory reads and writes on PCIe) and card memory (lines on the ring).
// docs/hardware/dma.md tells what it promises and how it works.
//
//   dma_channel x8   registers, counts of descriptors, errors
//   dma_fetch        descriptors out of rings in card memory
//   dma_issue        descriptors into chunks: one memory read or write each
//   dma_tags, dma_receive, dma_move   host to card: reads, completions, ring writes
//   dma_gather, dma_post              card to host: ring reads, memory writes
//   dma_track, dma_retire             when a descriptor has ended, and what is done then
//   dma_ring         the engine's port on the ring
module dma_engine (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  pcie_pkg::config_t     config_i,

  input  reg_pkg::reg_req_t     reg_req_i,
  output reg_pkg::reg_rsp_t     reg_rsp_o,

  output logic                  p_valid_o,
  input  logic                  p_ready_i,
  output tlp_pkg::beat_t        p_beat_o,
  output logic                  np_valid_o,
  input  logic                  np_ready_i,
  output tlp_pkg::beat_t        np_beat_o,
  input  logic                  cpl_valid_i,
  input  tlp_pkg::beat_t        cpl_beat_i,
  output logic                  irq_valid_o,
  input  logic                  irq_ready_i,
  output logic [4:0]            irq_vector_o,

  output logic                  noc_req_valid_o,
  input  logic                  noc_req_ready_i,
  output noc_pkg::req_t         noc_req_o,
  input  logic                  noc_rsp_valid_i,
  input  noc_pkg::rsp_t         noc_rsp_i,

  output logic [7:0]            work_o,
  output pcie_pkg::dma_errors_t errors_o,
  output logic [7:0]            begun_o,   // descriptors, by channel: what a trace shows
  output logic [7:0]            ended_o,
  output logic                  busy_o
);

  localparam int unsigned N           = dma_pkg::Channels;

  // --- Registers -------------------------------------------------------------------------------------------------------

  logic [15:0]  offset;
  logic         of_channel, access;
  logic [2:0]   reg_channel;
  logic [63:0]  lanes;
  logic [23:0]  timeout;
  logic [63:0]  global_rdata;
  logic         global_known;
  logic [N-1:0] channel_known;
  logic [N*64-1:0] channel_rdata;
  assign offset      = {reg_req_i.addr[15:3], 3'd0};
  assign of_channel  = offset[15:11] == '0;
  assign reg_channel = offset[10:8];
  assign access      = reg_req_i.valid && reg_req_i.write;
  always_comb begin
    lanes           = '0;
    if (access) lanes = reg_pkg::lanes(reg_req_i.wstrb);
    reg_rsp_o       = '0;
    reg_rsp_o.ready = 1'b1;
    if (reg_req_i.valid) begin
      reg_rsp_o.err   = of_channel ? !channel_known[reg_channel] : !global_known;
      reg_rsp_o.rdata = of_channel ? channel_rdata[64*reg_channel +: 64] : global_rdata;
    end
  end

  // --- Channels --------------------------------------------------------------------------------------------------------

  logic [N-1:0]    want, fetch_take, fetched, issue_valid, issue_to_host, issue_last, oldest, fault, retire_take, fault_take;
  logic [N-1:0]    stopped, clear, quiet, channel_busy;
  assign ended_o = retire_take;
  logic [N*35-1:0] want_addr;
  logic [N*2-1:0]  want_slot, issue_slot;
  logic            fetched_to_host, fetched_fence;
  logic [N*dma_pkg::RetireWidth-1:0] retire;
  logic [3:0]      answer;
  logic [7:0]      answer_info;
  logic [39:0]     answer_addr;
  logic            answer_ok;
  dma_pkg::error_t error_tags, error_cpl, error_reads, error_gather, error_ring, error_issue, error_record;
  logic            moved_in, moved_out;
  logic [4:0]      moved_in_slot, moved_out_slot;
  logic [9:0]      moved_in_bytes, moved_out_bytes;
  assign answer_ok = noc_rsp_i.status == noc_pkg::StatusOk;

  for (genvar i = 0; i < N; i++) begin : g_channel
    dma_channel u_channel (
      .clk_i,
      .rst_ni,
      .flr_i             (config_i.flr),
      .read_i            (reg_req_i.valid && !reg_req_i.write && of_channel && reg_channel == 3'(i)),
      .write_i           (access && of_channel && reg_channel == 3'(i)),
      .offset_i          (offset[7:0]),
      .wdata_i           (reg_req_i.wdata),
      .lanes_i           (lanes),
      .rdata_o           (channel_rdata[64*i +: 64]),
      .known_o           (channel_known[i]),
      .fetch_valid_o     (want[i]),
      .fetch_take_i      (fetch_take[i]),
      .fetch_addr_o      (want_addr[35*i +: 35]),
      .fetch_slot_o      (want_slot[2*i +: 2]),
      .fetched_i         (fetched[i]),
      .fetched_slot_i    (answer_info[1:0]),
      .fetched_to_host_i (fetched_to_host),
      .fetched_fence_i   (fetched_fence),
      .issue_valid_o     (issue_valid[i]),
      .issue_to_host_o   (issue_to_host[i]),
      .issue_slot_o      (issue_slot[2*i +: 2]),
      .issue_last_i      (issue_last[i]),
      .retire_valid_o    (oldest[i]),
      .fault_valid_o     (fault[i]),
      .retire_o          (retire[dma_pkg::RetireWidth*i +: dma_pkg::RetireWidth]),
      .retire_take_i     (retire_take[i]),
      .fault_take_i      (fault_take[i]),
      .number_i          (3'(i)),
      .error_reads_i     (error_reads),
      .error_writes_i    (error_gather),
      .error_ring_i      (error_ring),
      .error_issue_i     (error_issue),
      .error_record_i    (error_record),
      .quiet_i           (quiet[i]),
      .stopped_o         (stopped[i]),
      .clear_o           (clear[i]),
      .moved_in_i        (moved_in && moved_in_slot[4:2] == 3'(i)),
      .moved_in_bytes_i  (moved_in_bytes),
      .moved_out_i       (moved_out && moved_out_slot[4:2] == 3'(i)),
      .moved_out_bytes_i (moved_out_bytes),
      .busy_o            (channel_busy[i])
    );
  end

  // --- Descriptors to chunks -----------------------------------------------------------------------------------------------

  logic                 fetch_valid, chunk_in, chunk_out, out_room;
  logic [3:0]           ring_take;
  logic [34:0]          fetch_addr;
  logic [4:0]           fetch_slot, chunk_slot, retire_slot;
  dma_pkg::descriptor_t issue_descriptor, retire_descriptor;
  dma_pkg::chunk_t      chunk;
  logic [7:0]           in_room, issue_busy;

  dma_fetch u_fetch (
    .clk_i,
    .rst_ni,
    .want_i            (want),
    .want_addr_i       (want_addr),
    .want_slot_i       (want_slot),
    .take_o            (fetch_take),
    .ring_valid_o      (fetch_valid),
    .ring_take_i       (ring_take[dma_pkg::RingFetch]),
    .ring_addr_o       (fetch_addr),
    .ring_slot_o       (fetch_slot),
    .answer_i          (answer[dma_pkg::RingFetch]),
    .answer_ok_i       (answer_ok),
    .answer_slot_i     (answer_info[4:0]),
    .answer_half_i     (answer_addr[5]),
    .answer_data_i     (noc_rsp_i.data),
    .fetched_o         (fetched),
    .fetched_to_host_o (fetched_to_host),
    .fetched_fence_o   (fetched_fence),
    .issue_slot_i      (chunk_slot),
    .issue_o           (issue_descriptor),
    .retire_slot_i     (retire_slot),
    .retire_o          (retire_descriptor)
  );

  dma_issue u_issue (
    .clk_i,
    .rst_ni,
    .config_i,
    .valid_i      (issue_valid),
    .to_host_i    (issue_to_host),
    .slot_i       (issue_slot),
    .stopped_i    (stopped),
    .last_o       (issue_last),
    .fetch_slot_o (chunk_slot),
    .fetch_i      (issue_descriptor),
    .in_room_i    (in_room),
    .in_valid_o   (chunk_in),
    .out_room_i   (out_room),
    .out_valid_o  (chunk_out),
    .chunk_o      (chunk),
    .error_o      (error_issue),
    .begun_o,
    .busy_o       (issue_busy)
  );

  // --- Host to card --------------------------------------------------------------------------------------------------------

  logic [5:0]      cpl_tag, move_tag, start_tag;
  logic            cpl_lock, cpl_waiting, cpl_given_up, cpl_full, cpl_give_up, cpl_free, move_done, line, unexpected, late;
  dma_pkg::chunk_t cpl_chunk, move_chunk;
  logic [7:0]      tag_channels, move_busy;
  logic [6:0]      tags_waiting, tags_given_up;
  logic [1:0]      write;
  logic [15:0]     write_row;
  logic [127:0]    write_strb;
  logic [511:0]    write_data;
  logic            line_valid, poisoned;
  logic [33:0]     line_addr;
  logic [63:0]     line_strb;
  logic [511:0]    line_data;
  logic [4:0]      line_slot;

  dma_tags u_tags (
    .clk_i,
    .rst_ni,
    .config_i,
    .timeout_i      (timeout),
    .stopped_i      (stopped),
    .chunk_valid_i  (chunk_in),
    .chunk_i        (chunk),
    .tag_o          (start_tag),
    .room_o         (in_room),
    .np_valid_o,
    .np_ready_i,
    .np_beat_o,
    .cpl_tag_i      (cpl_tag),
    .cpl_lock_i     (cpl_lock),
    .cpl_chunk_o    (cpl_chunk),
    .cpl_waiting_o  (cpl_waiting),
    .cpl_given_up_o (cpl_given_up),
    .cpl_full_i     (cpl_full),
    .cpl_give_up_i  (cpl_give_up),
    .cpl_free_i     (cpl_free),
    .move_tag_i     (move_tag),
    .move_chunk_o   (move_chunk),
    .move_done_i    (move_done),
    .error_o        (error_tags),
    .channels_o     (tag_channels),
    .waiting_o      (tags_waiting),
    .given_up_o     (tags_given_up)
  );
  assign error_reads = error_cpl.valid ? error_cpl : error_tags;

  dma_receive u_receive (
    .clk_i,
    .rst_ni,
    .config_i,
    .cpl_valid_i,
    .cpl_beat_i,
    .tag_o        (cpl_tag),
    .lock_o       (cpl_lock),
    .chunk_i      (cpl_chunk),
    .waiting_i    (cpl_waiting),
    .given_up_i   (cpl_given_up),
    .full_o       (cpl_full),
    .give_up_o    (cpl_give_up),
    .free_o       (cpl_free),
    .start_i      (chunk_in),
    .start_tag_i  (start_tag),
    .write_o      (write),
    .write_row_o  (write_row),
    .write_strb_o (write_strb),
    .write_data_o (write_data),
    .error_o      (error_cpl),
    .unexpected_o (unexpected),
    .late_o       (late),
    .poisoned_o   (poisoned)
  );

  dma_move u_move (
    .clk_i,
    .rst_ni,
    .stopped_i    (stopped),
    .write_i      (write),
    .write_row_i  (write_row),
    .write_strb_i (write_strb),
    .write_data_i (write_data),
    .full_i       (cpl_full),
    .full_tag_i   (cpl_tag),
    .tag_o        (move_tag),
    .chunk_i      (move_chunk),
    .done_o       (move_done),
    .line_o       (line),
    .finished_o   (moved_in),
    .slot_o       (moved_in_slot),
    .bytes_o      (moved_in_bytes),
    .ring_valid_o (line_valid),
    .ring_take_i  (ring_take[dma_pkg::RingWrite]),
    .ring_line_o  (line_addr),
    .ring_strb_o  (line_strb),
    .ring_data_o  (line_data),
    .ring_slot_o  (line_slot),
    .busy_o       (move_busy)
  );

  // --- Card to host --------------------------------------------------------------------------------------------------------

  logic            read_valid, beat_valid, beat_take, host_valid, host_take, host_sent;
  logic [33:0]     read_line;
  logic [7:0]      read_info, gather_channels;
  logic [2:0]      read_channel;
  tlp_pkg::beat_t  beat;
  dma_pkg::chunk_t beat_chunk;
  logic [127:0]    host_header, record;

  dma_gather u_gather (
    .clk_i,
    .rst_ni,
    .config_i,
    .stopped_i       (stopped),
    .chunk_valid_i   (chunk_out),
    .chunk_i         (chunk),
    .room_o          (out_room),
    .ring_valid_o    (read_valid),
    .ring_take_i     (ring_take[dma_pkg::RingRead]),
    .ring_line_o     (read_line),
    .ring_info_o     (read_info),
    .ring_channel_o  (read_channel),
    .answer_i        (answer[dma_pkg::RingRead]),
    .answer_info_i   (answer_info),
    .answer_addr_i   (answer_addr),
    .answer_status_i (noc_rsp_i.status),
    .answer_data_i   (noc_rsp_i.data),
    .beat_valid_o    (beat_valid),
    .beat_take_i     (beat_take),
    .beat_o          (beat),
    .beat_chunk_o    (beat_chunk),
    .sent_i          (moved_out),
    .sent_channel_i  (moved_out_slot[4:2]),
    .error_o         (error_gather),
    .channels_o      (gather_channels)
  );

  dma_post u_post (
    .clk_i,
    .rst_ni,
    .flr_i           (config_i.flr),
    .beat_valid_i    (beat_valid),
    .beat_take_o     (beat_take),
    .beat_i          (beat),
    .beat_chunk_i    (beat_chunk),
    .record_valid_i  (host_valid),
    .record_take_o   (host_take),
    .record_header_i (host_header),
    .record_data_i   (record),
    .p_valid_o,
    .p_ready_i,
    .p_beat_o,
    .sent_o          (moved_out),
    .sent_slot_o     (moved_out_slot),
    .sent_bytes_o    (moved_out_bytes),
    .record_sent_o   (host_sent)
  );

  // --- The end of descriptors ------------------------------------------------------------------------------------------------

  logic        slot_done, record_valid;
  logic [35:0] record_addr;
  logic [4:0]  record_slot;
  logic [7:0]  retire_busy;

  dma_track u_track (
    .clk_i,
    .rst_ni,
    .issued_i        (chunk_in || chunk_out),
    .issued_slot_i   (chunk.slot),
    .in_finished_i   (moved_in),
    .in_slot_i       (moved_in_slot),
    .line_i          (line),
    .answered_i      (answer[dma_pkg::RingWrite]),
    .answered_slot_i (answer_info[4:0]),
    .out_finished_i  (moved_out),
    .out_slot_i      (moved_out_slot),
    .clear_i         (clear),
    .slot_i          (retire_slot),
    .done_o          (slot_done)
  );

  dma_retire u_retire (
    .clk_i,
    .rst_ni,
    .config_i,
    .oldest_i         (oldest),
    .fault_i          (fault),
    .channels_i       (retire),
    .take_o           (retire_take),
    .fault_take_o     (fault_take),
    .slot_o           (retire_slot),
    .done_i           (slot_done),
    .descriptor_i     (retire_descriptor),
    .host_valid_o     (host_valid),
    .host_take_i      (host_take),
    .host_sent_i      (host_sent),
    .host_header_o    (host_header),
    .ring_valid_o     (record_valid),
    .ring_take_i      (ring_take[dma_pkg::RingRecord]),
    .ring_addr_o      (record_addr),
    .ring_slot_o      (record_slot),
    .record_o         (record),
    .answer_i         (answer[dma_pkg::RingRecord]),
    .answer_ok_i      (answer_ok),
    .answer_channel_i (answer_info[4:2]),
    .irq_valid_o,
    .irq_ready_i,
    .irq_vector_o,
    .work_o,
    .error_o          (error_record),
    .busy_o           (retire_busy)
  );

  // --- The ring ----------------------------------------------------------------------------------------------------------------

  logic [7:0] ring_channels;
  dma_ring u_ring (
    .clk_i,
    .rst_ni,
    .noc_req_valid_o,
    .noc_req_ready_i,
    .noc_req_o,
    .noc_rsp_valid_i,
    .noc_rsp_i,
    .valid_i        ({record_valid, line_valid, read_valid, fetch_valid}),
    .take_o         (ring_take),
    .fetch_addr_i   (fetch_addr),
    .fetch_slot_i   (fetch_slot),
    .read_line_i    (read_line),
    .read_info_i    (read_info),
    .read_channel_i (read_channel),
    .write_line_i   (line_addr),
    .write_strb_i   (line_strb),
    .write_data_i   (line_data),
    .write_slot_i   (line_slot),
    .record_addr_i  (record_addr),
    .record_data_i  (record),
    .record_slot_i  (record_slot),
    .answer_o       (answer),
    .answer_info_o  (answer_info),
    .answer_addr_o  (answer_addr),
    .error_o        (error_ring),
    .channels_o     (ring_channels)
  );

  // Whether anything of a channel is under way; a read that was given up is not.
  assign quiet  = ~(issue_busy | tag_channels | move_busy | gather_channels | retire_busy | ring_channels);
  assign busy_o = channel_busy != '0 || quiet != '1 || p_valid_o || np_valid_o;

  dma_globals u_globals (
    .clk_i,
    .rst_ni,
    .flr_i        (config_i.flr),
    .write_i      (access && !of_channel),
    .offset_i     (offset),
    .wdata_i      (reg_req_i.wdata),
    .lanes_i      (lanes),
    .rdata_o      (global_rdata),
    .known_o      (global_known),
    .unexpected_i (unexpected),
    .late_i       (late),
    .waiting_i    (tags_waiting),
    .given_up_i   (tags_given_up),
    .timeout_o    (timeout)
  );

  // Pulses from registers.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      errors_o <= '0;
    end else begin
      errors_o.cpl_timeout    <= error_tags.valid;
      errors_o.unexpected_cpl <= unexpected;
      errors_o.poisoned_cpl   <= poisoned;
    end
  end

`ifndef SYNTHESIS
  initial begin
    assert ($bits(dma_pkg::chunk_t) == dma_pkg::ChunkWidth && $bits(dma_pkg::descriptor_t) == dma_pkg::DescriptorWidth &&
            $bits(dma_pkg::retire_t) == dma_pkg::RetireWidth) else $error("a width in dma_pkg is wrong");
  end
`endif

endmodule
