// SPDX-License-Identifier: Apache-2.0
// The accumulators of the systolic unit: two halves of 256 rows of 8 sums of 32 bits, modulo 2^32.
//
// A row of products overwrites what its accumulators hold (sum_first_i) or is added to it: one row a cycle, any order, the same row
//   in consecutive cycles too. It is in the memory from the second cycle on.
// awake_i: else nothing is added, read, or under way.
// read_*: the drain's; data in the next cycle, kept until the next read.
// Illegal: a read of a half that is being added to.
module cpe_systolic_sums (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         awake_i,

  input  logic         sum_valid_i,
  input  logic [8:0]   sum_place_i,  // half, row
  input  logic         sum_first_i,
  input  logic [255:0] sum_data_i,   // column n in bits 32n+31:32n

  input  logic         read_valid_i,
  input  logic         read_half_i,
  input  logic [7:0]   read_row_i,
  output logic [255:0] read_data_o
);

  logic         valid_q, first_q, forward_q, read_half_q;
  logic [8:0]   place_q;
  logic [255:0] data_q, last_q;
  logic [255:0] written, rdata0, rdata1;
  logic [31:0]  total [8];                // of columns
  logic         again;                    // the row that is written in this cycle comes again: what is read of it is old
  logic         read0, read1, write0, write1;
  logic [7:0]   row0, row1;               // that are read

  always_comb begin
    again  = 1'b0;
    read0  = 1'b0;
    read1  = 1'b0;
    write0 = 1'b0;
    write1 = 1'b0;
    row0   = sum_place_i[7:0];
    row1   = sum_place_i[7:0];
    for (int unsigned n = 0; n < 8; n++) total[n] = '0;
    if (awake_i) begin
      if (valid_q) begin
        if (place_q[8]) write1 = 1'b1;
        else write0 = 1'b1;
        for (int unsigned n = 0; n < 8; n++) total[n] = data_q[32*n +: 32];
        if (!first_q) begin
          if (forward_q) for (int unsigned n = 0; n < 8; n++) total[n] = total[n] + last_q[32*n +: 32];
          else if (place_q[8]) for (int unsigned n = 0; n < 8; n++) total[n] = total[n] + rdata1[32*n +: 32];
          else for (int unsigned n = 0; n < 8; n++) total[n] = total[n] + rdata0[32*n +: 32];
        end
      end
      if (sum_valid_i) begin
        again = valid_q && sum_place_i == place_q;
        if (!sum_first_i && !again) begin
          if (sum_place_i[8]) read1 = 1'b1;
          else read0 = 1'b1;
        end
      end
      if (read_valid_i) begin
        if (read_half_i) begin
          read1 = 1'b1;
          row1  = read_row_i;
        end else begin
          read0 = 1'b1;
          row0  = read_row_i;
        end
      end
    end
  end

  assign written = {total[7], total[6], total[5], total[4], total[3], total[2], total[1], total[0]};

  always_ff @(posedge clk_i) begin
    if (awake_i) begin
      if (again) last_q <= written;
      if (sum_valid_i) begin
        place_q   <= sum_place_i;
        first_q   <= sum_first_i;
        forward_q <= again;
        data_q    <= sum_data_i;
      end
      if (read_valid_i) read_half_q <= read_half_i;
      valid_q <= sum_valid_i && rst_ni;
    end
  end

  ram_1r1w #(.Depth(256), .Width(256)) u_half0 (
    .clk_i,
    .re_i   (read0),
    .raddr_i(row0),
    .rdata_o(rdata0),
    .we_i   (write0),
    .waddr_i(place_q[7:0]),
    .wdata_i(written)
  );

  ram_1r1w #(.Depth(256), .Width(256)) u_half1 (
    .clk_i,
    .re_i   (read1),
    .raddr_i(row1),
    .rdata_o(rdata1),
    .we_i   (write1),
    .waddr_i(place_q[7:0]),
    .wdata_i(written)
  );

  always_comb begin
    read_data_o = '0;
    if (awake_i) read_data_o = read_half_q ? rdata1 : rdata0;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && awake_i && read_valid_i && sum_valid_i) begin
      assert (sum_first_i || again || sum_place_i[8] != read_half_i) else $error("the drain reads half %0d, which is being added to", read_half_i);
    end
  end
`endif

endmodule
