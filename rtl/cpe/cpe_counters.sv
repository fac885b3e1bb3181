// The counters of a CPE: those of its core (0 to 10), and of its engines (11 to 15). docs/cpe-core.md lists them.
//
// Events come in cycles that are for this CPE (awake_i); an edge that only others need counts nothing. The access port alone
// shows the engines' counters: there are no CSRs for them.
module cpe_counters (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        awake_i,
  input  logic        dma_busy_i,
  input  logic        dma_line_i,       // an answer to a request of the DMA engine, without a fault
  input  logic        row_sent_i,       // words
  input  logic        row_received_i,
  input  logic        column_sent_i,
  input  logic        column_received_i,
  input  logic        conflict_i,       // somebody waits for local memory
  input  logic [3:0]  select_i,
  input  logic [31:0] core_i,           // what the core has by this number
  output logic [31:0] counter_o
);

  logic [31:0] dma_busy_q, dma_lines_q, row_q, column_q, conflict_q;

  // Mostly nothing happens.
  logic event_any;
  assign event_any = dma_busy_i || dma_line_i || row_sent_i || row_received_i || column_sent_i || column_received_i || conflict_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      dma_busy_q  <= '0;
      dma_lines_q <= '0;
      row_q       <= '0;
      column_q    <= '0;
      conflict_q  <= '0;
    end else if (event_any && awake_i) begin
      if (dma_busy_i) dma_busy_q <= dma_busy_q + 32'd1;
      if (dma_line_i) dma_lines_q <= dma_lines_q + 32'd1;
      if (row_sent_i || row_received_i) row_q <= row_q + 32'(row_sent_i) + 32'(row_received_i);
      if (column_sent_i || column_received_i) column_q <= column_q + 32'(column_sent_i) + 32'(column_received_i);
      if (conflict_i) conflict_q <= conflict_q + 32'd1;
    end
  end

  assign counter_o = select_i == 4'd11 ? dma_busy_q :
                     select_i == 4'd12 ? dma_lines_q :
                     select_i == 4'd13 ? row_q :
                     select_i == 4'd14 ? column_q :
                     select_i == 4'd15 ? conflict_q : core_i;

endmodule
