// SPDX-License-Identifier: Apache-2.0
// The bus of one row or one column of CPEs: carries a word of 32 bytes per cycle from one sender to the receivers that its mask names.
//
// Rendezvous: a word goes in a cycle in which every receiver in its mask waits for this very sender and has room. So words of two
//   senders never mix, and nothing is kept here but the word on its way.
// Choice: round robin among the senders that can go; one that can waits for at most Positions - 1 words of others.
// receive_one_i: the receiver is ready for one word only. What it says does not count the word that arrives in the same cycle;
//   this module does (see cpe_channel_receive).
// Cuts: valid and data, from registers to registers. send_ready_o follows send_* and receive_* in the same cycle; both come from
//   registers of the engines.
// Latency: one cycle; one word per cycle.
// busy_o: this module needs its clock. A word on its way to a CPE that is being reset is lost; none is on its way after the second
//   cycle of that reset.
// Illegal: an empty mask, a mask beyond Positions.
module cg_channel #(
  parameter int unsigned Positions = 8  // at most 8
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  input  logic [Positions-1:0]     send_valid_i,
  output logic [Positions-1:0]     send_ready_o,
  input  logic [Positions*8-1:0]   send_mask_i,
  input  logic [255:0]             send_data_i,     // of the one who goes, in the cycle of its ready

  input  logic [Positions-1:0]     receive_ready_i,
  input  logic [Positions-1:0]     receive_one_i,
  input  logic [Positions*3-1:0]   receive_source_i,
  output logic [Positions-1:0]     receive_valid_o,
  output logic [255:0]             receive_data_o,

  output logic                     busy_o
);

  typedef logic [Positions-1:0] set_t;

  set_t         valid_q;   // receivers of the word on its way
  logic [255:0] data_q;
  set_t         first_q;   // senders that go first: those after the last one that went
  set_t         free, can_go, grant;
  logic [7:0]   waits;     // for one sender
  logic [7:0]   mask;      // of the sender that goes

  assign receive_valid_o = valid_q;
  assign receive_data_o  = data_q;
  assign send_ready_o    = grant;
  assign busy_o          = send_valid_i != '0 || valid_q != '0;

  always_comb begin
    free   = '0;
    waits  = '0;
    can_go = '0;
    grant  = '0;
    mask   = '0;
    if (send_valid_i != '0) begin
      free = receive_ready_i & ~(valid_q & receive_one_i);
      for (int unsigned i = 0; i < Positions; i++) begin
        if (send_valid_i[i]) begin
          for (int unsigned p = 0; p < Positions; p++) waits[p] = free[p] && receive_source_i[p*3 +: 3] == 3'(i);
          can_go[i] = (send_mask_i[i*8 +: 8] & ~waits) == '0;
        end
      end
      if ((can_go & first_q) != '0) can_go &= first_q;
      grant = can_go & ~(can_go - 1'b1);
      for (int unsigned i = 0; i < Positions; i++) begin
        if (grant[i]) mask = send_mask_i[i*8 +: 8];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= '0;
      first_q <= '0;
    end else begin
      valid_q <= mask[Positions-1:0];
      if (grant != '0) first_q <= ~((grant - 1'b1) | grant);
    end
  end

  always_ff @(posedge clk_i) begin
    if (grant != '0) data_q <= send_data_i;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && grant != '0) begin
      assert (mask[Positions-1:0] != '0 && (mask >> Positions) == '0) else $error("nobody in the mask: %b", mask);
    end
  end
`endif

endmodule
