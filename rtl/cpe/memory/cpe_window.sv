// SPDX-License-Identifier: Apache-2.0
// The way of the scalar core to global memory: one load or store of 1, 2 or 4 bytes at a time, as a request to the group.
//
// The upper four bits of the address choose segment and offset: the data window counts from pointer_i (offsets modulo 2^48), the
// others from the beginning of their segment. An address of no window is answered with CauseVacant in the next cycle.
// The request is offered in the cycle after win_valid_i; the answer goes to the core in the cycle in which it comes.
// A pointer may have any alignment: an access that crosses the end of a line takes two requests, the upper one first. As segments
// end with a line, an access that is not wholly inside of one does not write a part.
// win_segment_o and win_offset_o tell where the access goes, for the record of a fault; without a segment: its scalar address.
// Halt: the core waits for the access that it has begun, so halt changes nothing here.
// Cuts: win_* to mem_*.
module cpe_window (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              halt_i,

  input  logic              win_valid_i,     // all of win_* is held until done
  output logic              win_done_o,
  input  logic              win_write_i,
  input  logic [31:0]       win_addr_i,      // a multiple of the size
  input  logic [1:0]        win_size_i,      // log2 of bytes: 0 to 2
  input  logic [31:0]       win_wdata_i,     // right-aligned
  output logic [31:0]       win_rdata_o,     // right-aligned, the rest is 0
  output cpe_isa_pkg::cause_t   win_cause_o,
  output logic [15:0]       win_segment_o,
  output logic [47:0]       win_offset_o,

  input  logic [63:0]       pointer_i,
  input  logic [15:0]       daemon_segment_i,
  input  logic [15:0]       code_segment_i,
  input  logic [15:0]       argument_segment_i,

  output logic              mem_valid_o,
  input  logic              mem_ready_i,
  output cpe_pkg::mem_req_t mem_o,
  input  logic              rsp_valid_i,     // with kind MemScalar
  input  cpe_pkg::mem_rsp_t rsp_i,

  output logic              quiet_o          // no request outstanding or offered
);

  typedef enum logic [1:0] {StIdle, StOffer, StWait, StVacant} state_e;

  state_e      state_q, state;
  logic [15:0] segment, segment_q;
  logic [47:0] offset, offset_q;
  logic        vacant, crosses;
  logic        upper_q;          // the request is for the part in the next line; that for the lower part follows
  logic        split_q;
  logic [2:0]  bytes, lower;     // bytes in the lower part
  logic [1:0]  line_end;         // bytes to the end of the line, when the access crosses it
  logic [31:0] upper_data_q, mask;
  logic        unused_halt;

  assign unused_halt = halt_i;

  // --- Where it goes ------------------------------------------------------------------------------------------------

  always_comb begin
    segment = cpe_isa_pkg::NoSegment;
    offset  = {16'd0, win_addr_i};
    vacant  = 1'b0;
    if (win_valid_i && state_q == StIdle) begin
      offset = {20'd0, win_addr_i[27:0]};
      case (win_addr_i[31:28])
        cpe_isa_pkg::SpaceDaemon:    segment = daemon_segment_i;
        cpe_isa_pkg::SpaceKernel:    segment = code_segment_i;
        cpe_isa_pkg::SpaceArguments: segment = argument_segment_i;
        cpe_isa_pkg::SpaceWindow: begin
          segment = pointer_i[63:48];
          offset  = pointer_i[47:0] + {20'd0, win_addr_i[27:0]};
        end
        default: begin
          offset = {16'd0, win_addr_i};
          vacant = 1'b1;
        end
      endcase
    end
  end

  always_comb begin
    bytes    = '0;
    line_end = '0;
    lower    = '0;
    crosses  = 1'b0;
    if (win_valid_i) begin
      bytes    = 3'd1 << win_size_i;
      line_end = 2'd0 - offset_q[1:0];
      lower    = split_q ? {1'b0, line_end} : bytes;
      crosses  = offset[5:2] == '1 && {1'b0, offset[1:0]} + bytes > 3'd4;
    end
  end

  /* verilator lint_off BLKSEQ */
  // Values first, then registers: without an access a simulator does nothing.
  always_ff @(posedge clk_i) begin
    if (!rst_ni || win_valid_i || state_q != StIdle) begin
      state = state_q;
      if (rsp_valid_i && upper_q) upper_data_q <= rsp_i.data[31:0];
      unique case (state)
        StIdle:
          if (win_valid_i) begin
            state = vacant ? StVacant : StOffer;
            split_q   <= !vacant && crosses;
            // At the end of all offsets there is no segment: the lower part alone is asked for, and refused.
            upper_q   <= !vacant && crosses && offset[47:6] != '1;
            segment_q <= segment;
            offset_q  <= offset;
          end
        StOffer: if (mem_ready_i) state = StWait;
        StWait:
          if (rsp_valid_i) begin
            state = win_done_o ? StIdle : StOffer;
            upper_q <= 1'b0;
          end
        default: state = StIdle;
      endcase
      state_q <= rst_ni ? state : StIdle;
    end
  end
  /* verilator lint_on BLKSEQ */

  // --- Request and answer -------------------------------------------------------------------------------------------

  assign mem_valid_o = state_q == StOffer;
  assign quiet_o     = state_q != StOffer && state_q != StWait;

  always_comb begin
    mem_o = '0;
    if (mem_valid_o) begin
      mem_o.write      = win_write_i;
      mem_o.scalar     = 1'b1;
      mem_o.segment    = segment_q;
      mem_o.offset     = upper_q ? {offset_q[47:6] + 42'd1, 6'd0} : offset_q;
      mem_o.bytes      = {4'd0, upper_q ? bytes - lower : lower};
      mem_o.data[31:0] = upper_q ? win_wdata_i >> {lower[1:0], 3'd0} : win_wdata_i;
    end
  end

  assign win_segment_o = segment_q;
  assign win_offset_o  = offset_q;

  always_comb begin
    win_done_o  = 1'b0;
    win_cause_o = cpe_isa_pkg::CauseNone;
    win_rdata_o = '0;
    mask        = '0;
    if (state_q == StVacant) begin
      win_done_o  = 1'b1;
      win_cause_o = cpe_isa_pkg::CauseVacant;
    end else if (state_q == StWait && rsp_valid_i) begin
      win_cause_o = rsp_i.cause;
      win_done_o  = !upper_q || rsp_i.cause != cpe_isa_pkg::CauseNone;
      mask        = win_size_i[1] ? '1 : (win_size_i[0] ? 32'h0000_ffff : 32'h0000_00ff);
      if (split_q) begin
        // The upper bytes of both answers are anything.
        win_rdata_o = ((rsp_i.data[31:0] & ~(32'hffff_ffff << {lower[1:0], 3'd0})) | (upper_data_q << {lower[1:0], 3'd0})) & mask;
      end else begin
        win_rdata_o = rsp_i.data[31:0] & mask;
      end
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!rsp_valid_i || state_q == StWait) else $error("an answer that nobody waits for");
      assert (state_q == StIdle || win_valid_i) else $error("the core gave up an access");
      assert (!win_valid_i || win_size_i != 2'd3) else $error("an access of 8 bytes");
    end
  end
`endif

endmodule
