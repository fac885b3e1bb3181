// Cuts the transfers of the DMA engine into pieces that lie in one line of global memory, one piece per cycle, rows from the first
// to the last. The next transfer follows the last piece of the one before without a gap.
//
// Offsets are kept with 49 bits: 65,535 rows of any stride cannot get further away than that, so the upper bit tells that a
// piece has left the 48 bits on either side.
// Cuts: all paths, except that step_i takes the next transfer in the same cycle.
module cpe_dma_walk (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   next_valid_i,
  output logic                   next_take_o,
  input  cpe_dma_pkg::transfer_t next_i,
  input  logic [2:0]             next_slot_i,

  output logic                   valid_o,
  output cpe_dma_pkg::piece_t    piece_o,
  output logic                   last_o,       // of its transfer
  input  logic                   step_i        // the piece is on its way
);

  logic        active_q, write_q;
  logic [2:0]  slot_q;
  logic [15:0] segment_q, rows_q, ldm_stride_q;
  logic [48:0] row_offset_q, offset_q, row_offset_next;
  logic [16:0] row_ldm_q, ldm_q, row_ldm_next;
  logic [17:0] bytes_q, left_q;
  logic [31:0] stride_q;
  logic [6:0]  to_line_end;
  logic        ends_row;

  assign valid_o     = active_q;
  assign next_take_o = !active_q || (step_i && last_o);

  // Without work there is nothing to compute.
  always_comb begin
    piece_o         = '0;
    last_o          = 1'b0;
    ends_row        = 1'b0;
    to_line_end     = '0;
    row_offset_next = '0;
    row_ldm_next    = '0;
    if (active_q) begin
      to_line_end     = 7'd64 - {1'b0, offset_q[5:0]};
      ends_row        = left_q <= {11'd0, to_line_end};
      last_o          = ends_row && rows_q == 16'd1;
      row_offset_next = row_offset_q + {{17{stride_q[31]}}, stride_q};
      row_ldm_next    = row_ldm_q + {1'b0, ldm_stride_q};
      piece_o.write   = write_q;
      piece_o.slot    = slot_q;
      piece_o.segment = segment_q;
      piece_o.outside = offset_q[48];
      piece_o.offset  = offset_q[47:0];
      piece_o.ldm     = ldm_q;
      piece_o.bytes   = ends_row ? left_q[6:0] : to_line_end;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) active_q <= 1'b0;
    else if (next_take_o) active_q <= next_valid_i;
  end

  always_ff @(posedge clk_i) begin
    if (next_take_o) begin
      if (next_valid_i) begin
        write_q      <= next_i.write;
        slot_q       <= next_slot_i;
        segment_q    <= next_i.segment;
        row_offset_q <= {1'b0, next_i.offset};
        offset_q     <= {1'b0, next_i.offset};
        row_ldm_q    <= next_i.ldm;
        ldm_q        <= next_i.ldm;
        bytes_q      <= next_i.bytes;
        left_q       <= next_i.bytes;
        rows_q       <= next_i.rows;
        ldm_stride_q <= next_i.ldm_stride;
        stride_q     <= next_i.stride;
      end
    end else if (step_i) begin
      if (ends_row) begin
        rows_q       <= rows_q - 16'd1;
        row_offset_q <= row_offset_next;
        offset_q     <= row_offset_next;
        row_ldm_q    <= row_ldm_next;
        ldm_q        <= row_ldm_next;
        left_q       <= bytes_q;
      end else begin
        offset_q <= {offset_q[48:6] + 43'd1, 6'd0};
        ldm_q    <= ldm_q + 17'(to_line_end);
        left_q   <= left_q - 18'(to_line_end);
      end
    end
  end

endmodule
