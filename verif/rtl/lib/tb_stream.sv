// SPDX-License-Identifier: Apache-2.0
// All stream modules behind one set of ports: select_i names the design under test, the others stay in reset.
//
// Up to four streams of 16 bits go in and up to four come out. C++ (stream_test.cpp) has a table of the designs with
// the same numbers.
module tb_stream (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [4:0]  select_i,

  input  logic [3:0]  in_valid_i,
  output logic [3:0]  in_ready_o,
  input  logic [63:0] in_data_i,

  output logic [3:0]  out_valid_o,
  input  logic [3:0]  out_ready_i,
  output logic [63:0] out_data_o,
  output logic [1:0]  index_o       // arbiters: the input that is served
);

  localparam int unsigned Designs = 21;

  // Row d belongs to design d.
  logic [3:0]  in_ready  [Designs];
  logic [3:0]  out_valid [Designs];
  logic [63:0] out_data  [Designs];
  logic [1:0]  index     [Designs];

  logic [Designs-1:0] rst_n;

  always_comb begin
    for (int unsigned d = 0; d < Designs; d++) rst_n[d] = rst_ni && select_i == 5'(d);
    in_ready_o  = in_ready[select_i];
    out_valid_o = out_valid[select_i];
    out_data_o  = out_data[select_i];
    index_o     = index[select_i];
  end

  for (genvar d = 0; d < 8; d++) begin : g_fifo
    localparam int unsigned Depth = d / 2 == 0 ? 1 : d / 2 == 1 ? 2 : d / 2 == 2 ? 3 : 8;
    assign in_ready[d][3:1]   = '0;
    assign out_valid[d][3:1]  = '0;
    assign out_data[d][63:16] = '0;
    assign index[d]           = '0;
    stream_fifo #(
      .Width      (16),
      .Depth      (Depth),
      .FallThrough(d % 2 == 1)
    ) u_fifo (
      .clk_i,
      .rst_ni     (rst_n[d]),
      .in_valid_i (in_valid_i[0]),
      .in_ready_o (in_ready[d][0]),
      .in_data_i  (in_data_i[15:0]),
      .out_valid_o(out_valid[d][0]),
      .out_ready_i(out_ready_i[0]),
      .out_data_o (out_data[d][15:0])
    );
  end

  assign in_ready[8][3:1]   = '0;
  assign out_valid[8][3:1]  = '0;
  assign out_data[8][63:16] = '0;
  assign index[8]           = '0;
  stream_spill #(
    .Width(16)
  ) u_spill (
    .clk_i,
    .rst_ni     (rst_n[8]),
    .in_valid_i (in_valid_i[0]),
    .in_ready_o (in_ready[8][0]),
    .in_data_i  (in_data_i[15:0]),
    .out_valid_o(out_valid[8][0]),
    .out_ready_i(out_ready_i[0]),
    .out_data_o (out_data[8][15:0])
  );

  assign in_ready[9][3:1]   = '0;
  assign out_valid[9][3:1]  = '0;
  assign out_data[9][63:16] = '0;
  assign index[9]           = '0;
  stream_delayer #(
    .Width(16)
  ) u_delayer (
    .clk_i,
    .rst_ni     (rst_n[9]),
    .in_valid_i (in_valid_i[0]),
    .in_ready_o (in_ready[9][0]),
    .in_data_i  (in_data_i[15:0]),
    .out_valid_o(out_valid[9][0]),
    .out_ready_i(out_ready_i[0]),
    .out_data_o (out_data[9][15:0])
  );

  for (genvar n = 1; n <= 4; n++) begin : g_arbiter
    localparam int unsigned IndexWidth = n > 1 ? $clog2(n) : 1;
    if (n < 4) assign in_ready[9+n][3:n] = '0;
    if (n < 3) assign index[9+n][1] = 1'b0;
    assign out_valid[9+n][3:1]  = '0;
    assign out_data[9+n][63:16] = '0;
    stream_arbiter #(
      .N    (n),
      .Width(16)
    ) u_arbiter (
      .clk_i,
      .rst_ni     (rst_n[9+n]),
      .in_valid_i (in_valid_i[n-1:0]),
      .in_ready_o (in_ready[9+n][n-1:0]),
      .in_data_i  (in_data_i[16*n-1:0]),
      .out_valid_o(out_valid[9+n][0]),
      .out_ready_i(out_ready_i[0]),
      .out_data_o (out_data[9+n][15:0]),
      .out_index_o(index[9+n][IndexWidth-1:0])
    );
  end

  // Two forks and two joins, of 2 and of 4.
  for (genvar k = 0; k < 2; k++) begin : g_fork_join
    localparam int unsigned N = 2 + 2 * k;
    assign in_ready[14+k][3:1] = '0;
    assign out_data[14+k]      = {4{in_data_i[15:0]}};
    assign index[14+k]         = '0;
    if (N < 4) assign out_valid[14+k][3:N] = '0;
    stream_fork #(
      .N(N)
    ) u_fork (
      .clk_i,
      .rst_ni     (rst_n[14+k]),
      .in_valid_i (in_valid_i[0]),
      .in_ready_o (in_ready[14+k][0]),
      .out_valid_o(out_valid[14+k][N-1:0]),
      .out_ready_i(out_ready_i[N-1:0])
    );

    if (N < 4) assign in_ready[16+k][3:N] = '0;
    assign out_valid[16+k][3:1] = '0;
    assign out_data[16+k]       = in_data_i;
    assign index[16+k]          = '0;
    stream_join #(
      .N(N)
    ) u_join (
      .in_valid_i (in_valid_i[N-1:0]),
      .in_ready_o (in_ready[16+k][N-1:0]),
      .out_valid_o(out_valid[16+k][0]),
      .out_ready_i(out_ready_i[0])
    );
  end

  // The lowest bits of the payload select the output.
  assign in_ready[18][3:1] = '0;
  assign out_data[18]      = {4{in_data_i[15:0]}};
  assign index[18]         = '0;
  stream_demux #(
    .N(4)
  ) u_demux (
    .sel_i      (in_data_i[1:0]),
    .in_valid_i (in_valid_i[0]),
    .in_ready_o (in_ready[18][0]),
    .out_valid_o(out_valid[18]),
    .out_ready_i
  );

  tb_stream_net u_net (
    .clk_i,
    .rst_ni     (rst_n[19]),
    .in_valid_i (in_valid_i[0]),
    .in_ready_o (in_ready[19][0]),
    .in_data_i  (in_data_i[15:0]),
    .out_valid_o(out_valid[19][0]),
    .out_ready_i(out_ready_i[0]),
    .out_data_o (out_data[19][31:0])
  );
  assign in_ready[19][3:1]   = '0;
  assign out_valid[19][3:1]  = '0;
  assign out_data[19][63:32] = '0;
  assign index[19]           = '0;

  // The credit counter in front of a queue that has no ready: nothing may be lost.
  logic       credit_avail, credit_fifo_ready;
  logic [1:0] credit_count;

  assign in_ready[20]        = {3'b0, credit_avail};
  assign out_valid[20][3:1]  = '0;
  assign out_data[20][63:16] = '0;
  assign index[20]           = credit_count;
  credit_counter #(
    .Credits(3)
  ) u_credits (
    .clk_i,
    .rst_ni (rst_n[20]),
    .take_i (in_valid_i[0] && credit_avail),
    .give_i (out_valid[20][0] && out_ready_i[0]),
    .avail_o(credit_avail),
    .count_o(credit_count)
  );
  stream_fifo #(
    .Width(16),
    .Depth(3)
  ) u_credit_fifo (
    .clk_i,
    .rst_ni     (rst_n[20]),
    .in_valid_i (in_valid_i[0] && credit_avail),
    .in_ready_o (credit_fifo_ready),
    .in_data_i  (in_data_i[15:0]),
    .out_valid_o(out_valid[20][0]),
    .out_ready_i(out_ready_i[0]),
    .out_data_o (out_data[20][15:0])
  );

  always_ff @(posedge clk_i) begin
    if (rst_n[20]) begin
      assert (!credit_avail || credit_fifo_ready) else $error("a credit without a place");
    end
  end

endmodule
