// SPDX-License-Identifier: Apache-2.0
// A register slice: ends long paths in both directions.
//
// Cuts: valid, payload and ready; every output comes from a register.
// Orders: first in, first out (two places).
// Latency: one cycle; one transfer per cycle.
module stream_spill #(
  parameter int unsigned Width = 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             in_valid_i,
  output logic             in_ready_o,
  input  logic [Width-1:0] in_data_i,

  output logic             out_valid_o,
  input  logic             out_ready_i,
  output logic [Width-1:0] out_data_o
);

  // The spill place holds what came in the cycle in which the consumer stopped, before the producer could know.
  logic             out_valid_q, spill_valid_q;
  logic [Width-1:0] out_data_q, spill_data_q;
  logic             take, stalled;

  assign in_ready_o  = !spill_valid_q;
  assign out_valid_o = out_valid_q;
  assign out_data_o  = out_data_q;
  assign take        = in_valid_i && in_ready_o;
  assign stalled     = out_valid_q && !out_ready_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      out_valid_q   <= 1'b0;
      spill_valid_q <= 1'b0;
    end else if (stalled) begin
      spill_valid_q <= spill_valid_q || in_valid_i;
    end else begin
      out_valid_q   <= spill_valid_q || in_valid_i;
      spill_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!stalled) begin
      if (spill_valid_q) out_data_q <= spill_data_q;
      else if (take) out_data_q <= in_data_i;
    end
    if (stalled && take) spill_data_q <= in_data_i;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!spill_valid_q || out_valid_q) else $error("an item was spilled with nothing in front of it");
    end
  end
`endif

endmodule
