// SPDX-License-Identifier: Apache-2.0
// The bus with one receiving half of an engine; all senders, the other receivers, the core and the local memory do whatever they like.
// The assertions in the design do half of the work: nothing arrives that was not asked for, and there is room for it.
module fv_channel (
  input logic clk_i
);

  localparam int unsigned P = 3;

  logic rst_n;
  fv_reset u_reset (.clk_i, .rst_no(rst_n));

  (* anyseq *) logic [P-1:0]   send_valid;
  (* anyseq *) logic [P*8-1:0] send_mask;
  (* anyseq *) logic [P-1:0]   send_data;
  (* anyseq *) logic [P-1:0]   other_ready, other_one;
  (* anyseq *) logic [P*3-1:0] other_source;
  (* anyseq *) logic           push, r_ready;
  (* anyseq *) logic [2:0]     push_source;
  (* anyseq *) logic [11:0]    push_addr;
  (* anyseq *) logic [12:0]    push_beats;

  logic [P-1:0] send_ready, receive_valid;
  logic [0:0]   receive_data, r_wdata;
  logic         space, ready, one, busy, r_valid, received;
  logic [2:0]   source;
  logic [3:0]   open;
  logic [11:0]  r_addr;

  cg_channel #(.Positions(P)) u_bus (
    .clk_i,
    .rst_ni(rst_n),
    .send_valid_i(send_valid),
    .send_ready_o(send_ready),
    .send_mask_i(send_mask),
    .send_data_i((send_data & send_ready) != '0),
    .receive_ready_i({other_ready[P-1:1], ready}),
    .receive_one_i({other_one[P-1:1], one}),
    .receive_source_i({other_source[P*3-1:3], source}),
    .receive_valid_o(receive_valid),
    .receive_data_o(receive_data),
    .busy_o(busy)
  );

  cpe_channel_receive u_receive (
    .clk_i,
    .rst_ni(rst_n),
    .run_i(1'b1),
    .halt_i(1'b0),
    .push_i(push),
    .push_source_i(push_source),
    .push_addr_i(push_addr),
    .push_beats_i(push_beats),
    .space_o(space),
    .open_o(open),
    .r_valid_o(r_valid),
    .r_ready_i(r_ready),
    .r_addr_o(r_addr),
    .r_wdata_o(r_wdata),
    .receive_ready_o(ready),
    .receive_one_o(one),
    .receive_source_o(source),
    .receive_valid_i(receive_valid[0]),
    .receive_data_i(receive_data),
    .event_received_o(received)
  );

  // What engines keep to.
  always_comb begin
    assume (!push || (space && push_beats != '0));
    for (int i = 0; i < P; i++) begin
      assume (!send_valid[i] || (send_mask[i*8 +: 8] != '0 && send_mask[i*8 + P +: 8 - P] == '0));
    end
  end

  // The word that left in the last cycle.
  logic [P-1:0] left_q = '0;
  logic [7:0]   mask_q = '0;
  logic [0:0]   data_q;
  logic [2:0]   sender_q;
  always_ff @(posedge clk_i) begin
    left_q <= rst_n ? send_valid & send_ready : '0;
    for (int i = 0; i < P; i++) begin
      if (send_ready[i]) begin
        mask_q   <= send_mask[i*8 +: 8];
        data_q   <= send_data[i];
        sender_q <= 3'(i);
      end
    end
  end

  always_comb begin
    if (rst_n) begin
      // One at a time, only what is offered; it reaches all in its mask and nobody else.
      assert ((send_ready & (send_ready - 1'b1)) == '0);
      assert ((send_ready & ~send_valid) == '0);
      assert (receive_valid == (left_q != '0 ? mask_q[P-1:0] : '0));
      if (left_q != '0) assert (receive_data == data_q);
      // It is for the receive that it is counted for.
      if (receive_valid[0]) assert (ready && source == sender_q);
      if (receive_valid[0]) assert (received);
    end
  end

  // Somebody who can go and is passed over goes first at the latest after the others.
  logic [1:0] passed_q = '0;
  logic [7:0] waits;  // for sender 1
  logic       can_go;
  always_comb begin
    waits    = '0;
    waits[0] = ready && !(one && receive_valid[0]) && source == 3'd1;
    for (int i = 1; i < P; i++) begin
      waits[i] = other_ready[i] && !(other_one[i] && receive_valid[i]) && other_source[i*3 +: 3] == 3'd1;
    end
    can_go = rst_n && send_valid[1] && (send_mask[15:8] & ~waits) == '0;
  end
  always_ff @(posedge clk_i) passed_q <= can_go && !send_ready[1] ? passed_q + 1'b1 : '0;
  always_comb begin
    if (rst_n) assert (!can_go || send_ready[1] || passed_q < 2'(P - 1));
    if (can_go) assert (send_ready != '0);
  end

endmodule
