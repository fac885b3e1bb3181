// SPDX-License-Identifier: Apache-2.0
// The scalar side of a CPE: its core, the clock that stands still while the core waits for an engine, and the window to global memory.
// Control and access port have the same clock (core_clk_o): they have nothing to do then.
module cpe_scalar #(
  parameter int unsigned Rows    = 4,
  parameter int unsigned Columns = 8,
  parameter bit          Serial  = 1'b0
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  cpe_pkg::id_t         id_i,
  input  logic [31:0]          boot_pc_i,
  input  logic [15:0]          daemon_segment_i,
  input  cpe_pkg::launch_t     launch_i,          // the one that runs
  input  logic                 awake_i,
  input  logic                 halt_i,
  input  logic                 invalidate_i,
  input  logic                 wake_i,            // there is something for what has the core's clock
  output logic                 core_clk_o,

  output logic                 issue_valid_o,
  output cpe_pkg::issue_t      issue_o,
  input  logic                 issue_control_i,   // the command is for cpe_control, which has the core's clock itself
  input  logic                 issue_ready_i,
  input  logic                 issue_bad_i,
  input  logic [31:0]          issue_rdata_i,

  output cpe_ldm_pkg::scalar_t ldm_o,
  input  logic                 ldm_ready_i,
  input  logic [31:0]          ldm_rdata_i,

  output logic                 fetch_valid_o,
  output logic [25:0]          fetch_line_o,
  output logic                 mem_valid_o,
  input  logic                 mem_ready_i,
  output cpe_pkg::mem_req_t    mem_o,
  input  logic                 rsp_valid_i,
  input  cpe_pkg::mem_rsp_t    rsp_i,

  output logic                 fault_valid_o,
  output cpe_pkg::fault_t      fault_o,
  output logic                 waiting_o,
  output logic                 halted_o,
  output logic                 quiet_o,           // no request of the window's is under way
  output logic [31:0]          pc_o,
  input  logic [3:0]           counter_select_i,
  output logic [31:0]          counter_o
);

  logic                en, awake, wake, ldm_ready;
  logic [7:0]          waited;
  logic                win_valid, win_write, win_done;
  logic [31:0]         win_addr, win_wdata, win_rdata;
  logic [1:0]          win_size;
  cpe_isa_pkg::cause_t win_cause;
  logic [15:0]         win_segment;
  logic [47:0]         win_offset;
  logic [63:0]         win_pointer;

  // The small core's counters take no more than one cycle at a time, and its registers no gate.
  if (Serial) begin : g_core_runs
    assign en     = 1'b1;
    assign awake  = awake_i;
    assign waited = '0;
  end else begin : g_core_stops
    cpe_core_wait u_core_wait (
      .clk_i,
      .rst_ni,
      .awake_i,
      .waiting_i(waiting_o && issue_valid_o && !issue_control_i),
      .ready_i  (issue_ready_i),
      .wake_i   (wake),
      .en_o     (en),
      .awake_o  (awake),
      .waited_o (waited)
    );
  end

  cpe_core_gate u_core_gate (
    .clk_i,
    .en_i       (en),
    .clk_o      (core_clk_o),
    .ldm_valid_i(ldm_o.valid),
    .ldm_ready_i,
    .ldm_ready_o(ldm_ready)
  );

  // Answers to the DMA engine are not for the core, and those who wait for an engine wait for nothing else.
  always_comb begin
    wake = 1'b0;
    if (waiting_o) begin
      wake = !rst_ni || halt_i || invalidate_i || wake_i || (rsp_valid_i && rsp_i.kind != cpe_pkg::MemDma);
    end
  end

  cpe_core #(
    .Serial(Serial)
  ) u_core (
    .clk_i         (core_clk_o),
    .rst_ni,
    .boot_pc_i,
    .id_i,
    .config_i      ({16'd128, 8'(Columns), 8'(Rows)}),
    .awake_i       (awake),
    .waited_i      (waited),
    .halt_i,
    .fetch_valid_o,
    .fetch_line_o,
    .refill_valid_i(rsp_valid_i && rsp_i.kind == cpe_pkg::MemFetch),
    .refill_cause_i(rsp_i.cause),
    .refill_data_i (rsp_i.data),
    .invalidate_i,
    .ldm_valid_o   (ldm_o.valid),
    .ldm_ready_i   (ldm_ready),
    .ldm_write_o   (ldm_o.write),
    .ldm_addr_o    (ldm_o.addr),
    .ldm_wdata_o   (ldm_o.wdata),
    .ldm_strb_o    (ldm_o.strb),
    .ldm_rdata_i,
    .win_valid_o   (win_valid),
    .win_write_o   (win_write),
    .win_addr_o    (win_addr),
    .win_size_o    (win_size),
    .win_wdata_o   (win_wdata),
    .win_done_i    (win_done),
    .win_rdata_i   (win_rdata),
    .win_cause_i   (win_cause),
    .win_segment_i (win_segment),
    .win_offset_i  (win_offset),
    .win_pointer_o (win_pointer),
    .issue_valid_o,
    .issue_o,
    .issue_ready_i,
    .issue_rdata_i,
    .issue_bad_i,
    .launch_mask_i     (launch_i.mask),
    .argument_segment_i(launch_i.argument_segment),
    .fault_valid_o,
    .fault_o,
    .waiting_o,
    .halted_o,
    .pc_o,
    .counter_select_i,
    .counter_o
`ifdef CPE_RVFI
    ,
    .rvfi_valid    (),
    .rvfi_trap     (),
    .rvfi_insn     (),
    .rvfi_pc       (),
    .rvfi_next_pc  (),
    .rvfi_rd       (),
    .rvfi_rd_wdata (),
    .rvfi_mem_addr (),
    .rvfi_mem_rmask(),
    .rvfi_mem_wmask(),
    .rvfi_mem_rdata(),
    .rvfi_mem_wdata()
`endif
  );

  cpe_window u_window (
    .clk_i             (core_clk_o),
    .rst_ni,
    .halt_i,
    .win_valid_i       (win_valid),
    .win_done_o        (win_done),
    .win_write_i       (win_write),
    .win_addr_i        (win_addr),
    .win_size_i        (win_size),
    .win_wdata_i       (win_wdata),
    .win_rdata_o       (win_rdata),
    .win_cause_o       (win_cause),
    .win_segment_o     (win_segment),
    .win_offset_o      (win_offset),
    .pointer_i         (win_pointer),
    .daemon_segment_i,
    .code_segment_i    (launch_i.code_segment),
    .argument_segment_i(launch_i.argument_segment),
    .mem_valid_o,
    .mem_ready_i,
    .mem_o,
    .rsp_valid_i       (rsp_valid_i && rsp_i.kind == cpe_pkg::MemScalar),
    .rsp_i,
    .quiet_o
  );

endmodule
