// SPDX-License-Identifier: Apache-2.0
// Several streams into one, in turns.
//
// Cuts: nothing; valid and payload pass in the same cycle, ready too.
// Orders: the items of one input keep their order. Round robin: a waiting input sees at most N-1 transfers of others.
//   While the output is stalled the choice does not change.
// Input i is bits [i*Width +: Width] of in_data_i; out_index_o names the input whose item is at the output.
// Illegal: an input that withdraws its valid before it was taken.
module stream_arbiter #(
  parameter  int unsigned N          = 2,
  parameter  int unsigned Width      = 8,
  localparam int unsigned IndexWidth = N > 1 ? $clog2(N) : 1
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic [N-1:0]          in_valid_i,
  output logic [N-1:0]          in_ready_o,
  input  logic [N*Width-1:0]    in_data_i,

  output logic                  out_valid_o,
  input  logic                  out_ready_i,
  output logic [Width-1:0]      out_data_o,
  output logic [IndexWidth-1:0] out_index_o
);

  // Inputs that go first: those above the last one served, or from the one that is stalled upwards. As that one
  // stays valid it is the lowest of them, so that this mask is the lock too.
  logic [N-1:0] first_q, first_d;
  logic [N-1:0] candidates, grant, below;

  assign candidates  = |(in_valid_i & first_q) ? in_valid_i & first_q : in_valid_i;
  assign below       = candidates - 1'b1;
  assign grant       = candidates & ~below;
  assign in_ready_o  = out_ready_i ? grant : '0;
  assign out_valid_o = |in_valid_i;

  // grant-1 has the bits below the granted one.
  assign first_d = out_ready_i ? ~((grant - 1'b1) | grant) : ~(grant - 1'b1);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) first_q <= '0;
    else if (out_valid_o) first_q <= first_d;
  end

  always_comb begin
    out_data_o  = '0;
    out_index_o = '0;
    for (int unsigned i = 0; i < N; i++) begin
      if (grant[i]) begin
        out_data_o  = in_data_i[i*Width +: Width];
        out_index_o = IndexWidth'(i);
      end
    end
  end

`ifndef SYNTHESIS
  logic [N-1:0] stalled_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      stalled_q <= '0;
    end else begin
      stalled_q <= in_valid_i & ~in_ready_o;
      assert ((stalled_q & ~in_valid_i) == '0) else $error("an input withdrew its item: %b", stalled_q & ~in_valid_i);
      assert ((grant & (grant - 1'b1)) == '0) else $error("two grants: %b", grant);
    end
  end
`endif

endmodule
