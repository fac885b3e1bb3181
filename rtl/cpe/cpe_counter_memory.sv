// Counters of 32 bits in one memory, with one adder for all: what counts gathers in a few bits of its own until its turn comes, when it is
// added to the memory.
//
// count_i: by how much each one counts in this cycle, 0 to 2. ask_i: value_o is counter select_i without what this cycle counts.
// at_o, carry_o: the counter at_o went beyond its 32 bits.
// Illegal: to ask in more than two cycles of three for long, as nobody's turn comes meanwhile.
module cpe_counter_memory #(
  parameter int unsigned Counters = 16  // up to 16
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic [2*Counters-1:0] count_i,
  input  logic                  ask_i,
  input  logic [3:0]            select_i,
  output logic [31:0]           value_o,
  output logic [3:0]            at_o,
  output logic                  carry_o
);

  localparam int unsigned Width = 7;  // 16 turns, three times as long, of 2

  logic [31:0]      mem_q [16];
  logic [15:0]      begun_q;          // else the memory has anything
  logic [3:0]       turn_q;
  logic [Width-1:0] gathered_q [Counters];
  logic [Width-1:0] gathered;

  assign at_o     = ask_i ? select_i : turn_q;
  assign gathered = 32'(at_o) < Counters ? gathered_q[at_o] : '0;

  assign {carry_o, value_o} = {1'b0, begun_q[at_o] ? mem_q[at_o] : 32'd0} + {{33 - Width{1'b0}}, gathered};

  always_ff @(posedge clk_i) begin
    mem_q[at_o] <= value_o;
  end

  always_ff @(posedge clk_i) begin
    begun_q[at_o] <= 1'b1;
    if (!ask_i) turn_q <= turn_q + 4'd1;
    for (int unsigned i = 0; i < Counters; i++) begin
      gathered_q[i] <= (at_o == 4'(i) ? '0 : gathered_q[i]) + Width'(count_i[2*i +: 2]);
    end
    if (!rst_ni) begin
      begun_q <= '0;
      turn_q  <= '0;
      for (int unsigned i = 0; i < Counters; i++) gathered_q[i] <= '0;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Counters; i++) begin
      assert (!rst_ni || gathered_q[i][Width-1:1] != '1) else $error("counter %0d waits for its turn for too long", i);
    end
  end
`endif

endmodule
