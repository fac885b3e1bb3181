// SPDX-License-Identifier: Apache-2.0
// The management complex: processor, boot ROM, SRAM, devices, resets.
//
// The processor's memory bus reaches what is local through one demultiplexer (soc_decode says where), and the rest of
// the card through `card_*`, whose answers wait for local ones. The rest of the card reaches SRAM and inbox through
// `visit_*`. Both doors are closed by `fence_o` before a reset, which waits until `drained_i`; they lead through modules
// that only power-on resets (`rst_por_no`).
// `sleep_o` says that nothing will happen until an input moves: the clock may stop.
module swai_soc #(
  parameter int unsigned SramBytes   = 32'(memmap_pkg::SramBytes),
  parameter int unsigned ICacheBytes = 16384,
  parameter int unsigned DCacheBytes = 16384,
  parameter              BootRomFile = ""
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic              uart_rx_i,
  output logic              uart_tx_o,
  output logic              flash_sck_o,
  output logic              flash_cs_no,
  output logic [3:0]        flash_io_o,
  output logic [3:0]        flash_io_oe_o,
  input  logic [3:0]        flash_io_i,

  // Card devices and HBM, as the processor reaches them.
  output logic              card_req_valid_o,
  input  logic              card_req_ready_i,
  output mbus_pkg::req_t    card_req_o,
  input  logic              card_rsp_valid_i,
  output logic              card_rsp_ready_o,
  input  mbus_pkg::rsp_t    card_rsp_i,

  // SRAM and inbox, as the card reaches them.
  input  logic              visit_req_valid_i,
  output logic              visit_req_ready_o,
  input  mbus_pkg::req_t    visit_req_i,
  output logic              visit_rsp_valid_o,
  output mbus_pkg::rsp_t    visit_rsp_o,

  input  logic [15:0]       faults_i,       // pulses: inbox.work.faults
  input  logic [3:0]        groups_reset_i, // groups that are being reset: their done words are void
  input  logic              host_reset_i,
  output logic              fence_o,
  input  logic              drained_i,
  output logic [1:0]        domain_o,       // how the system reset is: see soc_domain
  output logic              rst_por_no,
  output logic              rst_sys_no,
  input  logic              card_busy_i,

  output logic              sleep_o,
  output logic [31:0]       status_o,

  input  debug_pkg::req_t dbg_req_i,
  output debug_pkg::rsp_t dbg_rsp_o
);

  // ------------------------------------------------------------------------------------------------ resets

  logic       rst_por_n, rst_sys_n, software_reset, watchdog_reset, striking;
  assign rst_por_no = rst_por_n;
  assign rst_sys_no = rst_sys_n;
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
    .domain_o,
    .rst_por_no (rst_por_n),
    .rst_sys_no (rst_sys_n),
    .striking_o (striking),
    .cause_o    (reset_cause),
    .count_o    (reset_count)
  );

  // -------------------------------------------------------------------------------------------------- core

  logic           req_valid, req_ready, rsp_valid;
  mbus_pkg::req_t req;
  mbus_pkg::rsp_t rsp;

  logic        irq_m_software, irq_m_timer, irq_m_external, irq_s_external, nmi, write_error, core_sleep;
  logic [63:0] card_time, nmi_vector;

  // The core's clock stands while it waits for an interrupt.
  logic core_clk;
  clock_gate u_core_clock (
    .clk_i,
    .en_i  (!rst_sys_n || !core_sleep || irq_m_software || irq_m_timer || irq_m_external || irq_s_external || nmi || rsp_valid ||
            dbg_req_i.halt || dbg_req_i.resume || dbg_rsp_o.halted),
    .clk_o (core_clk)
  );

  mpe #(
    .ICacheBytes (ICacheBytes),
    .DCacheBytes (DCacheBytes)
  ) u_mpe (
    .clk_i            (core_clk),
    .rst_ni           (rst_sys_n),
    .boot_addr_i      (64'(memmap_pkg::BootVector)),
    .nmi_addr_i       (nmi_vector),
    .hart_id_i        ('0),
    .time_i           (card_time),
    .irq_m_software_i (irq_m_software),
    .irq_m_timer_i    (irq_m_timer),
    .irq_m_external_i (irq_m_external),
    .irq_s_external_i (irq_s_external),
    .nmi_i            (nmi),
    .mbus_req_valid_o (req_valid),
    .mbus_req_ready_i (req_ready),
    .mbus_req_o       (req),
    .mbus_rsp_valid_i (rsp_valid),
    .mbus_rsp_i       (rsp),
    .write_error_o    (write_error),
    .sleep_o          (core_sleep),
    .dbg_req_i,
    .dbg_rsp_o
  );

  // A refused write shows combinationally in the response; the register keeps the response's path out of the
  // devices, which answer on it.
  logic write_error_q;
  always_ff @(posedge clk_i) begin
    if (!rst_sys_n) write_error_q <= 1'b0;
    else            write_error_q <= write_error;
  end

  // --------------------------------------------------------------------------------------------------- bus

  logic           local_req_valid, local_req_ready, local_rsp_valid;
  mbus_pkg::rsp_t local_rsp;

  mbus_split u_split (
    .clk_i,
    .rst_ni              (rst_sys_n),
    .patient_i           (soc_pkg::on_card(req.addr)),
    .mst_req_valid_i     (req_valid),
    .mst_req_ready_o     (req_ready),
    .mst_req_i           (req),
    .mst_rsp_valid_o     (rsp_valid),
    .mst_rsp_o           (rsp),
    .prompt_req_valid_o  (local_req_valid),
    .prompt_req_ready_i  (local_req_ready),
    .prompt_rsp_valid_i  (local_rsp_valid),
    .prompt_rsp_i        (local_rsp),
    .patient_req_valid_o (card_req_valid_o),
    .patient_req_ready_i (card_req_ready_i),
    .patient_rsp_valid_i (card_rsp_valid_i),
    .patient_rsp_ready_o (card_rsp_ready_o),
    .patient_rsp_i       (card_rsp_i)
  );
  assign card_req_o = req;

  soc_pkg::target_t            target, answering;
  logic [soc_pkg::Targets-1:0] slave_req_valid, slave_req_ready, slave_rsp_valid;
  mbus_pkg::req_t              slave_req;
  mbus_pkg::rsp_t              rom_rsp, sram_rsp, devices_rsp, nobody_rsp;

  soc_decode #(
    .SramBytes (SramBytes)
  ) u_decode (
    .addr_i   (req.addr),
    .target_o (target)
  );

  mbus_demux #(
    .N (soc_pkg::Targets)
  ) u_demux (
    .clk_i,
    .rst_ni          (rst_sys_n),
    .sel_i           (target),
    .mst_req_valid_i (local_req_valid),
    .mst_req_ready_o (local_req_ready),
    .mst_req_i       (req),
    .mst_rsp_valid_o (local_rsp_valid),
    .answering_o     (answering),
    .slv_req_valid_o (slave_req_valid),
    .slv_req_ready_i (slave_req_ready),
    .slv_req_o       (slave_req),
    .slv_rsp_valid_i (slave_rsp_valid)
  );

  always_comb begin
    case (answering)
      soc_pkg::TargetRom:     local_rsp = rom_rsp;
      soc_pkg::TargetSram:    local_rsp = sram_rsp;
      soc_pkg::TargetDevices: local_rsp = devices_rsp;
      default:                local_rsp = nobody_rsp;
    endcase
  end

  soc_rom #(
    .Bytes    (32'(memmap_pkg::RomRegionSize)),
    .InitFile (BootRomFile)
  ) u_rom (
    .clk_i,
    .rst_ni      (rst_sys_n),
    .req_valid_i (slave_req_valid[soc_pkg::TargetRom]),
    .req_ready_o (slave_req_ready[soc_pkg::TargetRom]),
    .req_i       (slave_req),
    .rsp_valid_o (slave_rsp_valid[soc_pkg::TargetRom]),
    .rsp_o       (rom_rsp)
  );

  // The SRAM has two masters: processor and visitors.
  logic              sram_visit_valid, sram_visit_ready, sram_visit_rsp_valid;
  logic              shared_valid, shared_ready, shared_rsp_valid;
  mbus_pkg::req_t    visit_req, shared_req;
  mbus_pkg::rsp_t    shared_rsp;

  mbus_arbiter #(
    .N (2)
  ) u_sram_arbiter (
    .clk_i,
    .rst_ni          (rst_sys_n),
    .mst_req_valid_i ({sram_visit_valid, slave_req_valid[soc_pkg::TargetSram]}),
    .mst_req_ready_o ({sram_visit_ready, slave_req_ready[soc_pkg::TargetSram]}),
    .mst_req_i       ({visit_req, slave_req}),
    .mst_rsp_valid_o ({sram_visit_rsp_valid, slave_rsp_valid[soc_pkg::TargetSram]}),
    .mst_rsp_o       (sram_rsp),
    .slv_req_valid_o (shared_valid),
    .slv_req_ready_i (shared_ready),
    .slv_req_o       (shared_req),
    .slv_rsp_valid_i (shared_rsp_valid),
    .slv_rsp_i       (shared_rsp)
  );

  mbus_sram #(
    .Bytes (SramBytes),
    .Base  (memmap_pkg::LocalRegionBase)
  ) u_sram (
    .clk_i,
    .rst_ni      (rst_sys_n),
    .req_valid_i (shared_valid),
    .req_ready_o (shared_ready),
    .req_i       (shared_req),
    .rsp_valid_o (shared_rsp_valid),
    .rsp_o       (shared_rsp)
  );

  reg_pkg::reg_req_t inbox_req;
  reg_pkg::reg_rsp_t inbox_rsp;

  soc_visit #(
    .SramBytes (SramBytes)
  ) u_visit (
    .clk_i,
    .rst_ni           (rst_sys_n),
    .req_valid_i      (visit_req_valid_i),
    .req_ready_o      (visit_req_ready_o),
    .req_i            (visit_req_i),
    .rsp_valid_o      (visit_rsp_valid_o),
    .rsp_o            (visit_rsp_o),
    .slv_req_o        (visit_req),
    .sram_req_valid_o (sram_visit_valid),
    .sram_req_ready_i (sram_visit_ready),
    .sram_rsp_valid_i (sram_visit_rsp_valid),
    .sram_rsp_i       (sram_rsp),
    .inbox_req_o      (inbox_req),
    .inbox_rsp_i      (inbox_rsp)
  );

  mbus_error u_nobody (
    .clk_i,
    .rst_ni      (rst_sys_n),
    .req_valid_i (slave_req_valid[soc_pkg::TargetNobody]),
    .req_ready_o (slave_req_ready[soc_pkg::TargetNobody]),
    .req_id_i    (slave_req.id),
    .rsp_valid_o (slave_rsp_valid[soc_pkg::TargetNobody]),
    .rsp_o       (nobody_rsp)
  );

  reg_pkg::reg_req_t reg_req;
  reg_pkg::reg_rsp_t reg_rsp;

  mbus_to_reg u_to_reg (
    .clk_i,
    .rst_ni      (rst_sys_n),
    .req_valid_i (slave_req_valid[soc_pkg::TargetDevices]),
    .req_ready_o (slave_req_ready[soc_pkg::TargetDevices]),
    .req_i       (slave_req),
    .rsp_valid_o (slave_rsp_valid[soc_pkg::TargetDevices]),
    .rsp_o       (devices_rsp),
    .reg_req_o   (reg_req),
    .reg_rsp_i   (reg_rsp)
  );

  // ----------------------------------------------------------------------------------------------- devices

  logic devices_busy;

  soc_devices #(
    .SramKiB   (SramBytes / 1024),
    .ICacheKiB (ICacheBytes / 1024),
    .DCacheKiB (DCacheBytes / 1024)
  ) u_devices (
    .clk_i,
    .rst_por_ni       (rst_por_n),
    .rst_ni           (rst_sys_n),
    .req_i            (reg_req),
    .rsp_o            (reg_rsp),
    .inbox_req_i      (inbox_req),
    .inbox_rsp_o      (inbox_rsp),
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
    .awake_i          (!sleep_o),
    .write_error_i    (write_error_q),
    .time_o           (card_time),
    .irq_m_software_o (irq_m_software),
    .irq_m_timer_o    (irq_m_timer),
    .irq_m_external_o (irq_m_external),
    .irq_s_external_o (irq_s_external),
    .nmi_o            (nmi),
    .nmi_vector_o     (nmi_vector),
    .status_o,
    .busy_o           (devices_busy)
  );

  soc_sleep #(
    .Wakes (5)
  ) u_sleep (
    .clk_i,
    .rst_ni       (rst_sys_n),
    .core_sleep_i (core_sleep),
    .busy_i       (devices_busy || card_busy_i || fence_o || dbg_req_i.halt || dbg_req_i.resume || dbg_req_i.insn_valid),
    .wakes_i      ({irq_m_software, irq_m_timer, irq_m_external, irq_s_external, nmi}),
    .sleep_o
  );

endmodule
