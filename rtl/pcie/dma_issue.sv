// SPDX-License-Identifier: Apache-2.0
// Cuts descriptors into chunks and hands these to the readers and writers of host memory.
//
// Fair: a direction that has room takes turns among its channels, chunk by chunk; both directions alternate. So a channel
// that waits sees at most 7 chunks of others in its direction, and as many of the other one.
//
// A chunk takes three cycles: choose a channel; cut; hand over. Chunks end where the host address is a multiple of the
// largest read or write: none crosses 4 KiB.
module dma_issue (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  pcie_pkg::config_t    config_i,

  input  logic [7:0]           valid_i,      // the channel's descriptor has chunks to hand over
  input  logic [7:0]           to_host_i,
  input  logic [8*2-1:0]       slot_i,
  input  logic [7:0]           stopped_i,
  output logic [7:0]           last_o,       // the descriptor has been handed over

  output logic [4:0]           fetch_slot_o,
  input  dma_pkg::descriptor_t fetch_i,

  input  logic [7:0]           in_room_i,    // a read of this channel can be taken
  output logic                 in_valid_o,   // and is
  input  logic                 out_room_i,
  output logic                 out_valid_o,
  output dma_pkg::chunk_t      chunk_o,

  output dma_pkg::error_t      error_o,
  output logic [7:0]           begun_o,      // a descriptor's first chunk
  output logic [7:0]           busy_o        // the channel that is being worked on
);

  typedef enum logic [1:0] {
    Choose,
    Cut,
    HandOver
  } state_e;
  state_e state_q;

  logic [2:0]      channel_q, in_last_q, out_last_q, in_turn, out_turn;
  logic [4:0]      slot_q;
  logic            to_host_q, empty_q, last_q;
  logic [7:0]      fresh_q, in_ok, out_ok;
  dma_pkg::chunk_t chunk_q;
  logic            choose_out;

  assign in_ok      = valid_i & ~to_host_i & in_room_i;
  assign out_ok     = out_room_i ? valid_i & to_host_i : '0;
  assign in_turn    = dma_pkg::turn_of(in_ok, in_last_q);
  assign out_turn   = dma_pkg::turn_of(out_ok, out_last_q);
  assign choose_out = out_ok != '0 && (in_ok == '0 || !to_host_q);

  // Where each channel's descriptor goes on: host, card, bytes left.
  localparam int unsigned PlaceWidth = 64 + 40 + 32;
  logic [PlaceWidth-1:0] place_q [dma_pkg::Channels];
  logic [63:0]           host;
  logic [39:0]           card;
  logic [31:0]           left;
  logic [9:0]            room, bytes;
  logic                  first, last, bad, no_master;
  assign fetch_slot_o = slot_q;
  assign first        = fresh_q[channel_q];
  assign {host, card, left} = first ? {fetch_i.host, fetch_i.card, fetch_i.length} : place_q[channel_q];

  always_comb begin
    if (to_host_q) room = config_i.mps == 4'd7 ? 10'd128 - {3'd0, host[6:0]} : 10'd256 - {2'd0, host[7:0]};
    else if (config_i.mrrs == 4'd7) room = 10'd128 - {3'd0, host[6:0]};
    else if (config_i.mrrs == 4'd8) room = 10'd256 - {2'd0, host[7:0]};
    else room = 10'd512 - {1'b0, host[8:0]};
  end
  assign last      = left <= {22'd0, room};
  assign bytes     = last ? left[9:0] : room;
  assign bad       = first && fetch_i.bad;
  assign no_master = !config_i.bus_master && left != '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q    <= Choose;
      channel_q  <= '0;
      slot_q     <= '0;
      to_host_q  <= 1'b0;
      in_last_q  <= '0;
      out_last_q <= '0;
      fresh_q    <= '1;
      empty_q    <= 1'b0;
      last_q     <= 1'b0;
    end else begin
      if (stopped_i != '0) fresh_q <= fresh_q | stopped_i;
      unique case (state_q)
        Choose:
          if (in_ok != '0 || out_ok != '0) begin
            state_q   <= Cut;
            to_host_q <= choose_out;
            if (choose_out) begin
              channel_q  <= out_turn;
              out_last_q <= out_turn;
              slot_q     <= {out_turn, slot_i[2*out_turn +: 2]};
            end else begin
              channel_q <= in_turn;
              in_last_q <= in_turn;
              slot_q    <= {in_turn, slot_i[2*in_turn +: 2]};
            end
          end
        Cut: begin
          empty_q <= left == '0;
          last_q  <= last;
          if (error_o.valid) begin
            state_q <= Choose;
          end else begin
            state_q            <= HandOver;
            fresh_q[channel_q] <= last;
          end
        end
        default: state_q <= Choose;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Cut) begin
      chunk_q.slot  <= slot_q;
      chunk_q.host  <= host;
      chunk_q.card  <= card;
      chunk_q.bytes <= bytes;
      place_q[channel_q] <= {host + {54'd0, bytes}, card + {30'd0, bytes}, left - {22'd0, bytes}};
    end
  end

  logic hand_over;
  assign hand_over   = state_q == HandOver && !stopped_i[channel_q];
  assign in_valid_o  = hand_over && !empty_q && !to_host_q;
  assign out_valid_o = hand_over && !empty_q && to_host_q;
  assign chunk_o     = chunk_q;
  assign last_o      = hand_over && last_q ? 8'd1 << channel_q : '0;
  assign begun_o     = state_q == Cut && first && !error_o.valid ? 8'd1 << channel_q : '0;
  assign busy_o      = state_q != Choose ? 8'd1 << channel_q : '0;

  always_comb begin
    error_o         = '0;
    error_o.valid   = state_q == Cut && (bad || no_master);
    error_o.slot    = slot_q;
    error_o.cause   = bad ? dma_regs_pkg::ErrorCauseBadDescriptor : dma_regs_pkg::ErrorCauseNoBusMaster;
    error_o.access  = bad ? dma_regs_pkg::ErrorAccessDescriptor : dma_regs_pkg::ErrorAccessData;
    error_o.address = bad ? {24'd0, card} : host;
  end

endmodule
