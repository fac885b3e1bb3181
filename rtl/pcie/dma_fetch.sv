// SPDX-License-Identifier: Apache-2.0
// Fetches descriptors, channels in turns, and keeps those that are under way.
//
// Cuts: nothing; a descriptor can be read in the cycle after its answer.
module dma_fetch (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic [7:0]             want_i,       // channels that could take a descriptor
  input  logic [8*35-1:0]        want_addr_i,
  input  logic [8*2-1:0]         want_slot_i,
  output logic [7:0]             take_o,

  output logic                   ring_valid_o,
  input  logic                   ring_take_i,
  output logic [34:0]            ring_addr_o,
  output logic [4:0]             ring_slot_o,

  input  logic                   answer_i,
  input  logic                   answer_ok_i,
  input  logic [4:0]             answer_slot_i,
  input  logic                   answer_half_i,  // the upper half of the line
  input  logic [511:0]           answer_data_i,
  output logic [7:0]             fetched_o,
  output logic                   fetched_to_host_o,
  output logic                   fetched_fence_o,

  input  logic [4:0]             issue_slot_i,
  output dma_pkg::descriptor_t   issue_o,
  input  logic [4:0]             retire_slot_i,
  output dma_pkg::descriptor_t   retire_o
);

  logic [2:0] turn, last_q;
  assign turn         = dma_pkg::turn_of(want_i, last_q);
  assign ring_valid_o = want_i != '0;
  assign ring_addr_o  = want_addr_i[35*turn +: 35];
  assign ring_slot_o  = {turn, want_slot_i[2*turn +: 2]};
  assign take_o       = ring_take_i ? 8'd1 << turn : '0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) last_q <= '0;
    else if (ring_take_i) last_q <= turn;
  end

  // As abi/dma.hpp draws it. What runs over the end of an address space is bad, too.
  logic [255:0]         raw;
  dma_pkg::descriptor_t fresh;
  logic [64:0]          last_host;
  logic [40:0]          last_card;
  assign raw       = answer_half_i ? answer_data_i[511:256] : answer_data_i[255:0];
  assign last_host = {1'b0, raw[63:0]} + {33'd0, raw[159:128]} - 65'd1;
  assign last_card = {1'b0, raw[103:64]} + {9'd0, raw[159:128]} - 41'd1;
  always_comb begin
    fresh           = '0;
    fresh.host      = raw[63:0];
    fresh.card      = raw[103:64];
    fresh.length    = raw[159:128];
    fresh.to_host   = raw[160];
    fresh.record    = raw[161];
    fresh.irq      = raw[162];
    fresh.work      = raw[163];
    fresh.fence     = raw[164];
    fresh.tag       = raw[223:192];
    fresh.bad       = raw[127:104] != '0 || raw[191:165] != '0 || raw[255:224] != '0 ||
                      (fresh.length != '0 && (last_host[64] || last_card[40]));
  end
  assign fetched_to_host_o = fresh.to_host;
  assign fetched_fence_o   = fresh.fence;
  assign fetched_o         = answer_i && answer_ok_i ? 8'd1 << answer_slot_i[4:2] : '0;

  logic [dma_pkg::DescriptorWidth-1:0] descriptors_q [dma_pkg::Channels * dma_pkg::Slots];
  always_ff @(posedge clk_i) if (answer_i) descriptors_q[answer_slot_i] <= fresh;
  assign issue_o  = descriptors_q[issue_slot_i];
  assign retire_o = descriptors_q[retire_slot_i];

endmodule
