// SPDX-License-Identifier: Apache-2.0
// Ends descriptors: when a channel's oldest one has all its data in place it gets its record, then its interrupt, then the
// head moves and the work bit is raised. The same for the interrupt of a channel that has failed.
//
// One channel at a time; a record on the card lets others go on until the ring has answered.
module dma_retire (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  pcie_pkg::config_t       config_i,

  input  logic [7:0]              oldest_i,      // the channel has a descriptor that was handed over
  input  logic [7:0]              fault_i,       // the channel has an error to announce
  input  logic [8*dma_pkg::RetireWidth-1:0] channels_i,
  output logic [7:0]              take_o,        // the descriptor has ended
  output logic [7:0]              fault_take_o,

  output logic [4:0]              slot_o,
  input  logic                    done_i,        // the data of slot_o is in place
  input  dma_pkg::descriptor_t    descriptor_i,  // of slot_o

  output logic                    host_valid_o,  // record to the host
  input  logic                    host_take_i,
  input  logic                    host_sent_i,
  output logic [127:0]            host_header_o,
  output logic                    ring_valid_o,  // or to the card
  input  logic                    ring_take_i,
  output logic [35:0]             ring_addr_o,
  output logic [4:0]              ring_slot_o,
  output logic [127:0]            record_o,
  input  logic                    answer_i,
  input  logic                    answer_ok_i,
  input  logic [2:0]              answer_channel_i,

  output logic                    irq_valid_o,
  input  logic                    irq_ready_i,
  output logic [4:0]              irq_vector_o,
  output logic [7:0]              work_o,

  output dma_pkg::error_t         error_o,
  output logic [7:0]              busy_o         // channels that are being ended
);

  typedef enum logic [2:0] {
    Choose,
    Record,
    Sent,       // wait until the packet has been handed over
    Interrupt,
    Finish
  } state_e;
  state_e state_q;

  logic [2:0]           channel_q, turn, current;
  logic                 fault_q, irq_q, work_bit_q;
  logic [7:0]           asked_q, answered_q;  // record on the ring; and written
  logic [7:0]           ready;
  dma_pkg::retire_t     own;

  assign ready   = (oldest_i & ~asked_q) | answered_q | fault_i;
  assign turn    = dma_pkg::turn_of(ready, channel_q);
  assign current = state_q == Choose ? turn : channel_q;
  assign own     = channels_i[dma_pkg::RetireWidth*current +: dma_pkg::RetireWidth];
  assign slot_o  = {current, own.slot};

  logic no_master, dropped;
  assign no_master = state_q == Record && !own.on_card && !config_i.bus_master;
  assign dropped   = config_i.flr;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q    <= Choose;
      channel_q  <= '0;
      fault_q    <= 1'b0;
      irq_q      <= 1'b0;
      work_bit_q <= 1'b0;
      asked_q    <= '0;
      answered_q <= '0;
    end else begin
      unique case (state_q)
        Choose:
          if (ready != '0) begin
            channel_q  <= turn;
            fault_q    <= fault_i[turn];
            irq_q      <= fault_i[turn] ? own.error_irq : descriptor_i.irq;
            work_bit_q <= fault_i[turn] ? own.error_work : descriptor_i.work;
            if (fault_i[turn]) begin
              state_q <= Interrupt;
            end else if (answered_q[turn]) begin
              answered_q[turn] <= 1'b0;
              state_q          <= Interrupt;
            end else if (done_i) begin
              state_q <= descriptor_i.record ? Record : Interrupt;
            end
          end
        Record:
          if (no_master) begin
            state_q <= Choose;
          end else if (ring_take_i) begin
            asked_q[channel_q] <= 1'b1;
            state_q            <= Choose;
          end else if (host_take_i) begin
            state_q <= Sent;
          end
        Sent:      if (host_sent_i) state_q <= Interrupt;
        Interrupt: if (!irq_valid_o || irq_ready_i) state_q <= Finish;
        default:   state_q <= Choose;
      endcase
      if (answer_i) begin
        asked_q[answer_channel_i]    <= 1'b0;
        answered_q[answer_channel_i] <= answer_ok_i;
      end
    end
  end

  assign host_valid_o  = state_q == Record && !own.on_card && !no_master;
  assign host_header_o = dma_pkg::header_of(1'b1, config_i.bus_dev_fn, 8'd0, own.record, 10'd16);
  assign ring_valid_o  = state_q == Record && own.on_card;
  assign ring_addr_o   = own.record[39:4];
  assign ring_slot_o   = slot_o;
  // As abi/dma.hpp draws it; the status 1 says done.
  assign record_o      = {32'd0, descriptor_i.length, 8'd1, 5'd0, channel_q, own.number, descriptor_i.tag};

  assign irq_valid_o  = state_q == Interrupt && irq_q && !dropped;
  assign irq_vector_o = own.irq;
  assign take_o       = state_q == Finish && !fault_q ? 8'd1 << channel_q : '0;
  assign fault_take_o = state_q == Finish && fault_q ? 8'd1 << channel_q : '0;
  assign work_o       = state_q == Finish && work_bit_q && !dropped ? 8'd1 << channel_q : '0;
  assign busy_o       = asked_q | answered_q | (state_q != Choose ? 8'd1 << channel_q : '0);

  always_comb begin
    error_o         = '0;
    error_o.valid   = no_master;
    error_o.slot    = slot_o;
    error_o.cause   = dma_regs_pkg::ErrorCauseNoBusMaster;
    error_o.access  = dma_regs_pkg::ErrorAccessRecord;
    error_o.address = own.record;
  end

endmodule
