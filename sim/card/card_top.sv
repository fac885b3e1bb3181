// SPDX-License-Identifier: Apache-2.0
// The card with its struct ports spread into plain signals, for the C++ around it.
//
// Every input but the reset passes through a register first: what C++ writes after one clock edge, the card sees from the next edge
// on. No logic hangs on top-level inputs that way; the simulator would evaluate it again on every call.
module card_top #(
  parameter int unsigned Groups  = 1,
  parameter int unsigned Rows    = 4,  // of CPEs in a group
  parameter int unsigned Columns = 8
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         uart_rx_i,
  output logic         uart_tx_o,
  output logic         flash_sck_o,
  output logic         flash_cs_no,
  output logic [3:0]   flash_io_o,
  output logic [3:0]   flash_io_oe_o,
  input  logic [3:0]   flash_io_i,

  // PCIe wire: bits of tlp_pkg::beat_t and credits_t.
  input  logic [63:0]  serial_i,
  input  logic         link_up_i,
  output logic         tx_valid_o,
  input  logic         tx_ready_i,
  output logic [641:0] tx_beat_o,
  input  logic [39:0]  tx_limit_i,
  input  logic         rx_valid_i,
  input  logic [641:0] rx_beat_i,
  output logic [39:0]  rx_limit_o,

  output logic [2:0]   groups_o,
  output logic         sleep_o,
  output logic [31:0]  status_o,

  input  logic         trace_i,     // tell C++ what happens inside; changes nothing of it

  // Debug port
  input  logic         dbg_halt_i,
  input  logic         dbg_resume_i,
  input  logic         dbg_step_i,
  input  logic         dbg_ebreak_halts_i,
  input  logic         dbg_insn_valid_i,
  input  logic [31:0]  dbg_insn_i,
  input  logic         dbg_data_we_i,
  input  logic [63:0]  dbg_data_i,
  input  logic [3:0]   dbg_bp_en_i,
  input  logic [255:0] dbg_bp_addr_i,
  output logic         dbg_halted_o,
  output logic [2:0]   dbg_cause_o,
  output logic         dbg_busy_o,
  output logic         dbg_fault_o,
  output logic [63:0]  dbg_data_o,

  // The core's retirement port, as far as a trace shows it.
  output logic         rvfi_valid_o,
  output logic         rvfi_trap_o,
  output logic         rvfi_intr_o,
  output logic [31:0]  rvfi_insn_o,
  output logic [63:0]  rvfi_pc_o,
  output logic [63:0]  rvfi_next_pc_o,
  output logic [63:0]  rvfi_cause_o,
  output logic [63:0]  rvfi_tval_o,
  output logic [1:0]   rvfi_mode_o,
  output logic [4:0]   rvfi_rd_o,
  output logic [63:0]  rvfi_rd_wdata_o,
  output logic [63:0]  rvfi_mem_addr_o,
  output logic [7:0]   rvfi_mem_rmask_o,
  output logic [15:0]  rvfi_mem_wmask_o,
  output logic [63:0]  rvfi_mem_rdata_o,
  output logic [63:0]  rvfi_mem_wdata_o,
  output logic [63:0]  rvfi_mem_wdata_high_o
);

  logic              uart_rx_q;
  logic [3:0]        flash_io_q;
  debug_pkg::req_t dbg_req_q;
  debug_pkg::rsp_t dbg_rsp;

  always_ff @(posedge clk_i) begin
    uart_rx_q  <= uart_rx_i;
    flash_io_q <= flash_io_i;
    dbg_req_q  <= '{
        halt:         dbg_halt_i,
        resume:       dbg_resume_i,
        step:         dbg_step_i,
        ebreak_halts: dbg_ebreak_halts_i,
        insn_valid:   dbg_insn_valid_i,
        insn:         dbg_insn_i,
        data_we:      dbg_data_we_i,
        data:         dbg_data_i,
        bp_en:        dbg_bp_en_i,
        bp_addr:      dbg_bp_addr_i
    };
  end

  logic              link_up_q, rx_valid_q, tx_valid, tx_ready, card_sleep;
  tlp_pkg::beat_t    rx_beat_q, tx_beat;
  tlp_pkg::credits_t tx_limit_q;

  always_ff @(posedge clk_i) begin
    link_up_q  <= link_up_i;
    rx_valid_q <= rx_valid_i;
    tx_limit_q <= tx_limit_i;
    if (rx_valid_i) rx_beat_q <= rx_beat_i;
  end

  stream_spill #(
    .Width (642)
  ) u_tx (
    .clk_i,
    .rst_ni,
    .in_valid_i  (tx_valid),
    .in_ready_o  (tx_ready),
    .in_data_i   (tx_beat),
    .out_valid_o (tx_valid_o),
    .out_ready_i (tx_ready_i),
    .out_data_o  (tx_beat_o)
  );

  swai_card #(
    .Groups  (Groups),
    .Rows    (Rows),
    .Columns (Columns),
    .SharedClock (1'b1)
  ) u_card (
    .clk_i,
    .rst_ni,
    .serial_i,
    .uart_rx_i     (uart_rx_q),
    .uart_tx_o,
    .flash_sck_o,
    .flash_cs_no,
    .flash_io_o,
    .flash_io_oe_o,
    .flash_io_i    (flash_io_q),
    .link_up_i     (link_up_q),
    .tx_valid_o    (tx_valid),
    .tx_ready_i    (tx_ready),
    .tx_beat_o     (tx_beat),
    .tx_limit_i    (tx_limit_q),
    .rx_valid_i    (rx_valid_q),
    .rx_beat_i     (rx_beat_q),
    .rx_limit_o,
    .sleep_o       (card_sleep),
    .status_o,
    .dbg_req_i     (dbg_req_q),
    .dbg_rsp_o     (dbg_rsp)
  );

`ifndef SYNTHESIS
  card_trace #(
    .Groups (Groups),
    .Cpes   (Rows * Columns)
  ) u_trace (
    .clk_i,
    .trace_i
  );
`endif

  assign groups_o = 3'(Groups);
  assign sleep_o  = card_sleep && !rx_valid_q && !tx_valid_o && link_up_q == link_up_i;

  assign dbg_halted_o = dbg_rsp.halted;
  assign dbg_cause_o  = dbg_rsp.cause;
  assign dbg_busy_o   = dbg_rsp.busy;
  assign dbg_fault_o  = dbg_rsp.fault;
  assign dbg_data_o   = dbg_rsp.data;

  assign rvfi_valid_o     = u_card.u_soc.u_mpe.rvfi_valid;
  assign rvfi_trap_o      = u_card.u_soc.u_mpe.rvfi_trap;
  assign rvfi_intr_o      = u_card.u_soc.u_mpe.rvfi_intr;
  assign rvfi_insn_o      = u_card.u_soc.u_mpe.rvfi_insn;
  assign rvfi_pc_o        = u_card.u_soc.u_mpe.rvfi_pc;
  assign rvfi_next_pc_o   = u_card.u_soc.u_mpe.rvfi_next_pc;
  assign rvfi_cause_o     = u_card.u_soc.u_mpe.rvfi_cause;
  assign rvfi_tval_o      = u_card.u_soc.u_mpe.rvfi_tval;
  assign rvfi_mode_o      = u_card.u_soc.u_mpe.rvfi_mode;
  assign rvfi_rd_o        = u_card.u_soc.u_mpe.rvfi_rd;
  assign rvfi_rd_wdata_o  = u_card.u_soc.u_mpe.rvfi_rd_wdata;
  assign rvfi_mem_addr_o  = u_card.u_soc.u_mpe.rvfi_mem_addr;
  assign rvfi_mem_rmask_o = u_card.u_soc.u_mpe.rvfi_mem_rmask;
  assign rvfi_mem_wmask_o = u_card.u_soc.u_mpe.rvfi_mem_wmask;
  assign rvfi_mem_rdata_o = u_card.u_soc.u_mpe.rvfi_mem_rdata;
  assign rvfi_mem_wdata_o = u_card.u_soc.u_mpe.rvfi_mem_wdata;
  assign rvfi_mem_wdata_high_o = u_card.u_soc.u_mpe.rvfi_mem_wdata_high;

endmodule
