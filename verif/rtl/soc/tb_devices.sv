// SPDX-License-Identifier: Apache-2.0
// All devices of the SoC and its reset controller, with the register bus as plain ports.
module tb_devices (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        reg_valid_i,
  input  logic        reg_write_i,
  input  logic [31:0] reg_addr_i,
  input  logic [63:0] reg_wdata_i,
  input  logic [7:0]  reg_wstrb_i,
  output logic        reg_ready_o,
  output logic        reg_err_o,
  output logic [63:0] reg_rdata_o,

  input  logic        ring_valid_i,
  input  logic        ring_write_i,
  input  logic [31:0] ring_addr_i,
  input  logic [63:0] ring_wdata_i,
  input  logic [7:0]  ring_wstrb_i,
  output logic        ring_err_o,
  output logic [63:0] ring_rdata_o,
  input  logic [15:0] faults_i,
  input  logic [3:0]  groups_reset_i,

  input  logic        host_reset_i,
  input  logic        drained_i,
  output logic        fence_o,

  input  logic        uart_rx_i,
  output logic        uart_tx_o,
  output logic        flash_sck_o,
  output logic        flash_cs_no,
  output logic [3:0]  flash_io_o,
  output logic [3:0]  flash_io_oe_o,
  input  logic [3:0]  flash_io_i,

  input  logic        awake_i,
  input  logic        write_error_i,
  output logic        rst_sys_no,
  output logic [63:0] time_o,
  output logic        irq_m_software_o,
  output logic        irq_m_timer_o,
  output logic        irq_m_external_o,
  output logic        irq_s_external_o,
  output logic        nmi_o,
  output logic [63:0] nmi_vector_o,
  output logic [31:0] status_o,
  output logic        busy_o
);

  reg_pkg::reg_req_t req;
  reg_pkg::reg_rsp_t rsp;
  assign req.valid   = reg_valid_i;
  assign req.write   = reg_write_i;
  assign req.addr    = reg_addr_i;
  assign req.wdata   = reg_wdata_i;
  assign req.wstrb   = reg_wstrb_i;
  assign reg_ready_o = rsp.ready;
  assign reg_err_o   = rsp.err;
  assign reg_rdata_o = rsp.rdata;

  reg_pkg::reg_req_t ring_req;
  reg_pkg::reg_rsp_t ring_rsp;
  assign ring_req.valid = ring_valid_i;
  assign ring_req.write = ring_write_i;
  assign ring_req.addr  = ring_addr_i;
  assign ring_req.wdata = ring_wdata_i;
  assign ring_req.wstrb = ring_wstrb_i;
  assign ring_err_o     = ring_rsp.err;
  assign ring_rdata_o   = ring_rsp.rdata;

  logic       rst_por_n, software_reset, watchdog_reset, striking;
  logic [7:0] reset_count;
  system_regs_pkg::reset_cause_cause_e reset_cause;

  soc_reset u_reset (
    .clk_i,
    .rst_pin_ni (rst_ni),
    .software_i (software_reset),
    .watchdog_i (watchdog_reset),
    .host_i     (host_reset_i),
    .drained_i,
    .fence_o,
    .domain_o   (),
    .rst_por_no (rst_por_n),
    .rst_sys_no,
    .striking_o (striking),
    .cause_o    (reset_cause),
    .count_o    (reset_count)
  );

  soc_devices u_devices (
    .clk_i,
    .rst_por_ni       (rst_por_n),
    .rst_ni           (rst_sys_no),
    .req_i            (req),
    .rsp_o            (rsp),
    .inbox_req_i      (ring_req),
    .inbox_rsp_o      (ring_rsp),
    .faults_i,
    .groups_reset_i,
    .uart_rx_i,
    .uart_tx_o,
    .flash_sck_o,
    .flash_cs_no,
    .flash_io_o,
    .flash_io_oe_o,
    .flash_io_i,
    .striking_i       (striking),
    .reset_cause_i    (reset_cause),
    .reset_count_i    (reset_count),
    .software_reset_o (software_reset),
    .watchdog_reset_o (watchdog_reset),
    .awake_i,
    .write_error_i,
    .time_o,
    .irq_m_software_o,
    .irq_m_timer_o,
    .irq_m_external_o,
    .irq_s_external_o,
    .nmi_o,
    .nmi_vector_o,
    .status_o,
    .busy_o
  );

endmodule
