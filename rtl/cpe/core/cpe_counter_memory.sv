// SPDX-License-Identifier: Apache-2.0
// The counters of the small core. In every cycle one of them counts, for an instruction or a reason to wait: so they are in one memory
// with one adder. Cycles, and the upper half of the instructions, have registers.
//
// value_o is counter select_i, or the upper half of one of the first two, without what this cycle counts.
// After reset the memory is cleared, in 17 cycles, in which only waiting for code may be counted; value_o may be anything meanwhile.
module cpe_counter_memory (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   cycle_i,   // one more
  input  logic                   count_i,   // this one:
  input  cpe_core_pkg::counter_t reason_i,
  input  cpe_core_pkg::counter_t select_i,
  input  logic                   upper_i,
  output logic [31:0]            value_o
);

  logic [31:0]            mem_q [16];
  logic [63:0]            cycles_q;
  logic [31:0]            retired_upper_q, was, sum;
  logic [4:0]             clear_q;   // the next one to be cleared; 16: those are all
  logic                   ready_q;
  cpe_core_pkg::counter_t at;
  logic                   carry;

  // At the end of clearing all cycles so far have been waiting for code.
  always_comb begin
    was = '0;
    at     = clear_q[3:0];
    if (ready_q) begin
      was = mem_q[reason_i];
      at     = reason_i;
    end else if (clear_q[4]) begin
      was = cycles_q[31:0];
      at     = cpe_core_pkg::CountCode;
    end
  end

  assign {carry, sum} = {1'b0, was} + 33'(count_i && clear_q[4]);

  always_ff @(posedge clk_i) begin
    mem_q[at] <= sum;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      cycles_q        <= '0;
      retired_upper_q <= '0;
      clear_q         <= '0;
      ready_q         <= 1'b0;
    end else begin
      cycles_q <= cycles_q + 64'(cycle_i);
      if (at == cpe_core_pkg::CountRetired) retired_upper_q <= retired_upper_q + 32'(carry);
      clear_q <= clear_q + 5'(!clear_q[4]);
      ready_q <= clear_q[4];
    end
  end

  always_comb begin
    if (select_i == cpe_core_pkg::CountCycles) value_o = upper_i ? cycles_q[63:32] : cycles_q[31:0];
    else value_o = upper_i ? retired_upper_q : mem_q[select_i];
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (ready_q || !count_i || (cycle_i && reason_i == cpe_core_pkg::CountCode)) else $error("counter %0d counts too early", reason_i);
    end
  end
`endif

endmodule
