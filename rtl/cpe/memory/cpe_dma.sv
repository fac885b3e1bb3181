// SPDX-License-Identifier: Apache-2.0
// The DMA engine of a CPE: moves data between local and global memory while the core goes on. docs/hardware/cpe-memory.md tells
// how programs see it.
//
// Transfers are cut into requests for one line of global memory each, sent in order, one per cycle at best, up to 8 under way;
// the next transfer's requests follow while answers of the last one are awaited. An answer with data goes to local memory in the
// cycle in which it comes. A store reads local memory when its request is made and may wait for the group with that data.
// Data travel in lanes by their LDM address: who aligns is the group.
// Orders: nothing between transfers, except that they become complete in order.
// Halt: no new request, no new transfer. One that is offered stays so until it is taken. With halt_i low again the engine goes on.
// Fault: the engine stops like that, for good; fault_valid_o rises when the last answer has come.
// Cuts: paths to mem_*, except that data of a store come straight from local memory when it was read in the cycle before.
//   line_re_o follows mem_ready_i, the line write follows rsp_i.
module cpe_dma (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              halt_i,
  input  logic              ends_i,         // a launch does, and with it what is set for the next transfer; not while busy_o

  input  logic              issue_valid_i,
  input  cpe_pkg::issue_t   issue_i,
  output logic              issue_ready_o,
  output logic [31:0]       issue_rdata_o,
  output logic              issue_bad_o,

  output logic              mem_valid_o,
  input  logic              mem_ready_i,
  output cpe_pkg::mem_req_t mem_o,
  input  logic              rsp_valid_i,    // with kind MemDma
  input  cpe_pkg::mem_rsp_t rsp_i,

  output logic              line_we_o,
  output logic [16:0]       line_waddr_o,
  output logic [6:0]        line_wbytes_o,
  output logic [511:0]      line_wdata_o,
  output logic              line_re_o,
  input  logic              line_re_ready_i,
  output logic [16:0]       line_raddr_o,
  output logic [6:0]        line_rbytes_o,
  input  logic [511:0]      line_rdata_i,

  output logic              fault_valid_o,
  output cpe_pkg::fault_t   fault_o,
  output logic              busy_o,         // a transfer is not complete
  output logic              foreground_o,   // a foreground transfer is not complete; for simulators
  output logic              quiet_o,        // no request outstanding or offered
  output logic [6:0]        event_bytes_o   // moved in this cycle
);

  logic                   begins, complete, busy;
  logic [2:0]             oldest, slot;
  cpe_dma_pkg::transfer_t transfer;
  logic [31:0]            slot_pc;
  logic [15:0]            slot_segment;

  assign busy_o = busy;

  cpe_dma_issue u_issue (
    .clk_i,
    .rst_ni,
    .halt_i,
    .ends_i,
    .issue_valid_i,
    .issue_i,
    .issue_ready_o,
    .issue_rdata_o,
    .issue_bad_o,
    .begin_o(begins),
    .begin_transfer_o(transfer),
    .complete_i(complete),
    .oldest_o(oldest),
    .slot_i(slot),
    .slot_pc_o(slot_pc),
    .slot_segment_o(slot_segment),
    .busy_o(busy),
    .foreground_o
  );

  logic                piece_valid, last, step;
  cpe_dma_pkg::piece_t piece;

  cpe_dma_walk u_walk (
    .clk_i,
    .rst_ni,
    .busy_i(busy),
    .push_i(begins),
    .push_transfer_i(transfer),
    .valid_o(piece_valid),
    .piece_o(piece),
    .last_o(last),
    .step_i(step)
  );

  logic       stop, tag_free, go, fail;
  logic [2:0] tag;

  cpe_dma_track u_track (
    .clk_i,
    .rst_ni,
    .busy_i(busy),
    .free_o(tag_free),
    .tag_o(tag),
    .send_i(step),
    .fail_i(fail),
    .piece_i(piece),
    .last_i(last),
    .rsp_valid_i,
    .rsp_tag_i(rsp_i.tag),
    .rsp_cause_i(rsp_i.cause),
    .line_we_o,
    .line_waddr_o,
    .line_wbytes_o,
    .oldest_i(oldest),
    .complete_o(complete),
    .slot_o(slot),
    .slot_pc_i(slot_pc),
    .slot_segment_i(slot_segment),
    .stop_o(stop),
    .fault_valid_o,
    .fault_o,
    .quiet_o,
    .event_bytes_o
  );

  assign line_wdata_o = rsp_i.data;

  // --- The request that is offered ----------------------------------------------------------------------------------

  logic                    out_valid_q, out_write_q, fresh_q, taken;
  logic [2+3+16+48+6+7-1:0] head_q;   // all but the data
  logic [511:0]            data_q;

  assign line_raddr_o  = piece.ldm;
  assign line_rbytes_o = piece.bytes;

  // What is asked: apart from what comes of it, as the local memory's readiness follows from this.
  always_comb begin
    go        = 1'b0;
    fail      = 1'b0;
    line_re_o = 1'b0;
    if (piece_valid) begin
      go        = !halt_i && !stop && (!out_valid_q || taken);
      fail      = go && piece.outside;
      line_re_o = go && piece.write && !piece.outside && tag_free;
    end
  end

  always_comb begin
    step = 1'b0;
    if (go) step = !piece.outside && tag_free && (!piece.write || line_re_ready_i);
  end

  always_ff @(posedge clk_i) begin
    if (busy || !rst_ni) begin
      if (step) begin
        out_write_q <= piece.write;
        head_q      <= {piece.write, 1'b0, tag, piece.segment, piece.offset, piece.ldm[5:0], piece.bytes};
      end
      if (fresh_q) data_q <= line_rdata_i;
      fresh_q     <= rst_ni && step && piece.write;
      out_valid_q <= rst_ni && (step || (out_valid_q && !taken));
    end
  end

  assign mem_valid_o = out_valid_q;
  assign taken       = mem_ready_i;

  always_comb begin
    mem_o = '0;
    if (out_valid_q) begin
      mem_o = {head_q, 512'd0};
      if (out_write_q) mem_o.data = fresh_q ? line_rdata_i : data_q;
    end
  end

endmodule
