// SPDX-License-Identifier: Apache-2.0
// The way back: data of reads and answers to everything else, in turns, one response per cycle.
//
// Data cannot wait when it comes from the memory: who starts a read takes a place first (read_room_o, read_start_i).
// Cuts: everything; responses come from registers. Reads are answered two cycles after their data came.
module hbm_return #(
  parameter int unsigned Reads = 32,  // places, a power of two
  parameter int unsigned Acks  = 8
) (
  input  logic          clk_i,
  input  logic          rst_ni,

  output logic          read_room_o,
  input  logic          read_start_i,
  input  logic          data_valid_i,
  input  logic [2:0]    data_source_i,
  input  logic [7:0]    data_tag_i,
  input  logic          data_poison_i,
  input  logic [511:0]  data_i,

  input  logic          ack_valid_i,
  output logic          ack_ready_o,
  input  logic [2:0]    ack_source_i,
  input  logic [7:0]    ack_tag_i,
  input  logic [1:0]    ack_status_i,
  input  logic          ack_sc_i,
  input  logic          ack_word_i,
  input  logic          ack_fail_i,

  output logic          rsp_valid_o,
  input  logic          rsp_ready_i,
  output noc_pkg::rsp_t rsp_o,
  output logic          busy_o
);

  localparam int unsigned PtrWidth = $clog2(Reads);

  logic [PtrWidth-1:0] write_q, read_q;
  logic [PtrWidth:0]   taken_q;   // places, also of data still to come
  logic [PtrWidth:0]   filled_q;  // places
  logic [10:0]         who_q [Reads];
  logic                poison_q [Reads];

  logic                valid_q, read_kind_q, sc_q, word_q, fail_q, turn_q;
  logic [10:0]         rsp_who_q;
  noc_pkg::status_t    status_q;
  logic                free, read_next, ack_next, ack_valid;
  logic [15:0]         ack;
  logic [511:0]        data;

  assign read_room_o = taken_q != (PtrWidth + 1)'(Reads);
  assign busy_o      = taken_q != '0 || ack_valid || valid_q;

  stream_fifo #(
    .Width(16),
    .Depth(Acks)
  ) u_acks (
    .clk_i,
    .rst_ni,
    .in_valid_i (ack_valid_i),
    .in_ready_o (ack_ready_o),
    .in_data_i  ({ack_source_i, ack_tag_i, ack_status_i, ack_sc_i, ack_word_i, ack_fail_i}),
    .out_valid_o(ack_valid),
    .out_ready_i(ack_next),
    .out_data_o (ack)
  );

  // Whose turn it is when both wait.
  assign free      = !valid_q || rsp_ready_i;
  assign read_next = free && filled_q != '0 && !(ack_valid && turn_q);
  assign ack_next  = free && ack_valid && !read_next;

  ram_1r1w #(
    .Depth(Reads),
    .Width(512)
  ) u_data (
    .clk_i,
    .we_i(data_valid_i),
    .waddr_i(write_q),
    .wdata_i(data_i),
    .re_i   (read_next),
    .raddr_i(read_q),
    .rdata_o(data)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q  <= '0;
      read_q   <= '0;
      taken_q  <= '0;
      filled_q <= '0;
      valid_q  <= 1'b0;
      turn_q   <= 1'b0;
    end else begin
      if (data_valid_i) write_q <= write_q + 1'b1;
      if (read_next) read_q <= read_q + 1'b1;
      if (data_valid_i != read_next) filled_q <= read_next ? filled_q - 1'b1 : filled_q + 1'b1;
      if (read_start_i != read_next) taken_q <= read_next ? taken_q - 1'b1 : taken_q + 1'b1;
      if (free) valid_q <= read_next || ack_next;
      if (read_next || ack_next) turn_q <= read_next;
    end
  end

  always_ff @(posedge clk_i) begin
    if (data_valid_i) begin
      who_q[write_q]    <= {data_source_i, data_tag_i};
      poison_q[write_q] <= data_poison_i;
    end
    if (read_next) begin
      rsp_who_q   <= who_q[read_q];
      status_q    <= poison_q[read_q] ? noc_pkg::StatusPoison : noc_pkg::StatusOk;
      read_kind_q <= 1'b1;
    end
    if (ack_next) begin
      rsp_who_q   <= ack[15:5];
      status_q    <= ack[4:3];
      sc_q        <= ack[2];
      word_q      <= ack[1];
      fail_q      <= ack[0];
      read_kind_q <= 1'b0;
    end
  end

  assign rsp_valid_o = valid_q;
  always_comb begin
    rsp_o.dest   = rsp_who_q[10:8];
    rsp_o.tag    = rsp_who_q[7:0];
    rsp_o.status = status_q;
    rsp_o.data   = data;
    // The answer of an SC, in all lanes.
    if (!read_kind_q && sc_q) rsp_o.data = {8{31'b0, word_q && fail_q, 31'b0, fail_q}};
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!(data_valid_i && filled_q == (PtrWidth + 1)'(Reads))) else $error("data without a place");
      assert (!(read_start_i && !read_room_o)) else $error("a read without a place for its data");
    end
  end
`endif

endmodule
