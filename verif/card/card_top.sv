// The SoC with its struct ports spread into plain signals, for the C++ around it.
//
// Every input but the reset passes through a register first: what C++ writes after one clock edge, the SoC sees from the next edge
// on. No logic hangs on top-level inputs that way; the simulator would evaluate it again on every call.
module card_top (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         uart_rx_i,
  output logic         uart_tx_o,
  output logic         flash_sck_o,
  output logic         flash_cs_no,
  output logic [3:0]   flash_io_o,
  output logic [3:0]   flash_io_oe_o,
  input  logic [3:0]   flash_io_i,

  output logic         sleep_o,
  output logic [31:0]  status_o,

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
  output logic [7:0]   rvfi_mem_wmask_o,
  output logic [63:0]  rvfi_mem_rdata_o,
  output logic [63:0]  rvfi_mem_wdata_o
);

  logic              uart_rx_q;
  logic [3:0]        flash_io_q;
  mpe_pkg::dbg_req_t dbg_req_q;
  mpe_pkg::dbg_rsp_t dbg_rsp;

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

  // Nothing stands beside the management complex yet: what the processor asks of the card ends in errors.
  logic           card_req_valid, card_req_ready, card_rsp_valid;
  mbus_pkg::req_t card_req;
  mbus_pkg::rsp_t card_rsp;
  mbus_error u_nobody (
    .clk_i,
    .rst_ni,
    .req_valid_i (card_req_valid),
    .req_ready_o (card_req_ready),
    .req_id_i    (card_req.id),
    .rsp_valid_o (card_rsp_valid),
    .rsp_o       (card_rsp)
  );

  swai_soc u_soc (
    .clk_i,
    .rst_ni,
    .uart_rx_i  (uart_rx_q),
    .uart_tx_o,
    .flash_sck_o,
    .flash_cs_no,
    .flash_io_o,
    .flash_io_oe_o,
    .flash_io_i (flash_io_q),
    .card_req_valid_o  (card_req_valid),
    .card_req_ready_i  (card_req_ready),
    .card_req_o        (card_req),
    .card_rsp_valid_i  (card_rsp_valid),
    .card_rsp_ready_o  (),
    .card_rsp_i        (card_rsp),
    .visit_req_valid_i (1'b0),
    .visit_req_ready_o (),
    .visit_req_i       ('0),
    .visit_rsp_valid_o (),
    .visit_rsp_o       (),
    .host_reset_i      (1'b0),
    .fence_o           (),
    .drained_i         (1'b1),
    .domain_o          (),
    .rst_por_no        (),
    .rst_sys_no        (),
    .card_busy_i       (1'b0),
    .sleep_o,
    .status_o,
    .dbg_req_i  (dbg_req_q),
    .dbg_rsp_o  (dbg_rsp)
  );

  assign dbg_halted_o = dbg_rsp.halted;
  assign dbg_cause_o  = dbg_rsp.cause;
  assign dbg_busy_o   = dbg_rsp.busy;
  assign dbg_fault_o  = dbg_rsp.fault;
  assign dbg_data_o   = dbg_rsp.data;

  assign rvfi_valid_o     = u_soc.u_mpe.rvfi_valid;
  assign rvfi_trap_o      = u_soc.u_mpe.rvfi_trap;
  assign rvfi_intr_o      = u_soc.u_mpe.rvfi_intr;
  assign rvfi_insn_o      = u_soc.u_mpe.rvfi_insn;
  assign rvfi_pc_o        = u_soc.u_mpe.rvfi_pc;
  assign rvfi_next_pc_o   = u_soc.u_mpe.rvfi_next_pc;
  assign rvfi_cause_o     = u_soc.u_mpe.rvfi_cause;
  assign rvfi_tval_o      = u_soc.u_mpe.rvfi_tval;
  assign rvfi_mode_o      = u_soc.u_mpe.rvfi_mode;
  assign rvfi_rd_o        = u_soc.u_mpe.rvfi_rd;
  assign rvfi_rd_wdata_o  = u_soc.u_mpe.rvfi_rd_wdata;
  assign rvfi_mem_addr_o  = u_soc.u_mpe.rvfi_mem_addr;
  assign rvfi_mem_rmask_o = u_soc.u_mpe.rvfi_mem_rmask;
  assign rvfi_mem_wmask_o = u_soc.u_mpe.rvfi_mem_wmask;
  assign rvfi_mem_rdata_o = u_soc.u_mpe.rvfi_mem_rdata;
  assign rvfi_mem_wdata_o = u_soc.u_mpe.rvfi_mem_wdata;

endmodule
