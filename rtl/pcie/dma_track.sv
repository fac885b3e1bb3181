// SPDX-License-Identifier: Apache-2.0
// Knows when a descriptor's data is where it belongs: as many chunks finished as handed over, as many lines answered by the
// ring as written to it. Each count has one source of events; only their equality matters, so that they need no start.
module dma_track (
  input  logic       clk_i,
  input  logic       rst_ni,

  input  logic       issued_i,         // a chunk, of either direction
  input  logic [4:0] issued_slot_i,
  input  logic       in_finished_i,    // all lines of a chunk have been given to the ring
  input  logic [4:0] in_slot_i,
  input  logic       line_i,           // a line of the same chunk is given to the ring
  input  logic       answered_i,
  input  logic [4:0] answered_slot_i,
  input  logic       out_finished_i,   // a chunk has gone out as a packet
  input  logic [4:0] out_slot_i,
  input  logic [7:0] clear_i,          // channels that forget

  input  logic [4:0] slot_i,
  output logic       done_o
);

  localparam int unsigned N = dma_pkg::Channels * dma_pkg::Slots;

  // At most 16 reads, each of nine lines, or 32 writes are under way for a descriptor.
  logic [7:0] issued_q [N];
  logic [7:0] in_q [N];
  logic [7:0] out_q [N];
  logic [7:0] lines_q [N];
  logic [7:0] answers_q [N];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      for (int i = 0; i < N; i++) begin
        issued_q[i]  <= '0;
        in_q[i]      <= '0;
        out_q[i]     <= '0;
        lines_q[i]   <= '0;
        answers_q[i] <= '0;
      end
    end else begin
      if (issued_i) issued_q[issued_slot_i] <= issued_q[issued_slot_i] + 8'd1;
      if (in_finished_i) in_q[in_slot_i] <= in_q[in_slot_i] + 8'd1;
      if (line_i) lines_q[in_slot_i] <= lines_q[in_slot_i] + 8'd1;
      if (answered_i) answers_q[answered_slot_i] <= answers_q[answered_slot_i] + 8'd1;
      if (out_finished_i) out_q[out_slot_i] <= out_q[out_slot_i] + 8'd1;
      if (clear_i != '0) begin
        for (int i = 0; i < N; i++) begin
          if (clear_i[i/dma_pkg::Slots]) begin
            issued_q[i] <= '0;
            in_q[i]     <= '0;
            out_q[i]    <= '0;
          end
        end
      end
    end
  end

  assign done_o = issued_q[slot_i] == in_q[slot_i] + out_q[slot_i] && lines_q[slot_i] == answers_q[slot_i];

endmodule
