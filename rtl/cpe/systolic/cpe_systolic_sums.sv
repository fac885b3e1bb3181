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
  input  logic         sum_half_i,
  input  logic [7:0]   sum_row_i,
  input  logic         sum_first_i,
  input  logic [255:0] sum_data_i,   // column n in bits 32n+31:32n

  input  logic         read_valid_i,
  input  logic         read_half_i,
  input  logic [7:0]   read_row_i,
  output logic [255:0] read_data_o
);

  logic         valid_q, half_q, first_q, forward_q, read_half_q;
  logic [7:0]   row_q;
  logic [255:0] data_q, last_q;
  logic [255:0] old, total, rdata0, rdata1;
  logic         again;        // the row that is written in this cycle comes again: what is read of it is old
  logic [1:0]   add, read, write;
  logic [7:0]   row0, row1;   // that are read

  always_comb begin
    again = 1'b0;
    add   = '0;
    read  = '0;
    write = '0;
    row0  = '0;
    row1  = '0;
    old   = '0;
    total = '0;
    if (awake_i) begin
      if (valid_q) begin
        write = {half_q, !half_q};
        if (first_q) begin
          total = data_q;
        end else begin
          old = forward_q ? last_q : half_q ? rdata1 : rdata0;
          for (int unsigned n = 0; n < 8; n++) total[32*n +: 32] = old[32*n +: 32] + data_q[32*n +: 32];
        end
      end
      if (sum_valid_i) begin
        again = valid_q && sum_half_i == half_q && sum_row_i == row_q;
        add   = {sum_half_i, !sum_half_i} & {2{!sum_first_i && !again}};
        row0  = sum_row_i;
        row1  = sum_row_i;
      end
      if (read_valid_i) begin
        read = {read_half_i, !read_half_i};
        if (read_half_i) row1 = read_row_i;
        else row0 = read_row_i;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (awake_i) begin
      if (again) last_q <= total;
      if (sum_valid_i) begin
        half_q    <= sum_half_i;
        row_q     <= sum_row_i;
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
    .re_i   (add[0] || read[0]),
    .raddr_i(row0),
    .rdata_o(rdata0),
    .we_i   (write[0]),
    .waddr_i(row_q),
    .wdata_i(total)
  );

  ram_1r1w #(.Depth(256), .Width(256)) u_half1 (
    .clk_i,
    .re_i   (add[1] || read[1]),
    .raddr_i(row1),
    .rdata_o(rdata1),
    .we_i   (write[1]),
    .waddr_i(row_q),
    .wdata_i(total)
  );

  always_comb begin
    read_data_o = '0;
    if (awake_i) read_data_o = read_half_q ? rdata1 : rdata0;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    assert (!rst_ni || (add & read) == '0) else $error("the drain reads half %0d, which is being added to", read_half_i);
  end
`endif

endmodule
