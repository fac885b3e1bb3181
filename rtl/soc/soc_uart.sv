// SPDX-License-Identifier: Apache-2.0
// Console UART: registers and FIFOs around transmitter and receiver.
//
// What does not fit a FIFO is lost and leaves its mark in the errors register; nothing ever waits.
module soc_uart (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  reg_pkg::reg_req_t req_i,
  output reg_pkg::reg_rsp_t rsp_o,
  input  logic              rx_i,
  output logic              tx_o,
  output logic              irq_o,
  output logic              busy_o
);

  localparam int unsigned Aw        = uart_regs_pkg::AddrWidth;
  localparam int unsigned FifoDepth = 64;

  logic [Aw-1:0] offset;
  logic [63:0]   lanes;
  logic          write, read;
  assign offset = {req_i.addr[Aw-1:3], 3'b000};
  assign lanes  = reg_pkg::lanes(req_i.wstrb);
  assign write  = req_i.valid && req_i.write;
  assign read   = req_i.valid && !req_i.write;

  logic [63:0] divisor_q, irq_enable_q, errors_q;
  logic [15:0] clocks;
  assign clocks = divisor_q[15:0] < 16'd4 ? 16'd4 : divisor_q[15:0];

  // Transmit.
  logic       tx_write, tx_push, tx_room, tx_valid, tx_ready, tx_on_wire;
  logic [7:0] tx_data;
  logic [6:0] tx_free, tx_level;
  assign tx_write = write && offset == uart_regs_pkg::TxdataOffset && req_i.wstrb[0];
  assign tx_push  = tx_write && tx_room;
  assign tx_level = 7'(FifoDepth) - tx_free;

  stream_fifo #(
    .Width (8),
    .Depth (FifoDepth)
  ) u_tx_fifo (
    .clk_i,
    .rst_ni,
    .in_valid_i  (tx_write),
    .in_ready_o  (tx_room),
    .in_data_i   (req_i.wdata[7:0]),
    .out_valid_o (tx_valid),
    .out_ready_i (tx_ready),
    .out_data_o  (tx_data)
  );

  logic tx_any_free;
  credit_counter #(
    .Credits (FifoDepth)
  ) u_tx_level (
    .clk_i,
    .rst_ni,
    .take_i  (tx_push),
    .give_i  (tx_valid && tx_ready),
    .avail_o (tx_any_free),
    .count_o (tx_free)
  );

  soc_uart_tx u_tx (
    .clk_i,
    .rst_ni,
    .clocks_i (clocks),
    .valid_i  (tx_valid),
    .ready_o  (tx_ready),
    .data_i   (tx_data),
    .tx_o,
    .busy_o   (tx_on_wire)
  );

  // Receive.
  logic       rx_come, rx_broken, rx_push, rx_room, rx_valid, rx_pop, rx_busy;
  logic [7:0] rx_come_data, rx_data;
  logic [6:0] rx_free, rx_level;
  assign rx_push  = rx_come && rx_room;
  assign rx_pop   = read && offset == uart_regs_pkg::RxdataOffset && rx_valid;
  assign rx_level = 7'(FifoDepth) - rx_free;

  soc_uart_rx u_rx (
    .clk_i,
    .rst_ni,
    .clocks_i (clocks),
    .rx_i,
    .valid_o  (rx_come),
    .broken_o (rx_broken),
    .data_o   (rx_come_data),
    .busy_o   (rx_busy)
  );

  stream_fifo #(
    .Width (8),
    .Depth (FifoDepth)
  ) u_rx_fifo (
    .clk_i,
    .rst_ni,
    .in_valid_i  (rx_come),
    .in_ready_o  (rx_room),
    .in_data_i   (rx_come_data),
    .out_valid_o (rx_valid),
    .out_ready_i (rx_pop),
    .out_data_o  (rx_data)
  );

  logic rx_any_free;
  credit_counter #(
    .Credits (FifoDepth)
  ) u_rx_level (
    .clk_i,
    .rst_ni,
    .take_i  (rx_push),
    .give_i  (rx_pop),
    .avail_o (rx_any_free),
    .count_o (rx_free)
  );

  uart_regs_pkg::errors_t errors_new;
  always_comb begin
    errors_new            = '0;
    errors_new.rx_overrun = rx_come && !rx_room;
    errors_new.rx_frame   = rx_broken;
    errors_new.tx_overrun = tx_write && !tx_room;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      divisor_q    <= uart_regs_pkg::DivisorReset;
      irq_enable_q <= uart_regs_pkg::IrqEnableReset;
      errors_q     <= uart_regs_pkg::ErrorsReset;
    end else begin
      errors_q <= errors_q | errors_new;
      if (write) begin
        case (offset)
          uart_regs_pkg::ErrorsOffset: errors_q <= (errors_q & ~(req_i.wdata & lanes)) | errors_new;
          uart_regs_pkg::DivisorOffset:
            divisor_q <= reg_pkg::merge(divisor_q, req_i.wdata, lanes & uart_regs_pkg::DivisorRwMask);
          uart_regs_pkg::IrqEnableOffset:
            irq_enable_q <= reg_pkg::merge(irq_enable_q, req_i.wdata, lanes & uart_regs_pkg::IrqEnableRwMask);
          default: ;
        endcase
      end
    end
  end

  uart_regs_pkg::rxdata_t     rxdata;
  uart_regs_pkg::status_t     status;
  uart_regs_pkg::irq_enable_t conditions;
  always_comb begin
    rxdata              = '0;
    rxdata.valid        = rx_valid;
    rxdata.data         = rx_valid ? rx_data : 8'h00;
    status              = '0;
    status.tx_full      = !tx_any_free;
    status.tx_empty     = !tx_valid;
    status.tx_busy      = tx_valid || tx_on_wire;
    status.rx_valid     = rx_valid;
    status.rx_full      = !rx_any_free;
    status.tx_level     = tx_level;
    status.rx_level     = rx_level;
    conditions          = '0;
    conditions.rx_valid = rx_valid;
    conditions.tx_low   = tx_level <= 7'(FifoDepth / 2);
    conditions.error    = errors_q != '0;
  end

  always_comb begin
    rsp_o       = '0;
    rsp_o.ready = 1'b1;
    case (offset)
      uart_regs_pkg::TxdataOffset:    rsp_o.rdata = '0;
      uart_regs_pkg::RxdataOffset:    rsp_o.rdata = rxdata;
      uart_regs_pkg::StatusOffset:    rsp_o.rdata = status;
      uart_regs_pkg::ErrorsOffset:    rsp_o.rdata = errors_q;
      uart_regs_pkg::DivisorOffset:   rsp_o.rdata = divisor_q;
      uart_regs_pkg::IrqEnableOffset: rsp_o.rdata = irq_enable_q;
      default:                        rsp_o.err = 1'b1;
    endcase
  end

  assign irq_o  = (conditions & irq_enable_q) != '0;
  assign busy_o = status.tx_busy || rx_busy;

endmodule
