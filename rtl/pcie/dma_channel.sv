// SPDX-License-Identifier: Apache-2.0
// One channel: its registers, how far its descriptors are, and how it stops.
//
// Counts of descriptors run freely modulo 65536: head (completed) <= issue (all chunks handed over) <= fetch (asked for) <=
// tail (written by software). At most four lie between head and fetch; each has the slot of its two lowest bits.
//
// A channel that stops, for an error, an abort or a reset, begins nothing new. When `quiet_i` says that nothing of it is
// under way any more it arrives at its final state.
module dma_channel (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 flr_i,

  input  logic                 read_i,       // a register of this channel is read
  input  logic                 write_i,      // or written
  input  logic [7:0]           offset_i,
  input  logic [63:0]          wdata_i,
  input  logic [63:0]          lanes_i,
  output logic [63:0]          rdata_o,
  output logic                 known_o,      // there is a register at this offset; low unless accessed

  output logic                 fetch_valid_o,
  input  logic                 fetch_take_i,
  output logic [34:0]          fetch_addr_o,  // in descriptors
  output logic [1:0]           fetch_slot_o,
  input  logic                 fetched_i,
  input  logic [1:0]           fetched_slot_i,
  input  logic                 fetched_to_host_i,
  input  logic                 fetched_fence_i,

  output logic                 issue_valid_o,  // the descriptor in turn has chunks to hand over
  output logic                 issue_to_host_o,
  output logic [1:0]           issue_slot_o,
  input  logic                 issue_last_i,

  output logic                 retire_valid_o,  // the oldest descriptor has been handed over
  output logic                 fault_valid_o,   // an error wants to be announced
  output dma_pkg::retire_t     retire_o,
  input  logic                 retire_take_i,
  input  logic                 fault_take_i,

  input  logic [2:0]           number_i,
  input  dma_pkg::error_t      error_reads_i,
  input  dma_pkg::error_t      error_writes_i,
  input  dma_pkg::error_t      error_ring_i,
  input  dma_pkg::error_t      error_issue_i,
  input  dma_pkg::error_t      error_record_i,
  input  logic                 quiet_i,
  output logic                 stopped_o,   // nothing new may be begun
  output logic                 clear_o,     // a reset is complete

  input  logic                 moved_in_i,  // bytes have been moved
  input  logic [9:0]           moved_in_bytes_i,
  input  logic                 moved_out_i,
  input  logic [9:0]           moved_out_bytes_i,

  output logic                 busy_o
);

  typedef enum logic [1:0] {
    Working,
    Stopping,
    Failed,
    Aborted
  } mode_e;
  mode_e mode_q, goal_q;  // goal Working: a reset

  dma_regs_pkg::control_t control_q;
  logic [39:0] base_q;
  logic [3:0]  log2_q;
  logic [63:0] record_q;
  logic [4:0]  vector_q;
  logic [15:0] tail_q, head_q, fetch_q, issue_q;
  logic [3:0]  valid_q, to_host_q, fence_q;
  logic [47:0] bytes_in_q, bytes_out_q;
  logic        fault_q, flushed_q;

  logic [3:0]  cause_q;
  logic [1:0]  access_q;
  logic [15:0] index_q;
  logic [63:0] address_q;

  // --- Commands and errors -----------------------------------------------------------------------------------------

  logic [15:0] merged_tail;
  logic        control_write, tail_write, abort, restart, bad_tail;
  assign control_write = write_i && {8'd0, offset_i} == dma_regs_pkg::ControlOffset;
  assign tail_write    = write_i && {8'd0, offset_i} == dma_regs_pkg::TailOffset;
  assign abort         = control_write && wdata_i[8] && lanes_i[8];
  assign restart       = (control_write && wdata_i[9] && lanes_i[9]) || (flr_i && !flushed_q);
  assign bad_tail      = tail_write && mode_q == Working && {1'b0, merged_tail - head_q} > 17'd1 << log2_q;

  dma_pkg::error_t error;
  logic            mine;
  always_comb begin
    merged_tail = '0;
    if (tail_write) merged_tail = (tail_q & ~lanes_i[15:0]) | (wdata_i[15:0] & lanes_i[15:0]);
    error = '0;
    if (error_record_i.valid && error_record_i.slot[4:2] == number_i) error = error_record_i;
    if (error_issue_i.valid && error_issue_i.slot[4:2] == number_i) error = error_issue_i;
    if (error_ring_i.valid && error_ring_i.slot[4:2] == number_i) error = error_ring_i;
    if (error_writes_i.valid && error_writes_i.slot[4:2] == number_i) error = error_writes_i;
    if (error_reads_i.valid && error_reads_i.slot[4:2] == number_i) error = error_reads_i;
    mine = error.valid;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      mode_q    <= Working;
      goal_q    <= Working;
      fault_q   <= 1'b0;
      flushed_q <= 1'b0;
      cause_q   <= '0;
      access_q  <= '0;
      index_q   <= '0;
      address_q <= '0;
    end else begin
      if (fault_take_i) fault_q <= 1'b0;
      if (!flr_i) flushed_q <= 1'b0;
      if (mode_q == Stopping && quiet_i) begin
        mode_q <= goal_q;
        if (goal_q == Failed) fault_q <= control_q.error_irq || control_q.error_work;
        if (goal_q == Working) flushed_q <= flr_i;
      end
      if (mode_q == Working && (mine || bad_tail)) begin
        mode_q    <= Stopping;
        goal_q    <= Failed;
        cause_q   <= mine ? error.cause : dma_regs_pkg::ErrorCauseBadTail;
        access_q  <= mine ? error.access : dma_regs_pkg::ErrorAccessDescriptor;
        index_q   <= mine ? head_q + {14'd0, error.slot[1:0] - head_q[1:0]} : merged_tail;
        address_q <= mine ? error.address : '0;
      end else if (mode_q == Working && abort) begin
        mode_q <= Stopping;
        goal_q <= Aborted;
      end
      if (clear_o) begin
        cause_q   <= '0;
        access_q  <= '0;
        index_q   <= '0;
        address_q <= '0;
        fault_q   <= 1'b0;
      end else if (restart) begin
        mode_q <= Stopping;
        goal_q <= Working;
      end
    end
  end
  assign stopped_o = mode_q != Working;
  assign clear_o   = mode_q == Stopping && goal_q == Working && quiet_i;

  // --- Registers ---------------------------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      control_q <= '0;
      base_q    <= '0;
      log2_q    <= '0;
      record_q  <= '0;
      vector_q  <= '0;
      tail_q    <= '0;
    end else begin
      if (write_i) begin
        case ({8'd0, offset_i})
          dma_regs_pkg::ControlOffset:
            control_q <= reg_pkg::merge(control_q, wdata_i, lanes_i & dma_regs_pkg::ControlRwMask);
          dma_regs_pkg::RingBaseOffset:
            base_q <= 40'(reg_pkg::merge({24'd0, base_q}, wdata_i, lanes_i & dma_regs_pkg::RingBaseRwMask));
          dma_regs_pkg::RingSizeOffset:
            log2_q <= 4'(reg_pkg::merge({60'd0, log2_q}, wdata_i, lanes_i & dma_regs_pkg::RingSizeRwMask));
          dma_regs_pkg::TailOffset: tail_q <= merged_tail;
          dma_regs_pkg::WritebackOffset:
            record_q <= reg_pkg::merge(record_q, wdata_i, lanes_i & dma_regs_pkg::WritebackRwMask);
          dma_regs_pkg::VectorOffset:
            vector_q <= 5'(reg_pkg::merge({59'd0, vector_q}, wdata_i, lanes_i & dma_regs_pkg::VectorRwMask));
          default: ;
        endcase
      end
      if (clear_o) begin
        control_q <= '0;
        tail_q    <= '0;
        if (flr_i) begin
          base_q   <= '0;
          log2_q   <= '0;
          record_q <= '0;
          vector_q <= '0;
        end
      end
    end
  end

  logic [2:0] state;
  always_comb begin
    case (mode_q)
      Stopping: state = dma_regs_pkg::StatusStateStopping;
      Failed:   state = dma_regs_pkg::StatusStateError;
      Aborted:  state = dma_regs_pkg::StatusStateAborted;
      default:  state = busy_o ? dma_regs_pkg::StatusStateRunning : dma_regs_pkg::StatusStateIdle;
    endcase
  end

  always_comb begin
    known_o = read_i || write_i;
    rdata_o = '0;
    if (known_o) case ({8'd0, offset_i})
      dma_regs_pkg::ControlOffset:      rdata_o = control_q;
      dma_regs_pkg::StatusOffset:       rdata_o = {61'd0, state};
      dma_regs_pkg::RingBaseOffset:     rdata_o = {24'd0, base_q};
      dma_regs_pkg::RingSizeOffset:     rdata_o = {60'd0, log2_q};
      dma_regs_pkg::TailOffset:         rdata_o = {48'd0, tail_q};
      dma_regs_pkg::HeadOffset:         rdata_o = {48'd0, head_q};
      dma_regs_pkg::WritebackOffset:    rdata_o = record_q;
      dma_regs_pkg::VectorOffset:       rdata_o = {59'd0, vector_q};
      dma_regs_pkg::ErrorOffset:        rdata_o = {32'd0, index_q, 10'd0, access_q, cause_q};
      dma_regs_pkg::ErrorAddressOffset: rdata_o = address_q;
      dma_regs_pkg::BytesInOffset:      rdata_o = {16'd0, bytes_in_q};
      dma_regs_pkg::BytesOutOffset:     rdata_o = {16'd0, bytes_out_q};
      default: known_o = 1'b0;
    endcase
  end

  // --- Descriptors -------------------------------------------------------------------------------------------------

  logic [15:0] under_way, mask;
  assign under_way       = fetch_q - head_q;
  assign mask            = ~(16'hffff << log2_q);
  assign fetch_valid_o   = mode_q == Working && control_q.enable && fetch_q != tail_q && under_way < 16'(dma_pkg::Slots);
  assign fetch_addr_o    = base_q[39:5] + {19'd0, fetch_q & mask};
  assign fetch_slot_o    = fetch_q[1:0];
  assign issue_slot_o    = issue_q[1:0];
  assign issue_to_host_o = to_host_q[issue_q[1:0]];
  assign issue_valid_o   = mode_q == Working && valid_q[issue_q[1:0]] && (!fence_q[issue_q[1:0]] || issue_q == head_q);
  assign retire_valid_o  = mode_q == Working && head_q != issue_q;
  assign fault_valid_o   = fault_q;
  assign busy_o          = mode_q == Stopping || fault_q || (flr_i && !flushed_q) ||
                           (mode_q == Working && (head_q != fetch_q || (control_q.enable && fetch_q != tail_q)));

  always_comb begin
    retire_o            = '0;
    retire_o.number     = head_q;
    retire_o.slot       = head_q[1:0];
    retire_o.record     = {record_q[63:4], 4'd0} + {44'd0, head_q & mask, 4'd0};
    retire_o.on_card    = record_q[0];
    retire_o.irq        = vector_q;
    retire_o.error_irq  = control_q.error_irq;
    retire_o.error_work = control_q.error_work;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      head_q      <= '0;
      fetch_q     <= '0;
      issue_q     <= '0;
      valid_q     <= '0;
      bytes_in_q  <= '0;
      bytes_out_q <= '0;
    end else if (clear_o) begin
      head_q      <= '0;
      fetch_q     <= '0;
      issue_q     <= '0;
      valid_q     <= '0;
      bytes_in_q  <= '0;
      bytes_out_q <= '0;
    end else begin
      if (fetch_take_i) fetch_q <= fetch_q + 16'd1;
      if (issue_last_i) begin
        issue_q               <= issue_q + 16'd1;
        valid_q[issue_q[1:0]] <= 1'b0;
      end
      if (fetched_i) valid_q[fetched_slot_i] <= 1'b1;
      if (retire_take_i) head_q <= head_q + 16'd1;
      if (moved_in_i) bytes_in_q <= bytes_in_q + {38'd0, moved_in_bytes_i};
      if (moved_out_i) bytes_out_q <= bytes_out_q + {38'd0, moved_out_bytes_i};
    end
  end

  always_ff @(posedge clk_i) begin
    if (fetched_i) begin
      to_host_q[fetched_slot_i] <= fetched_to_host_i;
      fence_q[fetched_slot_i]   <= fetched_fence_i;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (under_way <= 16'(dma_pkg::Slots)) else $error("%0d descriptors under way", under_way);
      assert (16'(issue_q - head_q) <= under_way) else $error("more was issued than fetched");
    end
  end
`endif

endmodule
