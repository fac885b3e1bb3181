// SPDX-License-Identifier: Apache-2.0
// The card: management complex, core groups and PCIe endpoint, joined by the ring.
//
// Reset domains: what the PCIe endpoint keeps (power-on only, with the ring), the management complex, each group. A domain
// that resets is fenced off the ring and drained first.
//
// The ring's clock runs while it says that it is busy, and in a cycle in which one of its inputs asks for something;
// endpoint and groups gate their clocks themselves.
// `sleep_o` says that nothing will happen until an input moves: the clock may stop.
module swai_card #(
  parameter int unsigned Groups      = 1,
  parameter int unsigned Rows        = 4,  // of CPEs in a group
  parameter int unsigned Columns     = 8,
  parameter bit          SharedClock = 1'b0,  // of the CPEs of a group, see cg_cpes
  parameter              BootRomFile = ""
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic [63:0]         serial_i,

  input  logic                uart_rx_i,
  output logic                uart_tx_o,
  output logic                flash_sck_o,
  output logic                flash_cs_no,
  output logic [3:0]          flash_io_o,
  output logic [3:0]          flash_io_oe_o,
  input  logic [3:0]          flash_io_i,

  // PCIe wire
  input  logic                link_up_i,
  output logic                tx_valid_o,
  input  logic                tx_ready_i,
  output tlp_pkg::beat_t      tx_beat_o,
  input  tlp_pkg::credits_t   tx_limit_i,
  input  logic                rx_valid_i,
  input  tlp_pkg::beat_t      rx_beat_i,
  output tlp_pkg::credits_t   rx_limit_o,

  output logic                sleep_o,
  output logic [31:0]         status_o,

  input  debug_pkg::req_t   dbg_req_i,
  output debug_pkg::rsp_t   dbg_rsp_o
);

  localparam int unsigned Nodes    = 2 + Groups;
  localparam int unsigned Mpe      = 32'(noc_pkg::NodeMpe);
  localparam int unsigned Pcie     = 32'(noc_pkg::NodePcie);
  localparam int unsigned ReqWidth = noc_pkg::ReqWidth;
  localparam int unsigned RspWidth = noc_pkg::RspWidth;

  // -------------------------------------------------------------------------------------------------- ring

  logic                             rst_por_n, rst_sys_n;
  logic [Nodes-1:0]                 ini_req_valid, ini_req_ready, ini_rsp_valid;
  logic [Nodes-1:0]                 tgt_req_valid, tgt_req_ready, tgt_rsp_valid, tgt_rsp_ready;
  logic [Nodes-1:0][ReqWidth-1:0]   ini_req, tgt_req;
  logic [Nodes-1:0][RspWidth-1:0]   ini_rsp, tgt_rsp;
  logic [Nodes-1:0]                 fence, drained;
  logic                             ring_busy;

  logic ring_clk;
  clock_gate u_ring_clock (
    .clk_i,
    .en_i  (!rst_por_n || ring_busy || ini_req_valid != '0 || tgt_rsp_valid != '0 || fence != '0),
    .clk_o (ring_clk)
  );

  noc #(
    .Groups (Groups)
  ) u_ring (
    .clk_i            (ring_clk),
    .rst_ni           (rst_por_n),
    .ini_req_valid_i  (ini_req_valid),
    .ini_req_ready_o  (ini_req_ready),
    .ini_req_i        (ini_req),
    .ini_rsp_valid_o  (ini_rsp_valid),
    .ini_rsp_o        (ini_rsp),
    .tgt_req_valid_o  (tgt_req_valid),
    .tgt_req_ready_i  (tgt_req_ready),
    .tgt_req_o        (tgt_req),
    .tgt_rsp_valid_i  (tgt_rsp_valid),
    .tgt_rsp_ready_o  (tgt_rsp_ready),
    .tgt_rsp_i        (tgt_rsp),
    .fence_i          (fence),
    .drained_o        (drained),
    .busy_o           (ring_busy),
    .event_injected_o (),
    .event_ejected_o  (),
    .event_stalled_o  ()
  );

  // ------------------------------------------------------------------------------------ management complex

  logic              card_req_valid, card_req_ready, card_rsp_valid, card_rsp_ready;
  mbus_pkg::req_t    card_req;
  mbus_pkg::rsp_t    card_rsp;
  logic              visit_req_valid, visit_req_ready, visit_rsp_valid;
  mbus_pkg::req_t    visit_req;
  mbus_pkg::rsp_t    visit_rsp;
  logic [4:0]        reset_req;
  logic [9:0]        reset_status;
  debug_pkg::req_t dbg_req, host_dbg_req;
  logic              fabric_busy;
  logic [15:0]       faults;
  logic [3:0]        groups_reset;

  // Pins and host may both debug: a request of either counts. The core takes instruction and data some cycles after their
  // pulse, so they stay those of whoever asked last.
  logic host_asks_q;
  always_ff @(posedge clk_i) begin
    if (!rst_por_n) host_asks_q <= 1'b0;
    else if (host_dbg_req.insn_valid || host_dbg_req.data_we) host_asks_q <= 1'b1;
    else if (dbg_req_i.insn_valid || dbg_req_i.data_we) host_asks_q <= 1'b0;
  end

  always_comb begin
    dbg_req = dbg_req_i;
    if (host_asks_q || host_dbg_req.insn_valid || host_dbg_req.data_we) begin
      dbg_req.insn_valid = host_dbg_req.insn_valid;
      dbg_req.insn       = host_dbg_req.insn;
      dbg_req.data_we    = host_dbg_req.data_we;
      dbg_req.data       = host_dbg_req.data;
    end
    dbg_req.halt         = dbg_req_i.halt || host_dbg_req.halt;
    dbg_req.resume       = dbg_req_i.resume || host_dbg_req.resume;
    dbg_req.step         = dbg_req_i.step || host_dbg_req.step;
    dbg_req.ebreak_halts = dbg_req_i.ebreak_halts || host_dbg_req.ebreak_halts;
    if (host_dbg_req.bp_en != '0) begin
      dbg_req.bp_en   = host_dbg_req.bp_en;
      dbg_req.bp_addr = host_dbg_req.bp_addr;
    end
  end

  swai_soc #(
    .BootRomFile (BootRomFile)
  ) u_soc (
    .clk_i,
    .rst_ni,
    .uart_rx_i,
    .uart_tx_o,
    .flash_sck_o,
    .flash_cs_no,
    .flash_io_o,
    .flash_io_oe_o,
    .flash_io_i,
    .card_req_valid_o  (card_req_valid),
    .card_req_ready_i  (card_req_ready),
    .card_req_o        (card_req),
    .card_rsp_valid_i  (card_rsp_valid),
    .card_rsp_ready_o  (card_rsp_ready),
    .card_rsp_i        (card_rsp),
    .visit_req_valid_i (visit_req_valid),
    .visit_req_ready_o (visit_req_ready),
    .visit_req_i       (visit_req),
    .visit_rsp_valid_o (visit_rsp_valid),
    .visit_rsp_o       (visit_rsp),
    .faults_i          (faults),
    .groups_reset_i    (groups_reset),
    .host_reset_i      (reset_req[0]),
    .fence_o           (fence[Mpe]),
    .drained_i         (drained[Mpe]),
    .domain_o          (reset_status[1:0]),
    .rst_por_no        (rst_por_n),
    .rst_sys_no        (rst_sys_n),
    .card_busy_i       (fabric_busy),
    .sleep_o,
    .status_o,
    .dbg_req_i         (dbg_req),
    .dbg_rsp_o
  );

  logic out_busy, in_busy;

  noc_from_mbus u_out (
    .clk_i,
    .rst_ni          (rst_sys_n),
    .req_valid_i     (card_req_valid),
    .req_ready_o     (card_req_ready),
    .req_i           (card_req),
    .rsp_valid_o     (card_rsp_valid),
    .rsp_ready_i     (card_rsp_ready),
    .rsp_o           (card_rsp),
    .noc_req_valid_o (ini_req_valid[Mpe]),
    .noc_req_ready_i (ini_req_ready[Mpe]),
    .noc_req_o       (ini_req[Mpe]),
    .noc_rsp_valid_i (ini_rsp_valid[Mpe]),
    .noc_rsp_i       (ini_rsp[Mpe]),
    .busy_o          (out_busy)
  );

  noc_to_mbus u_in (
    .clk_i,
    .rst_ni          (rst_sys_n),
    .noc_req_valid_i (tgt_req_valid[Mpe]),
    .noc_req_ready_o (tgt_req_ready[Mpe]),
    .noc_req_i       (tgt_req[Mpe]),
    .noc_rsp_valid_o (tgt_rsp_valid[Mpe]),
    .noc_rsp_ready_i (tgt_rsp_ready[Mpe]),
    .noc_rsp_o       (tgt_rsp[Mpe]),
    .req_valid_o     (visit_req_valid),
    .req_ready_i     (visit_req_ready),
    .req_o           (visit_req),
    .rsp_valid_i     (visit_rsp_valid),
    .rsp_i           (visit_rsp),
    .busy_o          (in_busy)
  );

  // -------------------------------------------------------------------------------------------------- PCIe

  // The endpoint is in the domain of the ring: nobody resets it but power-on and the host, through itself.
  assign fence[Pcie] = 1'b0;

  pcie_regs_pkg::card_t card_info;
  always_comb begin
    card_info          = '0;
    card_info.groups   = 4'(Groups);
    card_info.rows     = 8'(Rows);
    card_info.columns  = 8'(Columns);
    card_info.hbm_gib  = 8'd16;
    card_info.sram_kib = 16'(memmap_pkg::SramBytes / 1024);
  end

  logic pcie_busy, flr;
  pcie u_pcie (
    .clk_i,
    .rst_ni          (rst_por_n),
    .link_up_i,
    .tx_valid_o,
    .tx_ready_i,
    .tx_beat_o,
    .tx_limit_i,
    .rx_valid_i,
    .rx_beat_i,
    .rx_limit_o,
    .noc_req_valid_o (ini_req_valid[Pcie]),
    .noc_req_ready_i (ini_req_ready[Pcie]),
    .noc_req_o       (ini_req[Pcie]),
    .noc_rsp_valid_i (ini_rsp_valid[Pcie]),
    .noc_rsp_i       (ini_rsp[Pcie]),
    .tgt_req_valid_i (tgt_req_valid[Pcie]),
    .tgt_req_ready_o (tgt_req_ready[Pcie]),
    .tgt_req_i       (tgt_req[Pcie]),
    .tgt_rsp_valid_o (tgt_rsp_valid[Pcie]),
    .tgt_rsp_ready_i (tgt_rsp_ready[Pcie]),
    .tgt_rsp_o       (tgt_rsp[Pcie]),
    .card_i          (card_info),
    .serial_i,
    .boot_status_i   (status_o),
    .reset_req_o     (reset_req),
    .reset_status_i  (reset_status),
    .flr_o           (flr),
    .dbg_req_o       (host_dbg_req),
    .dbg_rsp_i       (dbg_rsp_o),
    .packet_in_o     (),
    .dwords_in_o     (),
    .packet_out_o    (),
    .dwords_out_o    (),
    .busy_o          (pcie_busy)
  );

  // ------------------------------------------------------------------------------------------- core groups

  logic [Groups-1:0] group_busy, group_fault, cpe_fault, group_resetting;

  for (genvar g = 0; g < noc_pkg::MaxGroups; g++) begin : g_group
    if (g < Groups) begin : g_present
      localparam int unsigned Node = 32'(noc_pkg::NodeGroup0) + g;
      logic rst_n;

      soc_domain u_domain (
        .clk_i,
        .rst_ni     (rst_por_n),
        .request_i  (reset_req[1+g]),
        .drained_i  (drained[Node]),
        .accepted_o (),
        .fence_o    (fence[Node]),
        .striking_o (),
        .rst_no     (rst_n),
        .status_o   (reset_status[2+2*g +: 2])
      );
      assign group_resetting[g] = fence[Node];
      assign groups_reset[g]    = reset_status[2+2*g +: 2] == 2'd2;

      cg #(
        .Rows        (Rows),
        .Columns     (Columns),
        .SharedClock (SharedClock)
      ) u_group (
        .clk_i,
        .rst_ni          (rst_n),
        .group_i         (2'(g)),
        .tgt_req_valid_i (tgt_req_valid[Node]),
        .tgt_req_ready_o (tgt_req_ready[Node]),
        .tgt_req_i       (tgt_req[Node]),
        .tgt_rsp_valid_o (tgt_rsp_valid[Node]),
        .tgt_rsp_ready_i (tgt_rsp_ready[Node]),
        .tgt_rsp_o       (tgt_rsp[Node]),
        .ini_req_valid_o (ini_req_valid[Node]),
        .ini_req_ready_i (ini_req_ready[Node]),
        .ini_req_o       (ini_req[Node]),
        .ini_rsp_valid_i (ini_rsp_valid[Node]),
        .ini_rsp_i       (ini_rsp[Node]),
        .fault_o         (group_fault[g]),
        .cpe_fault_o     (cpe_fault[g]),
        .busy_o          (group_busy[g])
      );
    end else begin : g_absent
      assign reset_status[2+2*g +: 2] = 2'd0;
      assign groups_reset[g]          = 1'b0;
    end
  end

  // Bits 48 and up of the inbox are set when one of these rises.
  logic [15:0] reports, reports_q;
  assign reports = {7'b0, 4'(cpe_fault), flr, 4'(group_fault)};
  assign faults  = reports & ~reports_q;
  always_ff @(posedge clk_i) begin
    if (!rst_por_n) reports_q <= '1;
    else            reports_q <= reports;
  end

  assign fabric_busy = ring_busy || pcie_busy || out_busy || in_busy || group_busy != '0 || group_resetting != '0;

endmodule
