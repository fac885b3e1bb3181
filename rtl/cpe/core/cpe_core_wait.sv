// SPDX-License-Identifier: Apache-2.0
// When the scalar core needs its clock: always but while it waits for an engine that has not taken its command, and nothing else
// happens. Meanwhile nothing in the core would change, nor in what hangs on its clock (cpe); its counters get the cycles afterwards.
module cpe_core_wait (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       awake_i,    // the coming edge counts
  input  logic       waiting_i,  // the core has offered a command for a cycle or more
  input  logic       ready_i,    // it is taken now
  input  logic       wake_i,     // something comes that the core, or what is with it, has to look at
  output logic       en_o,       // the core needs the coming edge
  output logic       awake_o,    // which counts; low without en_o
  output logic [7:0] waited_o    // and so many before it; 0 without en_o
);

  logic [7:0] waited_q;

  always_comb begin
    en_o     = 1'b1;
    awake_o  = awake_i;
    waited_o = '0;
    if (waiting_i) begin
      en_o     = ready_i || wake_i || waited_q == '1;
      awake_o  = awake_i && en_o;
      waited_o = en_o ? waited_q : '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      waited_q <= '0;
    end else if (waiting_i) begin
      if (en_o) waited_q <= '0;
      else if (awake_i) waited_q <= waited_q + 8'd1;
    end
  end

endmodule
