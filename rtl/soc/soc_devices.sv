// SPDX-License-Identifier: Apache-2.0
// The devices of the management processor behind one register bus, and what they tell each other: interrupt
// lines to the gathering, bytes of the flash controller to the SHA-256 engine.
//
// Addresses of no device answer with an error. `rst_por_ni` resets what survives a system reset.
module soc_devices #(
  parameter int unsigned SramKiB   = 256,
  parameter int unsigned ICacheKiB = 16,
  parameter int unsigned DCacheKiB = 16
) (
  input  logic              clk_i,
  input  logic              rst_por_ni,
  input  logic              rst_ni,
  input  reg_pkg::reg_req_t req_i,
  output reg_pkg::reg_rsp_t rsp_o,

  // the ring's door to the inbox
  input  reg_pkg::reg_req_t inbox_req_i,
  output reg_pkg::reg_rsp_t inbox_rsp_o,
  input  logic [15:0]       faults_i,
  input  logic [3:0]        groups_reset_i,

  // pins
  input  logic              uart_rx_i,
  output logic              uart_tx_o,
  output logic              flash_sck_o,
  output logic              flash_cs_no,
  output logic [3:0]        flash_io_o,
  output logic [3:0]        flash_io_oe_o,
  input  logic [3:0]        flash_io_i,

  // reset controller
  input  logic              striking_i,
  input  system_regs_pkg::reset_cause_cause_e reset_cause_i,
  input  logic [7:0]        reset_count_i,
  output logic              software_reset_o,
  output logic              watchdog_reset_o,

  // core
  input  logic              awake_i,
  input  logic              write_error_i,
  output logic [63:0]       time_o,
  output logic              irq_m_software_o,
  output logic              irq_m_timer_o,
  output logic              irq_m_external_o,
  output logic              irq_s_external_o,
  output logic              nmi_o,
  output logic [63:0]       nmi_vector_o,

  output logic [31:0]       status_o,
  output logic              busy_o
);

  reg_pkg::reg_req_t timer_req, uart_req, flash_req, sha256_req, irq_req, system_req, inbox_req;
  reg_pkg::reg_rsp_t timer_rsp, uart_rsp, flash_rsp, sha256_rsp, irq_rsp, system_rsp, inbox_rsp;

  memmap_pkg::device_t device;
  assign device = memmap_pkg::device_of(memmap_pkg::AddrWidth'(req_i.addr));

  always_comb begin
    timer_req        = req_i;
    uart_req         = req_i;
    flash_req        = req_i;
    sha256_req       = req_i;
    irq_req          = req_i;
    system_req       = req_i;
    inbox_req        = req_i;
    timer_req.valid  = req_i.valid && device == memmap_pkg::DeviceTimer;
    uart_req.valid   = req_i.valid && device == memmap_pkg::DeviceUart;
    flash_req.valid  = req_i.valid && device == memmap_pkg::DeviceFlash;
    sha256_req.valid = req_i.valid && device == memmap_pkg::DeviceSha256;
    irq_req.valid    = req_i.valid && device == memmap_pkg::DeviceIrq;
    system_req.valid = req_i.valid && device == memmap_pkg::DeviceSystem;
    inbox_req.valid  = req_i.valid && device == memmap_pkg::DeviceInbox;
  end

  always_comb begin
    rsp_o       = '0;
    rsp_o.ready = 1'b1;
    case (device)
      memmap_pkg::DeviceTimer:  rsp_o = timer_rsp;
      memmap_pkg::DeviceUart:   rsp_o = uart_rsp;
      memmap_pkg::DeviceFlash:  rsp_o = flash_rsp;
      memmap_pkg::DeviceSha256: rsp_o = sha256_rsp;
      memmap_pkg::DeviceIrq:    rsp_o = irq_rsp;
      memmap_pkg::DeviceSystem: rsp_o = system_rsp;
      memmap_pkg::DeviceInbox:  rsp_o = inbox_rsp;
      default:                  rsp_o.err = 1'b1;
    endcase
  end

  logic timer_busy, uart_busy, flash_busy, sha256_busy;
  assign busy_o = timer_busy || uart_busy || flash_busy || sha256_busy;

  soc_timer u_timer (
    .clk_i,
    .rst_ni,
    .req_i          (timer_req),
    .rsp_o          (timer_rsp),
    .time_o,
    .irq_timer_o    (irq_m_timer_o),
    .irq_software_o (irq_m_software_o),
    .busy_o         (timer_busy)
  );

  logic            flash_irq, tap_valid, tap_ready;
  soc_pkg::chunk_t tap;

  // Console and storage have nothing to do most of the time. One gate for both: a simulator asks every clock, whether it runs or
  // not, for an edge. The pin moves when it likes, an enable must not.
  logic slow_clk, uart_rx_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) uart_rx_q <= 1'b1;
    else         uart_rx_q <= uart_rx_i;
  end
  idle_clock u_slow_clock (
    .clk_i,
    .rst_ni,
    .busy_i (uart_busy || uart_req.valid || !uart_rx_q || flash_busy || sha256_busy || tap_valid || flash_req.valid ||
             sha256_req.valid),
    .clk_o  (slow_clk)
  );

  logic uart_irq;
  soc_uart u_uart (
    .clk_i  (slow_clk),
    .rst_ni,
    .req_i  (uart_req),
    .rsp_o  (uart_rsp),
    .rx_i   (uart_rx_i),
    .tx_o   (uart_tx_o),
    .irq_o  (uart_irq),
    .busy_o (uart_busy)
  );

  soc_flash u_flash (
    .clk_i       (slow_clk),
    .rst_ni,
    .req_i       (flash_req),
    .rsp_o       (flash_rsp),
    .tap_valid_o (tap_valid),
    .tap_ready_i (tap_ready),
    .tap_o       (tap),
    .sck_o       (flash_sck_o),
    .cs_no       (flash_cs_no),
    .io_o        (flash_io_o),
    .io_oe_o     (flash_io_oe_o),
    .io_i        (flash_io_i),
    .irq_o       (flash_irq),
    .busy_o      (flash_busy)
  );

  soc_sha256 u_sha256 (
    .clk_i       (slow_clk),
    .rst_ni,
    .req_i       (sha256_req),
    .rsp_o       (sha256_rsp),
    .tap_valid_i (tap_valid),
    .tap_ready_o (tap_ready),
    .tap_i       (tap),
    .busy_o      (sha256_busy)
  );

  logic inbox_irq;
  soc_inbox u_inbox (
    .clk_i,
    .rst_ni,
    .req_i      (inbox_req),
    .rsp_o      (inbox_rsp),
    .ring_req_i (inbox_req_i),
    .ring_rsp_o (inbox_rsp_o),
    .faults_i,
    .groups_reset_i,
    .irq_o      (inbox_irq)
  );

  irq_regs_pkg::pending_t sources;
  always_comb begin
    sources             = '0;
    sources.uart        = uart_irq;
    sources.flash       = flash_irq;
    sources.write_error = write_error_i;
    sources.inbox       = inbox_irq;
  end

  soc_irq u_irq (
    .clk_i,
    .rst_ni,
    .req_i     (irq_req),
    .rsp_o     (irq_rsp),
    .sources_i (sources),
    .irq_m_o   (irq_m_external_o),
    .irq_s_o   (irq_s_external_o)
  );

  soc_system #(
    .SramKiB   (SramKiB),
    .ICacheKiB (ICacheKiB),
    .DCacheKiB (DCacheKiB)
  ) u_system (
    .clk_i,
    .rst_por_ni,
    .rst_ni,
    .req_i            (system_req),
    .rsp_o            (system_rsp),
    .striking_i,
    .cause_i          (reset_cause_i),
    .reset_count_i,
    .software_reset_o,
    .watchdog_reset_o,
    .awake_i,
    .nmi_o,
    .nmi_vector_o,
    .status_o
  );

endmodule
