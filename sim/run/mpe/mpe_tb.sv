// SPDX-License-Identifier: Apache-2.0
// The core with its struct ports spread into plain signals, for the C++ harness.
//
// Every input passes through a register first: what C++ writes after one clock edge, the core sees from the next edge on.
// No logic hangs on top-level inputs that way; Verilator would evaluate it again on every call.
module mpe_tb #(
  parameter int unsigned ICacheBytes = 16384,
  parameter int unsigned DCacheBytes = 16384
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic [63:0]      boot_addr_i,
  input  logic [63:0]      nmi_addr_i,
  input  logic [63:0]      time_i,
  input  logic             irq_m_software_i,
  input  logic             irq_m_timer_i,
  input  logic             irq_m_external_i,
  input  logic             irq_s_external_i,
  input  logic             nmi_i,
  output logic             sleep_o,

  // Memory bus. A request is taken in a cycle in which req_valid_o and req_ready_o are high.
  output logic             req_valid_o,
  output logic             req_ready_o,
  output logic [3:0]       req_op_o,
  output logic [1:0]       req_id_o,
  output logic [39:0]      req_addr_o,
  output logic [2:0]       req_size_o,
  output logic [63:0]      req_strb_o,
  output logic [511:0]     req_data_o,
  input  logic             req_ready_i,
  input  logic             rsp_valid_i,
  input  logic [1:0]       rsp_id_i,
  input  logic             rsp_err_i,
  input  logic [511:0]     rsp_data_i,

  // Debug port; the rest is looked at when dbg_update_i is high.
  input  logic             dbg_update_i,
  input  logic             dbg_halt_i,
  input  logic             dbg_resume_i,
  input  logic             dbg_step_i,
  input  logic             dbg_ebreak_halts_i,
  input  logic             dbg_insn_valid_i,
  input  logic [31:0]      dbg_insn_i,
  input  logic             dbg_data_we_i,
  input  logic [63:0]      dbg_data_i,
  input  logic [3:0]       dbg_bp_en_i,
  input  logic [255:0]     dbg_bp_addr_i,
  output logic             dbg_halted_o,
  output logic [2:0]       dbg_cause_o,
  output logic             dbg_busy_o,
  output logic             dbg_fault_o,
  output logic [63:0]      dbg_data_o,

  // What a harness that does not look at every instruction needs to know.
  input  logic [39:0]      watch_addr_i,   // eight bytes of physical memory
  output logic             watch_hit_o,    // the record of this cycle stores there
  output logic [63:0]      retired_o,      // instructions completed
  output logic [15:0]      events_o,       // performance events of this cycle, by number

  output logic             rvfi_valid,
  output logic [31:0]      rvfi_insn,
  output logic [63:0]      rvfi_pc,
  output logic [63:0]      rvfi_next_pc,
  output logic             rvfi_trap,
  output logic             rvfi_intr,
  output logic [63:0]      rvfi_cause,
  output logic [63:0]      rvfi_tval,
  output logic [1:0]       rvfi_mode,
  output logic [4:0]       rvfi_rd,
  output logic [63:0]      rvfi_rd_wdata,
  output logic [63:0]      rvfi_mem_addr,
  output logic [39:0]      rvfi_mem_paddr,
  output logic [7:0]       rvfi_mem_rmask,
  output logic [15:0]      rvfi_mem_wmask,
  output logic [63:0]      rvfi_mem_rdata,
  output logic [63:0]      rvfi_mem_wdata,
  output logic [63:0]      rvfi_mem_wdata_high,
  output logic [63:0]      rvfi_mip,
  output logic [63:0]      rvfi_csr_mstatus,
  output logic [63:0]      rvfi_csr_mie,
  output logic [63:0]      rvfi_csr_mtvec,
  output logic [63:0]      rvfi_csr_mscratch,
  output logic [63:0]      rvfi_csr_mepc,
  output logic [63:0]      rvfi_csr_mcause,
  output logic [63:0]      rvfi_csr_mtval,
  output logic [63:0]      rvfi_csr_medeleg,
  output logic [63:0]      rvfi_csr_mideleg,
  output logic [63:0]      rvfi_csr_mcounteren,
  output logic [63:0]      rvfi_csr_menvcfg,
  output logic [63:0]      rvfi_csr_stvec,
  output logic [63:0]      rvfi_csr_sscratch,
  output logic [63:0]      rvfi_csr_sepc,
  output logic [63:0]      rvfi_csr_scause,
  output logic [63:0]      rvfi_csr_stval,
  output logic [63:0]      rvfi_csr_satp,
  output logic [63:0]      rvfi_csr_scounteren,
  output logic [63:0]      rvfi_csr_senvcfg,
  output logic [63:0]      rvfi_csr_minstret,
  output logic [1:0]       rvfi_priv
);

  logic [63:0] boot_addr_q, nmi_addr_q, time_q;
  logic irq_m_software_q, irq_m_timer_q, irq_m_external_q, irq_s_external_q, nmi_q;
  logic req_ready_q, rsp_valid_q;
  logic [39:0] watch_addr_q;
  logic [63:0] retired_q;
  mbus_pkg::req_t req;
  mbus_pkg::rsp_t rsp_q;
  debug_pkg::req_t dbg_req_q;
  debug_pkg::rsp_t dbg_rsp;

  always_ff @(posedge clk_i) begin
    boot_addr_q      <= boot_addr_i;
    nmi_addr_q       <= nmi_addr_i;
    time_q           <= time_i;
    irq_m_software_q <= irq_m_software_i;
    irq_m_timer_q    <= irq_m_timer_i;
    irq_m_external_q <= irq_m_external_i;
    irq_s_external_q <= irq_s_external_i;
    nmi_q            <= nmi_i;
    watch_addr_q     <= watch_addr_i;
    req_ready_q      <= req_ready_i;
    rsp_valid_q      <= rsp_valid_i;
    if (rsp_valid_i) begin
      rsp_q <= '{id: mbus_pkg::id_e'(rsp_id_i), err: rsp_err_i, data: rsp_data_i};
    end
    if (dbg_update_i) begin
      dbg_req_q <= '{
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
  end

  mpe #(
    .ICacheBytes(ICacheBytes),
    .DCacheBytes(DCacheBytes)
  ) u_mpe (
    .clk_i,
    .rst_ni,
    .boot_addr_i     (boot_addr_q),
    .nmi_addr_i      (nmi_addr_q),
    .hart_id_i       (64'd0),
    .time_i          (time_q),
    .irq_m_software_i(irq_m_software_q),
    .irq_m_timer_i   (irq_m_timer_q),
    .irq_m_external_i(irq_m_external_q),
    .irq_s_external_i(irq_s_external_q),
    .nmi_i           (nmi_q),
    .mbus_req_valid_o(req_valid_o),
    .mbus_req_ready_i(req_ready_q),
    .mbus_req_o      (req),
    .mbus_rsp_valid_i(rsp_valid_q),
    .mbus_rsp_i      (rsp_q),
    .sleep_o,
    .write_error_o   (),  // mpe-run has nobody to tell
    .dbg_req_i       (dbg_req_q),
    .dbg_rsp_o       (dbg_rsp),
    .*  // the retirement port: the names are the same on both sides
  );

  assign req_ready_o = req_ready_q;
  assign req_op_o    = req.op;
  assign req_id_o    = req.id;
  assign req_addr_o  = req.addr;
  assign req_size_o  = req.size;
  assign req_strb_o  = req.strb;
  assign req_data_o  = req.data;

  assign dbg_halted_o = dbg_rsp.halted;
  assign dbg_cause_o  = dbg_rsp.cause;
  assign dbg_busy_o   = dbg_rsp.busy;
  assign dbg_fault_o  = dbg_rsp.fault;
  assign dbg_data_o   = dbg_rsp.data;

  assign watch_hit_o = rvfi_valid && rvfi_mem_wmask != '0 && rvfi_mem_paddr[39:3] == watch_addr_q[39:3];
  assign retired_o   = retired_q;
  assign events_o    = u_mpe.events;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      retired_q <= '0;
    end else if (rvfi_valid && !rvfi_trap && !rvfi_intr) begin
      retired_q <= retired_q + 64'd1;
    end
  end

endmodule
