// SPDX-License-Identifier: Apache-2.0
// Lines on their way into the instruction cache: those that fetch misses, and the two behind the one that it is at, once it has
// missed one of a page.
//
// Fetch says where it is. If the cache lacks that line, it is asked for unless it is on its way. In a cycle in which fetch has
// no use for the cache, the tags may be read for a line ahead (look_o), and are compared with it in the next one (looked_o);
// it is asked for if it is not there. A line ahead that cannot be had is a fault for nobody: fetch asks again if it gets there.
//
// Lines come in the order in which they were asked for. One that was asked for before an invalidation is not written.
module mpe_refill (
    input  logic         clk_i,
    input  logic         rst_ni,
    input  logic         invalidate_i,

    input  logic         valid_i,      // fetch is at this line
    input  logic [39:6]  line_i,
    input  logic         hit_i,        // the cache has it; or, if looked_o, the line ahead
    input  logic [1:0]   victim_i,     // of the set that was read

    input  logic         spare_i,      // look_o is allowed
    output logic         look_o,
    output logic [39:6]  ahead_o,
    output logic         looked_o,     // valid_i is low

    output logic         refill_valid_o,
    input  logic         refill_ready_i,
    output logic [39:0]  refill_addr_o,
    input  logic         refill_rsp_i,
    input  logic         refill_err_i,

    output logic         write_o,      // into the cache, in the cycle of the response
    output logic [39:6]  line_o,
    output logic [1:0]   way_o,
    output logic         done_o,       // a line that fetch has missed is answered
    output logic         idle_o,
    output logic         ev_miss_o
);

  localparam int unsigned DepthBits = 2;
  localparam int unsigned Depth = 2 ** DepthBits;
  localparam int unsigned Ahead = 2;

  logic [39:6]           line_q [Depth];
  logic [1:0]            way_q  [Depth];
  logic [Depth-1:0]      used_q, unsent_q, missed_q, dropped_q;
  logic [DepthBits-1:0]  head_q, sent_q, tail_q;   // the next answer, the next request, the next line
  logic                  ahead_valid_q, looked_q;
  logic [39:6]           ahead_q;

  logic [39:6]  wanted;
  logic         on_its_way, full, push, sent;
  assign wanted = looked_q ? ahead_q : line_i;
  assign full   = &used_q;
  assign push   = (looked_q || valid_i) && !hit_i && !on_its_way && !full;
  assign sent   = refill_valid_o && refill_ready_i;

  always_comb begin
    on_its_way = 1'b0;
    for (int i = 0; i < Depth; i++) if (used_q[i] && line_q[i] == wanted) on_its_way = 1'b1;
  end

  // ---------------------------------------------------------------- ahead
  logic [11:6] distance;
  assign distance = ahead_q[11:6] - line_i[11:6];
  assign look_o   = spare_i && valid_i && ahead_valid_q && ahead_q[39:12] == line_i[39:12] && distance != '0 &&
                    distance <= 6'(Ahead) && !full && !push;
  assign ahead_o  = ahead_q;
  assign looked_o = looked_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      ahead_valid_q <= 1'b0;
      looked_q      <= 1'b0;
    end else begin
      looked_q <= look_o;
      if (invalidate_i) ahead_valid_q <= 1'b0;
      else if (push && !looked_q) ahead_valid_q <= line_i[11:6] != '1;
      else if (looked_q && ahead_q[11:6] == '1) ahead_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) if (push || looked_q) ahead_q <= {wanted[39:12], wanted[11:6] + 6'd1};

  // ---------------------------------------------------------------- on their way
  assign refill_valid_o = unsent_q[sent_q];
  assign refill_addr_o  = {line_q[sent_q], 6'b0};
  assign line_o         = line_q[head_q];
  assign way_o          = way_q[head_q];
  assign write_o        = refill_rsp_i && !refill_err_i && !dropped_q[head_q] && !invalidate_i;
  assign done_o         = refill_rsp_i && missed_q[head_q];
  assign idle_o         = used_q == '0;
  assign ev_miss_o      = sent && missed_q[sent_q];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      used_q   <= '0;
      unsent_q <= '0;
      head_q   <= '0;
      sent_q   <= '0;
      tail_q   <= '0;
    end else begin
      if (refill_rsp_i) begin
        used_q[head_q] <= 1'b0;
        head_q         <= head_q + 1'b1;
      end
      if (sent) begin
        unsent_q[sent_q] <= 1'b0;
        sent_q           <= sent_q + 1'b1;
      end
      if (push) begin
        used_q[tail_q]   <= 1'b1;
        unsent_q[tail_q] <= 1'b1;
        tail_q           <= tail_q + 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (push) begin
      line_q[tail_q]    <= wanted;
      way_q[tail_q]     <= victim_i;
      missed_q[tail_q]  <= !looked_q;
      dropped_q[tail_q] <= 1'b0;
    end
    if (invalidate_i) dropped_q <= '1;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!(looked_q && valid_i)) else $error("fetch is at a line whose tags were not read");
      assert (!refill_rsp_i || (used_q[head_q] && !unsent_q[head_q])) else $error("answer to a line that was not asked for");
    end
  end
`endif

endmodule
