// SPDX-License-Identifier: Apache-2.0
// Side-band events: what the card's engines begin and end, told to C++ (events.cpp), which writes them to a trace.
//
// Simulation only. It looks at signals inside the card and drives nothing: with or without it the card does the same in the
// same cycles. C++ is called when something has changed, and only while `trace_i` is high; a low one costs a branch.
// Kinds and arguments of the calls are those of EventKind in events.hpp. Each reports what was so before the clock edge.
module card_trace #(
  parameter int unsigned Groups = 1,
  parameter int unsigned Cpes   = 32  // of a group
) (
  input logic clk_i,
  input logic trace_i
);

  import "DPI-C" function void swai_card_event(input int unsigned kind, input int unsigned unit, input longint unsigned a,
                                               input longint unsigned b, input longint unsigned c);

  localparam int unsigned Levels     = 0;   // a: all levels, see below
  localparam int unsigned Begun      = 1;   // unit: channel; a: host address; b: tag, length; c: to host, card address
  localparam int unsigned Ended      = 2;   // unit: channel
  localparam int unsigned Failed     = 3;   // unit: channel; a: cause; b: address
  localparam int unsigned Doorbell   = 4;   // unit: number
  localparam int unsigned Work       = 5;   // a: DMA channels
  localparam int unsigned Inbox      = 6;   // a: bits that are set
  localparam int unsigned Interrupt  = 7;   // unit: vector
  localparam int unsigned Trap       = 8;   // a: cause; b: pc; c: value
  localparam int unsigned Poison     = 9;   // unit: group; a: line
  localparam int unsigned PcieWindow = 10;  // a: packets in, doublewords in, packets out, doublewords out; 16 bits each
  localparam int unsigned RingWindow = 11;  // unit: node; a: injected, ejected, stalled
  localparam int unsigned HbmWindow  = 12;  // unit: group; a: reads, writes, atomics, row hits; b: rows opened, conflicts, refreshes
  localparam int unsigned Rung       = 13;  // unit: group; a: the launch's number; b: pc, argument
  localparam int unsigned Launched   = 14;  // unit: group; a: number; b: pc, argument; c: mask, code and argument segment
  localparam int unsigned LaunchEnd  = 15;  // unit: group; a: number; b: cycles it waited and ran; c: failed, watchdog, notify
  localparam int unsigned CpeFault   = 16;  // unit: group; a: cause, access, by DMA, CPE; b: pc, segment; c: offset
  localparam int unsigned Done       = 17;  // unit: group; a: done word
  localparam int unsigned Queued     = 18;  // unit: group; a: launches that wait
  localparam int unsigned CpeWindow  = 19;  // unit: group; a: clocks of CPEs, reads, writes, segment misses; b: code misses

  localparam int unsigned Nodes = 2 + Groups;

  // Clocks whose packets and lines are counted together, as a power of two.
  localparam int unsigned WindowLog2 = 8;

  // `on_q`: the last clock was traced, too. What is remembered goes with the end of tracing, so that a new beginning tells all
  // levels that are high.
  logic                  on_q;
  logic [WindowLog2-1:0] window_q;
  logic [63:0]           levels_q;
  logic [3:0]            hbm_busy, hbm_asleep;
  logic                  last;
  assign last = window_q == '1;

  initial begin
    on_q     = 1'b0;
    window_q = '0;
    levels_q = '0;
  end

  always_ff @(posedge clk_i) begin
    if (trace_i || on_q) begin
      on_q     <= trace_i;
      window_q <= trace_i ? window_q + 1'b1 : '0;
    end
  end

  // ------------------------------------------------------------------------------------------------------------- events

  always_ff @(posedge clk_i) begin
    if (trace_i) begin
      if (card_top.u_card.u_pcie.u_dma.ended != '0) begin
        for (int unsigned i = 0; i < 8; i++) begin
          if (card_top.u_card.u_pcie.u_dma.ended[i]) swai_card_event(Ended, i, 64'd0, 64'd0, 64'd0);
        end
      end
      if (card_top.u_card.u_pcie.u_dma.begun != '0) begin
        for (int unsigned i = 0; i < 8; i++) begin
          if (card_top.u_card.u_pcie.u_dma.begun[i]) begin
            swai_card_event(Begun, i, card_top.u_card.u_pcie.u_dma.u_engine.issue_descriptor.host,
                            {card_top.u_card.u_pcie.u_dma.u_engine.issue_descriptor.tag,
                             card_top.u_card.u_pcie.u_dma.u_engine.issue_descriptor.length},
                            {card_top.u_card.u_pcie.u_dma.u_engine.issue_descriptor.to_host, 23'd0,
                             card_top.u_card.u_pcie.u_dma.u_engine.issue_descriptor.card});
          end
        end
      end
      if (card_top.u_card.u_pcie.u_endpoint.doorbell) begin
        swai_card_event(Doorbell, 32'(card_top.u_card.u_pcie.u_endpoint.number), 64'd0, 64'd0, 64'd0);
      end
      if (card_top.u_card.u_pcie.work != '0) swai_card_event(Work, 0, 64'(card_top.u_card.u_pcie.work), 64'd0, 64'd0);
      if (card_top.u_card.u_soc.u_devices.u_inbox.set != '0 || card_top.u_card.faults != '0) begin
        swai_card_event(Inbox, 0, card_top.u_card.u_soc.u_devices.u_inbox.set | {card_top.u_card.faults, 48'd0}, 64'd0, 64'd0);
      end
      if (card_top.u_card.u_soc.u_devices.u_inbox.ring_write) begin
        for (int unsigned g = 0; g < Groups; g++) begin
          if (32'(card_top.u_card.u_soc.u_devices.u_inbox.ring_offset) == 32'(inbox_regs_pkg::Done0Offset) + 8 * g) begin
            swai_card_event(Done, g, card_top.u_card.u_soc.u_devices.u_inbox.ring_req_i.wdata, 64'd0, 64'd0);
          end
        end
      end
      if (card_top.u_card.u_pcie.irq_valid && card_top.u_card.u_pcie.irq_ready) begin
        swai_card_event(Interrupt, 32'(card_top.u_card.u_pcie.irq_vector), 64'd0, 64'd0, 64'd0);
      end
      if (card_top.u_card.u_pcie.u_endpoint.raise) begin
        swai_card_event(Interrupt, 32'(card_top.u_card.u_pcie.u_endpoint.number), 64'd0, 64'd0, 64'd0);
      end
`ifdef MPE_RVFI
      if (card_top.u_card.u_soc.u_mpe.rvfi_valid &&
          (card_top.u_card.u_soc.u_mpe.rvfi_trap || card_top.u_card.u_soc.u_mpe.rvfi_intr)) begin
        swai_card_event(Trap, 0, card_top.u_card.u_soc.u_mpe.rvfi_cause, card_top.u_card.u_soc.u_mpe.rvfi_pc,
                        card_top.u_card.u_soc.u_mpe.rvfi_tval);
      end
`endif
    end
  end

  // A channel that stops for an error; the cause is there with the stop.
  for (genvar i = 0; i < 8; i++) begin : g_channel
    always_ff @(posedge clk_i) begin
      if (trace_i && card_top.u_card.u_pcie.u_dma.u_engine.stopped[i] && !levels_q[32+i] &&
          card_top.u_card.u_pcie.u_dma.u_engine.g_channel[i].u_channel.cause_q != '0) begin
        swai_card_event(Failed, i, 64'(card_top.u_card.u_pcie.u_dma.u_engine.g_channel[i].u_channel.cause_q),
                        card_top.u_card.u_pcie.u_dma.u_engine.g_channel[i].u_channel.address_q, 64'd0);
      end
    end
  end

  // ------------------------------------------------------------------------------------------------------------- levels

  always_ff @(posedge clk_i) begin
    if (trace_i || on_q) begin : levels
      automatic logic [63:0] now;
      now        = '0;
      now[0]     = card_top.u_card.rst_sys_n && !card_top.u_card.u_soc.core_sleep;  // the processor is awake
      now[1]     = card_top.u_card.flr;
      now[2]     = card_top.u_card.link_up_i;
      now[3]     = !card_top.u_card.rst_por_n;
      now[7:4]   = hbm_busy;
      now[11:8]  = hbm_asleep;
      now[25:16] = card_top.u_card.reset_status;
      now[39:32] = card_top.u_card.u_pcie.u_dma.u_engine.stopped;
      if (trace_i && now != levels_q) swai_card_event(Levels, 0, now, 64'd0, 64'd0);
      levels_q <= trace_i ? now : '0;
    end
  end

  // ------------------------------------------------------------------------------------------------------------ counters

  // Packets and payload of a window; told when they differ from those of the window before.
  logic [15:0] packets_in_q, dwords_in_q, packets_out_q, dwords_out_q;
  logic [63:0] pcie_q;
  initial begin
    packets_in_q  = '0;
    dwords_in_q   = '0;
    packets_out_q = '0;
    dwords_out_q  = '0;
    pcie_q        = '0;
  end

  always_ff @(posedge clk_i) begin
    if (trace_i) begin : pcie
      automatic logic [63:0] now;
      now = {packets_in_q + 16'(card_top.u_card.u_pcie.packet_in_o),
             dwords_in_q + (card_top.u_card.u_pcie.packet_in_o ? 16'(card_top.u_card.u_pcie.dwords_in_o) : 16'd0),
             packets_out_q + 16'(card_top.u_card.u_pcie.packet_out_o),
             dwords_out_q + (card_top.u_card.u_pcie.packet_out_o ? 16'(card_top.u_card.u_pcie.dwords_out_o) : 16'd0)};
      {packets_in_q, dwords_in_q, packets_out_q, dwords_out_q} <= last ? '0 : now;
      if (last) begin
        if (now != pcie_q) swai_card_event(PcieWindow, 0, now, 64'd0, 64'd0);
        pcie_q <= now;
      end
    end else if (on_q) begin
      {packets_in_q, dwords_in_q, packets_out_q, dwords_out_q, pcie_q} <= '0;
    end
  end

  for (genvar n = 0; n < Nodes; n++) begin : g_node
    logic [47:0] count_q, told_q;
    initial begin
      count_q = '0;
      told_q  = '0;
    end
    always_ff @(posedge clk_i) begin
      if (trace_i) begin : node
        automatic logic [47:0] now;
        now = {count_q[47:32] + 16'(card_top.u_card.u_ring.event_injected_o[n]),
               count_q[31:16] + 16'(card_top.u_card.u_ring.event_ejected_o[n]),
               count_q[15:0] + 16'(card_top.u_card.u_ring.event_stalled_o[n])};
        count_q <= last ? '0 : now;
        if (last) begin
          if (now != told_q) swai_card_event(RingWindow, n, 64'(now), 64'd0, 64'd0);
          told_q <= now;
        end
      end else if (on_q) begin
        count_q <= '0;
        told_q  <= '0;
      end
    end
  end

  for (genvar g = 0; g < 4; g++) begin : g_group
    if (g < Groups) begin : g_present
      assign hbm_busy[g]   = card_top.u_card.g_group[g].g_present.u_group.hbm_busy;
      assign hbm_asleep[g] = !card_top.u_card.g_group[g].g_present.u_group.u_hbm.awake;

      logic [111:0] count_q, told_q;
      initial begin
        count_q = '0;
        told_q  = '0;
      end
      always_ff @(posedge clk_i) begin
        if (trace_i) begin : hbm
          automatic hbm_pkg::events_t events;
          automatic logic [111:0]     now;
          events = card_top.u_card.g_group[g].g_present.u_group.events;
          now    = {count_q[111:96] + 16'(events.read), count_q[95:80] + 16'(events.write),
                    count_q[79:64] + 16'(events.atomic), count_q[63:48] + 16'(events.hit),
                    count_q[47:32] + 16'(events.act), count_q[31:16] + 16'(events.conflict),
                    count_q[15:0] + 16'(events.refresh)};
          count_q <= last ? '0 : now;
          if (last) begin
            if (now != told_q) swai_card_event(HbmWindow, g, now[111:48], 64'(now[47:0]), 64'd0);
            told_q <= now;
          end
          if (events.poison) begin
            swai_card_event(Poison, g, 64'(card_top.u_card.g_group[g].g_present.u_group.poison_line), 64'd0, 64'd0);
          end
        end else if (on_q) begin
          count_q <= '0;
          told_q  <= '0;
        end
      end

      // Launches and CPEs.
      logic [79:0] cpes_q, cpes_told_q;
      logic [3:0]  queued_q;
      initial begin
        cpes_q      = '0;
        cpes_told_q = '0;
        queued_q    = '0;
      end
      always_ff @(posedge clk_i) begin
        if (trace_i) begin : launches
          automatic logic [79:0] now;
          now = {cpes_q[79:64] + 16'($countones(card_top.u_card.g_group[g].g_present.u_group.u_cpes.enable)),
                 cpes_q[63:48] + 16'(card_top.u_card.g_group[g].g_present.u_group.read),
                 cpes_q[47:32] + 16'(card_top.u_card.g_group[g].g_present.u_group.write),
                 cpes_q[31:16] + 16'(card_top.u_card.g_group[g].g_present.u_group.dslb_miss),
                 cpes_q[15:0] + 16'(card_top.u_card.g_group[g].g_present.u_group.code_miss)};
          cpes_q <= last ? '0 : now;
          if (last) begin
            if (now != cpes_told_q) swai_card_event(CpeWindow, g, now[79:16], 64'(now[15:0]), 64'd0);
            cpes_told_q <= now;
          end
          if (card_top.u_card.g_group[g].g_present.u_group.u_launch.push) begin
            swai_card_event(Rung, g,
                            64'(card_top.u_card.g_group[g].g_present.u_group.u_launch.sequence_number) +
                                64'(card_top.u_card.g_group[g].g_present.u_group.u_launch.queued) + 64'd1,
                            {card_top.u_card.g_group[g].g_present.u_group.u_launch.launch.pc,
                             card_top.u_card.g_group[g].g_present.u_group.u_launch.launch.argument}, 64'd0);
          end
          if (card_top.u_card.g_group[g].g_present.u_group.u_launch.launch_end) begin
            swai_card_event(LaunchEnd, g, 64'(card_top.u_card.g_group[g].g_present.u_group.u_launch.sequence_number),
                            {card_top.u_card.g_group[g].g_present.u_group.u_launch.waited,
                             card_top.u_card.g_group[g].g_present.u_group.u_launch.cycles},
                            {61'd0, card_top.u_card.g_group[g].g_present.u_group.u_launch.failed,
                             card_top.u_card.g_group[g].g_present.u_group.u_launch.by_watchdog,
                             card_top.u_card.g_group[g].g_present.u_group.u_launch.run_notify});
          end
          if (card_top.u_card.g_group[g].g_present.u_group.u_launch.pop) begin
            swai_card_event(Launched, g,
                            64'(card_top.u_card.g_group[g].g_present.u_group.u_launch.sequence_number) + 64'd1,
                            {card_top.u_card.g_group[g].g_present.u_group.u_launch.head.pc,
                             card_top.u_card.g_group[g].g_present.u_group.u_launch.head.argument},
                            {card_top.u_card.g_group[g].g_present.u_group.u_launch.head.mask,
                             card_top.u_card.g_group[g].g_present.u_group.u_launch.head.code_segment,
                             card_top.u_card.g_group[g].g_present.u_group.u_launch.head.argument_segment});
          end
          if (card_top.u_card.g_group[g].g_present.u_group.u_launch.u_records.take) begin
            for (int unsigned i = 0; i < Cpes; i++) begin
              if (card_top.u_card.g_group[g].g_present.u_group.u_launch.u_records.chosen[i]) begin
                swai_card_event(CpeFault, g,
                                {51'd0, card_top.u_card.g_group[g].g_present.u_group.u_launch.u_records.record.cause,
                                 card_top.u_card.g_group[g].g_present.u_group.u_launch.u_records.record.access,
                                 card_top.u_card.g_group[g].g_present.u_group.u_launch.u_records.record.dma, 5'(i)},
                                {16'd0, card_top.u_card.g_group[g].g_present.u_group.u_launch.u_records.record.segment,
                                 card_top.u_card.g_group[g].g_present.u_group.u_launch.u_records.record.pc},
                                64'(card_top.u_card.g_group[g].g_present.u_group.u_launch.u_records.record.offset));
              end
            end
          end
          if (card_top.u_card.g_group[g].g_present.u_group.u_launch.queued != queued_q) begin
            swai_card_event(Queued, g, 64'(card_top.u_card.g_group[g].g_present.u_group.u_launch.queued), 64'd0, 64'd0);
          end
          queued_q <= card_top.u_card.g_group[g].g_present.u_group.u_launch.queued;
        end else if (on_q) begin
          cpes_q      <= '0;
          cpes_told_q <= '0;
          queued_q    <= '0;
        end
      end
    end else begin : g_absent
      assign hbm_busy[g]   = 1'b0;
      assign hbm_asleep[g] = 1'b0;
    end
  end

endmodule
