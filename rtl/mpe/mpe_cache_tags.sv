// SPDX-License-Identifier: Apache-2.0
// Tags, valid bits and replacement state of a 4-way cache.
//
// A set is read in one cycle and compared with tag_i in the next; the comparison stays until the next read. A cycle either
// reads or fills.
// The victim is an empty way if there is one, else the one that a binary tree says was not used lately.
module mpe_cache_tags #(
    parameter int unsigned SetBits = 6,
    parameter int unsigned TagBits = 28
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,

    input  logic                     read_i,
    input  logic [SetBits-1:0]       set_i,
    input  logic [TagBits-1:0]       tag_i,
    output logic                     hit_o,
    output logic [1:0]               hit_way_o,
    output logic [1:0]               victim_o,
    output logic [3:0]               valid_o,
    output logic [3:0][TagBits-1:0]  tags_o,
    input  logic                     touch_i,       // hit_way_o of the compared set is being used

    input  logic                     fill_i,
    input  logic                     drop_i,
    input  logic [SetBits-1:0]       update_set_i,  // of fill and drop
    input  logic [1:0]               update_way_i,
    input  logic [TagBits-1:0]       fill_tag_i,
    input  logic                     drop_all_i
);

  localparam int unsigned Sets = 2 ** SetBits;

  logic [3:0]          valid_q [Sets];
  logic [2:0]          tree_q  [Sets];  // {right pair, left pair, which pair}: each bit points away from the last use
  logic [SetBits-1:0]  set_q;

  for (genvar w = 0; w < 4; w++) begin : gen_way
    ram_1rw #(
        .Depth     (Sets),
        .Width     (TagBits),
        .LaneWidth (TagBits)
    ) u_ram (
        .clk_i,
        .en_i    (read_i || (fill_i && update_way_i == 2'(w))),
        .we_i    (fill_i),
        .addr_i  (fill_i ? update_set_i : set_i),
        .strb_i  (1'b1),
        .wdata_i (fill_tag_i),
        .rdata_o (tags_o[w])
    );
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) set_q <= '0;
    else if (read_i) set_q <= set_i;
  end

  assign valid_o = valid_q[set_q];

  logic [2:0] tree;
  assign tree = tree_q[set_q];

  always_comb begin
    hit_o     = 1'b0;
    hit_way_o = 2'd0;
    for (int w = 0; w < 4; w++) begin
      if (valid_o[w] && tags_o[w] == tag_i) begin
        hit_o     = 1'b1;
        hit_way_o = 2'(w);
      end
    end
    victim_o = tree[0] ? {1'b1, tree[2]} : {1'b0, tree[1]};
    for (int w = 0; w < 4; w++) if (!valid_o[w]) victim_o = 2'(w);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      for (int unsigned s = 0; s < Sets; s++) begin
        valid_q[s] <= '0;
        tree_q[s]  <= '0;
      end
    end else begin
      if (drop_all_i) begin
        for (int unsigned s = 0; s < Sets; s++) valid_q[s] <= '0;
      end else begin
        if (fill_i) valid_q[update_set_i][update_way_i] <= 1'b1;
        if (drop_i) valid_q[update_set_i][update_way_i] <= 1'b0;
      end
      if (touch_i) begin
        tree_q[set_q][0] <= !hit_way_o[1];
        if (hit_way_o[1]) tree_q[set_q][2] <= !hit_way_o[0];
        else tree_q[set_q][1] <= !hit_way_o[0];
      end
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!(fill_i && drop_i)) else $error("fill and drop at once");
      assert (!(fill_i && read_i)) else $error("fill and read at once");
    end
  end
`endif

endmodule
