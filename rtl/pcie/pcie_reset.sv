// SPDX-License-Identifier: Apache-2.0
// What happens when the link goes down and when the host resets the function.
//
// Link down: nothing more is granted or sent; what has been received is still served, and the DMA engine ends its work.
// When all is quiet, the configuration starts afresh; when the link is up again, so do the credits.
//
// Function-level reset: the answer to the request that asked for it is sent first. Then the DMA engine ends its work, and
// writes that come meanwhile are dropped; requests that want an answer wait and find the function reset.
module pcie_reset (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic link_up_i,
  input  logic flr_i,            // pulse: asked for
  input  logic answers_idle_i,   // all answers have been handed to the transmitter
  input  logic leaves_i,         // what the transmitter shows leaves, or it shows nothing
  input  logic received_i,       // something received has not been served, or a write is in flight
  input  logic dma_busy_i,

  output logic open_o,           // the link carries packets
  output logic hold_o,           // begin no answer
  output logic discard_o,        // drop writes
  output logic flr_o,            // level: the DMA engine is to end its work
  output logic clear_function_o, // pulse
  output logic clear_link_o,     // pulse: hot reset
  output logic under_way_o,
  output logic busy_o
);

  typedef enum logic [2:0] {Down, Quiet, Open, Asked, Answered, Function} state_e;
  state_e     state_q, state_d;
  logic [3:0] count_q;   // the engine needs a moment to see the reset
  logic       settled;
  assign settled = count_q == '1 && !dma_busy_i;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Down:     if (settled && answers_idle_i && !received_i) state_d = Quiet;
      Quiet:    if (link_up_i) state_d = Open;
      Open:     if (flr_i) state_d = Asked;
      Asked:    if (answers_idle_i) state_d = Answered;
      Answered: if (leaves_i) state_d = Function;
      default:  if (settled) state_d = Open;
    endcase
    if (!link_up_i && open_o) state_d = Down;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Down;
      count_q <= '0;
    end else begin
      state_q <= state_d;
      if (state_q != Down && state_q != Function) count_q <= '0;
      else if (count_q != '1) count_q <= count_q + 4'd1;
    end
  end

  assign open_o           = state_q == Open || hold_o;
  assign hold_o           = state_q == Asked || state_q == Answered || state_q == Function;
  assign discard_o        = state_q == Function;
  assign flr_o            = state_q == Down || state_q == Quiet || state_q == Function;
  assign clear_function_o = state_q == Function && state_d == Open;
  assign clear_link_o     = state_q == Down && state_d == Quiet;
  assign under_way_o      = state_q == Function;
  assign busy_o           = state_q == Down || hold_o || (state_q == Quiet && link_up_i) ||
                            (state_q == Open && !link_up_i);

endmodule
