// SPDX-License-Identifier: Apache-2.0
// Tells C++ (events.cpp) what a CPE of the card does, whenever that changes: bound into rtl/cpe/cpe.sv beside cpe_activity. Cards whose
// CPEs are models of their own have array.cpp of sim/seam in its place.
module cpe_trace (
  input  logic            clk_i,
  input  logic            trace_i,
  input  logic [9:0]      activity_i,
  input  logic [15*32-1:0] counts_i
);

  import "DPI-C" function void swai_card_activity(input int unsigned cpe, input int unsigned activity, input bit [15*32-1:0] counts);

  localparam logic [9:0] Idle = 10'd1;

  logic [9:0] told_q;
  logic       on_q;
  initial begin
    told_q = Idle;
    on_q   = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (trace_i) begin
      on_q <= 1'b1;
      if (activity_i != told_q) begin
        swai_card_activity(32 * 32'(cpe.id_i.group) + 32'(cpe.id_i.row) * cpe.Columns + 32'(cpe.id_i.column), 32'(activity_i), counts_i);
        told_q <= activity_i;
      end
    end else if (on_q) begin
      on_q   <= 1'b0;
      told_q <= Idle;
    end
  end

endmodule

bind cpe cpe_trace u_trace (
  .clk_i     (card_top.clk_i),
  .trace_i   (card_top.trace_i),
  .activity_i(u_activity.activity_o),
  .counts_i  (u_activity.counts_o)
);
