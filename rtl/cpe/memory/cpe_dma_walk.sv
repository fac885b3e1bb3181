// SPDX-License-Identifier: Apache-2.0
// Keeps the transfers of the DMA engine and cuts them into pieces that lie in one line of global memory, one piece per cycle, rows
// from the first to the last. The next transfer follows the last piece of the one before without a gap.
//
// Offsets are kept with 49 bits: 65,535 rows of any stride cannot get further away than that, so the upper bit tells that a
// piece has left the 48 bits on either side.
// Cuts: all paths. A transfer that finds nobody in front of it has its first piece two cycles later.
// Illegal: more transfers than there are slots.
module cpe_dma_walk (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   busy_i,       // a transfer is not complete

  input  logic                   push_i,
  input  cpe_dma_pkg::transfer_t push_transfer_i,

  output logic                   valid_o,
  output cpe_dma_pkg::piece_t    piece_o,
  output logic                   last_o,       // of its transfer
  input  logic                   step_i        // the piece is on its way
);

  // By the lower bits the slot of a transfer, as tickets have it.
  logic [3:0]  pushed_q, left_q;
  logic        active_q, write_q;
  logic [2:0]  slot_q;
  logic [15:0] segment_q, rows_q, ldm_stride_q;
  logic [48:0] row_offset_q, offset_q;
  logic [16:0] row_ldm_q, ldm_q;
  logic [17:0] bytes_q, left_bytes_q;
  logic [31:0] stride_q;
  logic [6:0]  to_line_end;
  logic        ends_row;

  cpe_dma_pkg::transfer_t                next;
  logic [cpe_dma_pkg::TransferWidth-1:0] waiting_q [cpe_dma_pkg::Slots];

  assign valid_o = active_q;

  // Without work there is nothing to compute.
  always_comb begin
    piece_o     = '0;
    last_o      = 1'b0;
    ends_row    = 1'b0;
    to_line_end = '0;
    if (active_q) begin
      to_line_end     = 7'd64 - {1'b0, offset_q[5:0]};
      ends_row        = left_bytes_q <= {11'd0, to_line_end};
      last_o          = ends_row && rows_q == 16'd1;
      piece_o.write   = write_q;
      piece_o.slot    = slot_q;
      piece_o.segment = segment_q;
      piece_o.outside = offset_q[48];
      piece_o.offset  = offset_q[47:0];
      piece_o.ldm     = ldm_q;
      piece_o.bytes   = ends_row ? left_bytes_q[6:0] : to_line_end;
    end
  end

  // One process, and only a place that nobody reads: the assignment may take effect at once. By itself, so that synthesis finds
  // a memory; in the process below it made registers and wide multiplexers of it.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (push_i) waiting_q[pushed_q[2:0]] = push_transfer_i;
  end

  always_ff @(posedge clk_i) begin : walk
    logic        waits, take;
    logic [15:0] rows;
    logic [48:0] row_offset, line_offset;
    logic [16:0] row_ldm, line_ldm;
    logic [17:0] line_left;
    if (!rst_ni) begin
      active_q <= 1'b0;
      pushed_q <= '0;
      left_q   <= '0;
    end else if (busy_i || push_i) begin
      waits       = left_q != pushed_q;
      take        = !active_q || (step_i && last_o);
      next        = waiting_q[left_q[2:0]];
      row_offset  = row_offset_q + {{17{stride_q[31]}}, stride_q};
      row_ldm     = row_ldm_q + {1'b0, ldm_stride_q};
      line_offset = {offset_q[48:6] + 43'd1, 6'd0};
      line_ldm    = ldm_q + 17'(to_line_end);
      line_left   = ends_row ? bytes_q : left_bytes_q - 18'(to_line_end);
      rows        = rows_q - 16'd1;
      pushed_q <= pushed_q + 4'(push_i);
      if (take) active_q <= waits;
      if (take && waits) begin
        write_q      <= next.write;
        slot_q       <= left_q[2:0];
        segment_q    <= next.segment;
        row_offset_q <= {1'b0, next.offset};
        offset_q     <= {1'b0, next.offset};
        row_ldm_q    <= next.ldm;
        ldm_q        <= next.ldm;
        bytes_q      <= next.bytes;
        left_bytes_q <= next.bytes;
        rows_q       <= next.rows;
        ldm_stride_q <= next.ldm_stride;
        stride_q     <= next.stride;
        left_q       <= left_q + 4'd1;
      end else if (step_i) begin
        left_bytes_q <= line_left;
        if (ends_row) begin
          rows_q       <= rows;
          row_offset_q <= row_offset;
          offset_q     <= row_offset;
          row_ldm_q    <= row_ldm;
          ldm_q        <= row_ldm;
        end else begin
          offset_q     <= line_offset;
          ldm_q        <= line_ldm;
        end
      end
    end
  end
  /* verilator lint_on BLKSEQ */

endmodule
