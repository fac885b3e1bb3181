// A reset that starts at once and ends with the clock.
//
// rst_no falls with rst_ni, without a clock, and rises at the second rising edge of clk_i after rst_ni rose, so that all
// flip-flops of the domain leave reset in the same cycle.
module reset_sync (
  input  logic clk_i,
  input  logic rst_ni,
  output logic rst_no
);

  logic first_q, second_q;

  assign rst_no = second_q;

`ifndef SYNTHESIS
  // For simulators asynchronous resets act by their edge: at power-on, too, there has to be one.
  initial second_q = 1'b1;
`endif

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      first_q  <= 1'b0;
      second_q <= 1'b0;
    end else begin
      first_q  <= 1'b1;
      second_q <= first_q;
    end
  end

endmodule
