// SPDX-License-Identifier: Apache-2.0
// The counters of a CPE: those of its core (0 to 10), and of its engines (11 to 22). docs/hardware/cpe-core.md lists them.
//
// Events come in cycles that are for this CPE (awake_i); an edge that only others need counts nothing. The access port alone
// shows the engines' counters: there are no CSRs for them.
module cpe_counters (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        awake_i,
  input  logic        movers_busy_i,    // without it no event of DMA engine and channels
  input  logic        dma_busy_i,
  input  logic        dma_line_i,       // an answer to a request of the DMA engine, without a fault
  input  logic        row_sent_i,       // words
  input  logic        row_received_i,
  input  logic        column_sent_i,
  input  logic        column_received_i,
  input  logic        conflict_i,       // somebody waits for local memory
  // Systolic unit: a row enters the array; or waits for weights, activations, the drain. Vector unit: a group of 8 elements is
  // through; or operands, or room for results, are waited for.
  input  logic        units_awake_i,    // without it no event of the two units
  input  logic        systolic_row_i,
  input  logic [2:0]  systolic_wait_i,
  input  logic        vector_group_i,
  input  logic [1:0]  vector_wait_i,
  input  logic [4:0]  select_i,
  input  logic [31:0] core_i,           // what the core has by this number
  output logic [31:0] counter_o
);

  // Mostly nothing happens.
  logic [31:0] dma_busy_q, dma_lines_q, row_q, column_q, conflict_q;
  logic [31:0] rows_q, weights_q, activations_q, drain_q, groups_q, operands_q, stores_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      dma_busy_q  <= '0;
      dma_lines_q <= '0;
      row_q       <= '0;
      column_q    <= '0;
      conflict_q  <= '0;
    end else if ((movers_busy_i || conflict_i) && awake_i) begin
      if (dma_busy_i) dma_busy_q <= dma_busy_q + 32'd1;
      if (dma_line_i) dma_lines_q <= dma_lines_q + 32'd1;
      if (row_sent_i || row_received_i) row_q <= row_q + 32'(row_sent_i) + 32'(row_received_i);
      if (column_sent_i || column_received_i) column_q <= column_q + 32'(column_sent_i) + 32'(column_received_i);
      if (conflict_i) conflict_q <= conflict_q + 32'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      rows_q        <= '0;
      weights_q     <= '0;
      activations_q <= '0;
      drain_q       <= '0;
      groups_q      <= '0;
      operands_q    <= '0;
      stores_q      <= '0;
    end else if (units_awake_i && awake_i) begin
      if (systolic_row_i) rows_q <= rows_q + 32'd1;
      if (systolic_wait_i != '0) begin
        if (systolic_wait_i[0]) weights_q <= weights_q + 32'd1;
        if (systolic_wait_i[1]) activations_q <= activations_q + 32'd1;
        if (systolic_wait_i[2]) drain_q <= drain_q + 32'd1;
      end
      if (vector_group_i) groups_q <= groups_q + 32'd1;
      if (vector_wait_i != '0) begin
        if (vector_wait_i[0]) operands_q <= operands_q + 32'd1;
        if (vector_wait_i[1]) stores_q <= stores_q + 32'd1;
      end
    end
  end

  always_comb begin
    counter_o = '0;
    if (select_i != '1) begin
      case (select_i)
        5'd11:   counter_o = dma_busy_q;
        5'd12:   counter_o = dma_lines_q;
        5'd13:   counter_o = row_q;
        5'd14:   counter_o = column_q;
        5'd15:   counter_o = conflict_q;
        5'd16:   counter_o = rows_q;
        5'd17:   counter_o = weights_q;
        5'd18:   counter_o = activations_q;
        5'd19:   counter_o = drain_q;
        5'd20:   counter_o = groups_q;
        5'd21:   counter_o = operands_q;
        5'd22:   counter_o = stores_q;
        default: counter_o = core_i;
      endcase
    end
  end

endmodule
