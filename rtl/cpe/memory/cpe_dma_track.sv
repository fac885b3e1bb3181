// SPDX-License-Identifier: Apache-2.0
// The tags of the DMA engine: which piece each outstanding request is for, which transfers are complete, and the first fault.
//
// A tag is free again in the very cycle of its answer. Answers come in any order. After a bad one nothing is complete any more
// and stop_o keeps the engine from going on. When the last answer is there, fault_valid_o rises with the record of the piece
// that comes first in the order of the requests; both stay until reset.
module cpe_dma_track (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                busy_i,          // a transfer is not complete

  // A piece is sent with the tag, or fails here
  output logic                free_o,
  output logic [2:0]          tag_o,
  input  logic                send_i,
  input  logic                fail_i,          // its offset has more than 48 bits
  input  cpe_dma_pkg::piece_t piece_i,
  input  logic                last_i,          // of its transfer

  input  logic                rsp_valid_i,
  input  logic [2:0]          rsp_tag_i,
  input  cpe_isa_pkg::cause_t     rsp_cause_i,
  output logic                line_we_o,       // it brings data for local memory
  output logic [16:0]         line_waddr_o,
  output logic [6:0]          line_wbytes_o,

  input  logic [2:0]          oldest_i,        // slot of the oldest transfer
  output logic                complete_o,      // it is complete

  output logic [2:0]          slot_o,          // whose
  input  logic [31:0]         slot_pc_i,       // pc
  input  logic [15:0]         slot_segment_i,  // and segment these are

  output logic                stop_o,
  output logic                fault_valid_o,
  output cpe_pkg::fault_t     fault_o,
  output logic                quiet_o,
  output logic [6:0]          event_bytes_o
);

  localparam int unsigned Tags = cpe_pkg::MemTags;

  logic [Tags-1:0]   valid_q, done, remaining;
  logic [8*Tags-1:0] older_q;   // per tag: those outstanding ones that were sent before it
  logic [63:0]       open_q;    // per slot: its outstanding tags
  logic [63:0]       open_next;
  logic [7:0]        sent_q;    // slots whose pieces have all been sent, and that are not complete
  logic [27:0]       meta_q [Tags];
  logic [47:0]       offset_q [Tags];
  logic              stopped_q, failed, record;
  logic [Tags-1:0]   fault_older_q;
  cpe_pkg::fault_t   fault_q;

  logic        rsp_write;
  logic [2:0]  rsp_slot;
  logic [16:0] rsp_ldm;
  logic [6:0]  rsp_bytes;

  // Without a transfer there is nothing to follow.
  always_comb begin
    done          = '0;
    remaining     = '0;
    free_o        = 1'b0;
    tag_o         = '0;
    rsp_write     = 1'b0;
    rsp_slot      = '0;
    rsp_ldm       = '0;
    rsp_bytes     = '0;
    failed        = 1'b0;
    open_next     = '0;
    line_we_o     = 1'b0;
    complete_o    = 1'b0;
    event_bytes_o = '0;
    if (busy_i) begin
      open_next = open_q;
      if (rsp_valid_i) begin
        done[rsp_tag_i] = 1'b1;
        {rsp_write, rsp_slot, rsp_ldm, rsp_bytes} = meta_q[rsp_tag_i];
        open_next[{rsp_slot, rsp_tag_i}] = 1'b0;
        failed          = rsp_cause_i != cpe_isa_pkg::CauseNone;
        line_we_o       = !failed && !rsp_write;
        event_bytes_o   = failed ? '0 : rsp_bytes;
      end
      remaining = valid_q & ~done;
      free_o    = remaining != '1;
      for (int i = Tags - 1; i >= 0; i--) begin
        if (!remaining[i]) tag_o = 3'(i);
      end
      complete_o = sent_q[oldest_i] && open_next[{oldest_i, 3'd0} +: 8] == '0 && !stopped_q && !failed;
    end
  end

  assign line_waddr_o  = rsp_ldm;
  assign line_wbytes_o = rsp_bytes;

  // The first fault counts, and then those of pieces that went before it.
  assign record = failed && (!stopped_q || fault_older_q[rsp_tag_i]);
  assign slot_o = failed ? rsp_slot : piece_i.slot;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q   <= '0;
      open_q    <= '0;
      sent_q    <= '0;
      stopped_q <= 1'b0;
    end else if (busy_i) begin
      if (rsp_valid_i) begin
        valid_q <= remaining;
        open_q  <= open_next;
      end
      if (send_i) begin
        valid_q[tag_o]                <= 1'b1;
        open_q[{piece_i.slot, tag_o}] <= 1'b1;
      end
      if (complete_o) sent_q[oldest_i] <= 1'b0;
      if (send_i && last_i) sent_q[piece_i.slot] <= 1'b1;
      if (failed || fail_i) stopped_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (busy_i) begin
      if (send_i) begin
        meta_q[tag_o]               <= {piece_i.write, piece_i.slot, piece_i.ldm, piece_i.bytes};
        offset_q[tag_o]             <= piece_i.offset;
      end
      if (record) begin
        fault_q.cause   <= rsp_cause_i;
        fault_q.access  <= rsp_write ? cpe_isa_pkg::AccessWrite : cpe_isa_pkg::AccessRead;
        fault_q.offset  <= offset_q[rsp_tag_i];
        fault_older_q   <= older_q[Tags*rsp_tag_i +: Tags];
      end else if (fail_i) begin
        fault_q.cause   <= cpe_isa_pkg::CauseLimit;
        fault_q.access  <= piece_i.write ? cpe_isa_pkg::AccessWrite : cpe_isa_pkg::AccessRead;
        fault_q.offset  <= piece_i.offset;
        fault_older_q   <= remaining;
      end
      if (rsp_valid_i) older_q <= older_q & ~{Tags{done}};
      if (send_i) older_q[Tags*tag_o +: Tags] <= remaining;
      if (record || fail_i) begin
        fault_q.dma     <= 1'b1;
        fault_q.pc      <= slot_pc_i;
        fault_q.segment <= slot_segment_i;
      end
    end
  end

  assign stop_o        = stopped_q;
  assign quiet_o       = valid_q == '0;
  assign fault_valid_o = stopped_q && quiet_o;
  assign fault_o       = fault_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && rsp_valid_i) begin
      assert (valid_q[rsp_tag_i]) else $error("an answer with tag %0d, which is not outstanding", rsp_tag_i);
    end
  end
`endif

endmodule
