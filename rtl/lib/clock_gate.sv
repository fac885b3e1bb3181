// SPDX-License-Identifier: Apache-2.0
// The clock gate: the one cell that a chip replaces by its library's. Nothing else in the design touches a clock.
//
// clk_o has the high phases of clk_i that follow an edge at which en_i was high before. en_i comes from registers on the
// rising edge of clk_i (or logic behind them) and must be settled by the falling edge: no glitch can reach clk_o. It is
// high while what hangs on clk_o is in reset, which is taken with the clock.
// The gate saves power and simulation time and nothing else: what hangs on clk_o keeps its state by itself in a cycle
// with en_i low. That is why an FPGA, whose fabric has no good place for gates, may leave it open.
module clock_gate (
  input  logic clk_i,
  input  logic en_i,
  output logic clk_o
);

`ifdef SYNTHESIS

  logic unused_en;
  assign unused_en = en_i;
  assign clk_o     = clk_i;

`else

  // A latch, open in the low phase. Nothing is clocked by the falling edge: a simulator has no process to start there.
  logic en_q;
  always_latch if (!clk_i) en_q = en_i;
  assign clk_o = clk_i && en_q;

  always_ff @(posedge clk_i) begin
    assert (en_q == en_i) else $error("the enable changed in the low phase of the clock");
  end

`endif

endmodule
