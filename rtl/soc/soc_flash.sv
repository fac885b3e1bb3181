// SPDX-License-Identifier: Apache-2.0
// Flash controller: registers and the word FIFO around the SPI engine.
//
// One FIFO serves both directions: the words of a read command while it is under way, else words to write.
// Every word read goes to the FIFO (unless discarded) and to the tap (if asked), each in its own time.
module soc_flash (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  reg_pkg::reg_req_t req_i,
  output reg_pkg::reg_rsp_t rsp_o,

  output logic              tap_valid_o,
  input  logic              tap_ready_i,
  output soc_pkg::chunk_t   tap_o,

  output logic              sck_o,
  output logic              cs_no,
  output logic [3:0]        io_o,
  output logic [3:0]        io_oe_o,
  input  logic [3:0]        io_i,

  output logic              irq_o,
  output logic              busy_o
);

  localparam int unsigned Aw        = flash_regs_pkg::AddrWidth;
  localparam int unsigned FifoDepth = 32;

  logic [Aw-1:0] offset;
  logic [63:0]   lanes;
  logic          write, read;
  assign offset = {req_i.addr[Aw-1:3], 3'b000};
  assign lanes  = reg_pkg::lanes(req_i.wstrb);
  assign write  = req_i.valid && req_i.write;
  assign read   = req_i.valid && !req_i.write;

  logic [63:0]              command_q, address_q, length_q, events_q, irq_enable_q;
  logic                     drain_q;  // after a stop, until the FIFO is empty
  flash_regs_pkg::command_t command;
  assign command = command_q;

  // The command register's write is registered first, so that the engine sees the whole command.
  logic start_q, start_write, stop, engine_busy, engine_done, engine_more, engine_writing, busy;
  assign start_write = write && offset == flash_regs_pkg::CommandOffset && req_i.wstrb[0];
  assign stop = write && offset == flash_regs_pkg::ControlOffset && req_i.wstrb[0] && req_i.wdata[0];
  assign busy  = engine_busy || start_q || drain_q;

  logic            fifo_in_valid, fifo_in_ready, fifo_out_valid, fifo_out_ready;
  logic [63:0]     fifo_in, fifo_out;
  logic [5:0]      fifo_free;
  logic            engine_tx_ready;
  logic            rx_valid, rx_ready;
  soc_pkg::chunk_t rx;
  logic [31:0]     remaining;

  soc_flash_engine u_engine (
    .clk_i,
    .rst_ni,
    .start_i         (start_q && !stop),
    .stop_i          (stop),
    .opcode_i        (command.opcode),
    .address_bytes_i (command.address == flash_regs_pkg::CommandAddressBytes3 ? 3'd3 :
                      command.address == flash_regs_pkg::CommandAddressBytes4 ? 3'd4 : 3'd0),
    .address_i       (address_q[31:0]),
    .dummy_i         (command.dummy),
    .read_i          (command.data == flash_regs_pkg::CommandDataRead),
    .write_i         (command.data == flash_regs_pkg::CommandDataWrite),
    .quad_i          (command.quad),
    .length_i        (length_q[31:0]),
    .busy_o          (engine_busy),
    .done_o          (engine_done),
    .more_o          (engine_more),
    .writing_o       (engine_writing),
    .remaining_o     (remaining),
    .tx_valid_i      (fifo_out_valid && !drain_q),
    .tx_ready_o      (engine_tx_ready),
    .tx_i            (fifo_out),
    .rx_valid_o      (rx_valid),
    .rx_ready_i      (rx_ready),
    .rx_o            (rx),
    .sck_o,
    .cs_no,
    .io_o,
    .io_oe_o,
    .io_i
  );

  // Words read: to FIFO and tap.
  logic [1:0] fork_valid, fork_ready;
  assign fork_ready[0] = command.discard || fifo_in_ready;
  assign fork_ready[1] = !command.tap || tap_ready_i;
  assign tap_valid_o   = fork_valid[1] && command.tap;
  assign tap_o         = rx;

  stream_fork u_rx_fork (
    .clk_i,
    .rst_ni,
    .in_valid_i  (rx_valid),
    .in_ready_o  (rx_ready),
    .out_valid_o (fork_valid),
    .out_ready_i (fork_ready)
  );

  // Software's side of the FIFO. A word waits where the engine is sure to give or to take one soon.
  logic rx_read, rx_wait, tx_write, tx_wait, tx_lost;
  assign rx_read  = read && offset == flash_regs_pkg::RxdataOffset;
  assign rx_wait  = drain_q || (!fifo_out_valid && (start_q || (engine_more && !command.discard)));
  assign tx_write = write && offset == flash_regs_pkg::TxdataOffset;
  assign tx_wait  = drain_q || (!fifo_in_ready && (start_q || (engine_writing && engine_busy)));
  assign tx_lost  = engine_more || !fifo_in_ready;

  assign fifo_in_valid  = engine_more ? fork_valid[0] && !command.discard : tx_write && !drain_q;
  assign fifo_in        = engine_more ? rx.bytes : req_i.wdata;
  assign fifo_out_ready = drain_q || engine_tx_ready || (rx_read && !rx_wait);

  stream_fifo #(
    .Width (64),
    .Depth (FifoDepth)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .in_valid_i  (fifo_in_valid),
    .in_ready_o  (fifo_in_ready),
    .in_data_i   (fifo_in),
    .out_valid_o (fifo_out_valid),
    .out_ready_i (fifo_out_ready),
    .out_data_o  (fifo_out)
  );

  logic any_free;
  credit_counter #(
    .Credits (FifoDepth)
  ) u_level (
    .clk_i,
    .rst_ni,
    .take_i  (fifo_in_valid && fifo_in_ready),
    .give_i  (fifo_out_valid && fifo_out_ready),
    .avail_o (any_free),
    .count_o (fifo_free)
  );

  flash_regs_pkg::events_t events_new;
  always_comb begin
    events_new          = '0;
    events_new.done     = engine_done;
    events_new.underrun = rx_read && !rx_wait && !fifo_out_valid;
    events_new.overrun  = tx_write && !tx_wait && tx_lost;
    events_new.rejected = start_write && busy;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      command_q    <= flash_regs_pkg::CommandReset;
      address_q    <= flash_regs_pkg::AddressReset;
      length_q     <= flash_regs_pkg::LengthReset;
      events_q     <= flash_regs_pkg::EventsReset;
      irq_enable_q <= flash_regs_pkg::IrqEnableReset;
      start_q      <= 1'b0;
      drain_q      <= 1'b0;
    end else begin
      start_q  <= start_write && !busy;
      events_q <= events_q | events_new;
      if (stop) drain_q <= 1'b1;
      else if (!fifo_out_valid && !engine_more) drain_q <= 1'b0;
      if (write) begin
        case (offset)
          flash_regs_pkg::CommandOffset:
            if (!busy) begin
              command_q <= reg_pkg::merge(command_q, req_i.wdata, lanes & flash_regs_pkg::CommandRwMask);
            end
          flash_regs_pkg::AddressOffset:
            address_q <= reg_pkg::merge(address_q, req_i.wdata, lanes & flash_regs_pkg::AddressRwMask);
          flash_regs_pkg::LengthOffset:
            length_q <= reg_pkg::merge(length_q, req_i.wdata, lanes & flash_regs_pkg::LengthRwMask);
          flash_regs_pkg::EventsOffset: events_q <= (events_q & ~(req_i.wdata & lanes)) | events_new;
          flash_regs_pkg::IrqEnableOffset:
            irq_enable_q <=
                reg_pkg::merge(irq_enable_q, req_i.wdata, lanes & flash_regs_pkg::IrqEnableRwMask);
          default: ;
        endcase
      end
    end
  end

  flash_regs_pkg::status_t     status;
  flash_regs_pkg::events_t     events;
  flash_regs_pkg::irq_enable_t conditions;
  always_comb begin
    status            = '0;
    status.busy       = busy;
    status.fifo_empty = !fifo_out_valid;
    status.fifo_full  = !any_free;
    status.fifo_level = 6'(FifoDepth) - fifo_free;
    status.remaining  = remaining;
    events            = events_q;
    conditions        = '0;
    conditions.done   = events.done;
    conditions.error  = events.underrun || events.overrun || events.rejected;
  end

  always_comb begin
    rsp_o       = '0;
    rsp_o.ready = 1'b1;
    case (offset)
      flash_regs_pkg::CommandOffset:   rsp_o.rdata = command_q;
      flash_regs_pkg::AddressOffset:   rsp_o.rdata = address_q;
      flash_regs_pkg::LengthOffset:    rsp_o.rdata = length_q;
      flash_regs_pkg::RxdataOffset: begin
        rsp_o.ready = req_i.write || !rx_wait;
        rsp_o.rdata = fifo_out_valid ? fifo_out : '0;
      end
      flash_regs_pkg::TxdataOffset:    rsp_o.ready = !req_i.write || !tx_wait;
      flash_regs_pkg::StatusOffset:    rsp_o.rdata = status;
      flash_regs_pkg::ControlOffset:   rsp_o.rdata = '0;
      flash_regs_pkg::EventsOffset:    rsp_o.rdata = events_q;
      flash_regs_pkg::IrqEnableOffset: rsp_o.rdata = irq_enable_q;
      default:                         rsp_o.err = 1'b1;
    endcase
  end

  assign irq_o  = (conditions & irq_enable_q) != '0;
  assign busy_o = busy;

endmodule
