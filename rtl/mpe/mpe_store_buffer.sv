// SPDX-License-Identifier: Apache-2.0
// Stores that hit the data cache, waiting for a cycle in which the cache memory is free. Oldest first.
// Each is a pair of 64-bit words, as far as its strobes say. A look-up overlays a word with what is waiting for it.
module mpe_store_buffer #(
    parameter int unsigned Depth = 4
) (
    input  logic         clk_i,
    input  logic         rst_ni,

    input  logic         push_i,       // not while full_o
    input  logic [39:4]  push_addr_i,
    input  logic [1:0]   push_way_i,
    input  logic [15:0]  push_strb_i,
    input  logic [63:0]  push_low_i,
    input  logic [63:0]  push_high_i,
    output logic         full_o,
    output logic         empty_o,
    output logic [$clog2(Depth):0] count_o,

    input  logic         drain_i,      // the oldest is being written
    output logic [39:4]  drain_addr_o,
    output logic [1:0]   drain_way_o,
    output logic [15:0]  drain_strb_o,
    output logic [63:0]  drain_low_o,
    output logic [63:0]  drain_high_o,

    input  logic [39:3]  lookup_addr_i,
    input  logic [63:0]  lookup_data_i,
    output logic [63:0]  lookup_data_o
);

  localparam int unsigned PtrBits = $clog2(Depth);

  logic [35:0]         addr_q [Depth];
  logic [1:0]          way_q  [Depth];
  logic [15:0]         strb_q [Depth];
  logic [63:0]         low_q  [Depth];
  logic [63:0]         high_q [Depth];
  logic [PtrBits-1:0]  head_q, tail_q;
  logic [PtrBits:0]    count_q;

  assign full_o       = count_q[PtrBits];
  assign empty_o      = count_q == '0;
  assign count_o      = count_q;
  assign drain_addr_o = addr_q[head_q];
  assign drain_way_o  = way_q[head_q];
  assign drain_strb_o = strb_q[head_q];
  assign drain_low_o  = low_q[head_q];
  assign drain_high_o = high_q[head_q];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      head_q  <= '0;
      tail_q  <= '0;
      count_q <= '0;
    end else begin
      if (push_i) tail_q <= tail_q + 1'b1;
      if (drain_i) head_q <= head_q + 1'b1;
      count_q <= count_q + {{PtrBits{1'b0}}, push_i} - {{PtrBits{1'b0}}, drain_i};
    end
  end

  always_ff @(posedge clk_i) begin
    if (push_i) begin
      addr_q[tail_q] <= push_addr_i;
      way_q[tail_q]  <= push_way_i;
      strb_q[tail_q] <= push_strb_i;
      low_q[tail_q]  <= push_low_i;
      high_q[tail_q] <= push_high_i;
    end
  end

  always_comb begin
    logic [PtrBits-1:0] i;
    logic [7:0]         strb;
    logic [63:0]        data;
    i             = head_q;
    strb          = '0;
    data          = '0;
    lookup_data_o = lookup_data_i;
    if (!empty_o) begin
      for (int unsigned n = 0; n < Depth; n++) begin  // old to young
        i = head_q + PtrBits'(n);
        if ((PtrBits+1)'(n) < count_q && addr_q[i] == lookup_addr_i[39:4]) begin
          strb = lookup_addr_i[3] ? strb_q[i][15:8] : strb_q[i][7:0];
          data = lookup_addr_i[3] ? high_q[i] : low_q[i];
          for (int b = 0; b < 8; b++) if (strb[b]) lookup_data_o[8*b+:8] = data[8*b+:8];
        end
      end
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!(push_i && full_o)) else $error("push into a full store buffer");
      assert (!(drain_i && empty_o)) else $error("drain of an empty store buffer");
    end
  end
`endif

endmodule
