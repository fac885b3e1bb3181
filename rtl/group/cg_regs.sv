// SPDX-License-Identifier: Apache-2.0
// The registers of a core group: identity, counters, damaged memory; and the way to those of the launch hardware and, in the
// upper half, to the CPEs.
//
// Its own registers answer at once, the others when they do. fault_o is about memory, cpe_fault_o about CPEs.
module cg_regs #(
  parameter int unsigned LinesLog2 = hbm_pkg::LineWidth,
  parameter int unsigned Rows      = 4,
  parameter int unsigned Columns   = 8
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [1:0]        group_i,
  input  reg_pkg::reg_req_t req_i,
  output reg_pkg::reg_rsp_t rsp_o,

  input  hbm_pkg::events_t  events_i,
  input  logic [27:0]       poison_line_i,
  input  logic              hbm_busy_i,
  output logic              fault_o,

  output reg_pkg::reg_req_t launch_req_o,
  input  reg_pkg::reg_rsp_t launch_rsp_i,
  output reg_pkg::reg_req_t access_req_o,
  input  reg_pkg::reg_rsp_t access_rsp_i,

  input  logic              fault_pending_i,   // of CPEs
  output logic              cpe_fault_o,
  input  logic              event_launch_i,
  input  logic              event_failure_i,
  input  logic              event_refused_i,
  input  logic              event_fault_i,
  input  logic              event_dslb_hit_i,
  input  logic              event_dslb_miss_i,
  input  logic              event_code_hit_i,
  input  logic              event_code_miss_i,
  input  logic              event_read_i,
  input  logic              event_write_i
);

  localparam int unsigned Aw = cg_regs_pkg::AddrWidth;

  logic          fault_enable_q, cpe_fault_enable_q, pending_q;
  logic [27:0]   line_q;
  logic [63:0]   poison_q, reads_q, writes_q, hits_q, activations_q, conflicts_q, refreshes_q, atomics_q, busy_q;
  logic [63:0]   launches_q, failures_q, refused_q, faults_q, dslb_hits_q, dslb_misses_q, code_hits_q, code_misses_q;
  logic [63:0]   cpe_reads_q, cpe_writes_q;
  logic [Aw-1:0] offset;
  logic          write, control, clear, to_access, own;

  assign offset  = {req_i.addr[Aw-1:3], 3'b000};
  assign write   = req_i.valid && req_i.write && req_i.wstrb[0] && own;
  assign control = write && offset == cg_regs_pkg::ControlOffset;
  assign clear   = control && req_i.wdata[1];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      fault_enable_q     <= 1'b1;
      cpe_fault_enable_q <= 1'b1;
      pending_q          <= 1'b0;
      line_q             <= '0;
      poison_q           <= '0;
      reads_q            <= '0;
      writes_q           <= '0;
      hits_q             <= '0;
      activations_q      <= '0;
      conflicts_q        <= '0;
      refreshes_q        <= '0;
      atomics_q          <= '0;
      busy_q             <= '0;
      launches_q         <= '0;
      failures_q         <= '0;
      refused_q          <= '0;
      faults_q           <= '0;
      dslb_hits_q        <= '0;
      dslb_misses_q      <= '0;
      code_hits_q        <= '0;
      code_misses_q      <= '0;
      cpe_reads_q        <= '0;
      cpe_writes_q       <= '0;
    end else begin
      if (control) begin
        fault_enable_q     <= req_i.wdata[0];
        cpe_fault_enable_q <= req_i.wdata[2];
      end
      if (write && offset == cg_regs_pkg::PoisonOffset && req_i.wdata[0]) pending_q <= 1'b0;
      if (events_i.poison) begin
        pending_q <= 1'b1;
        if (!pending_q || (write && offset == cg_regs_pkg::PoisonOffset && req_i.wdata[0])) line_q <= poison_line_i;
      end
      if (clear) begin
        poison_q      <= '0;
        reads_q       <= '0;
        writes_q      <= '0;
        hits_q        <= '0;
        activations_q <= '0;
        conflicts_q   <= '0;
        refreshes_q   <= '0;
        atomics_q     <= '0;
        busy_q        <= '0;
        launches_q    <= '0;
        failures_q    <= '0;
        refused_q     <= '0;
        faults_q      <= '0;
        dslb_hits_q   <= '0;
        dslb_misses_q <= '0;
        code_hits_q   <= '0;
        code_misses_q <= '0;
        cpe_reads_q   <= '0;
        cpe_writes_q  <= '0;
      end else begin
        if (events_i.poison) poison_q <= poison_q + 1'b1;
        if (events_i.read) reads_q <= reads_q + 1'b1;
        if (events_i.write) writes_q <= writes_q + 1'b1;
        if (events_i.hit) hits_q <= hits_q + 1'b1;
        if (events_i.act) activations_q <= activations_q + 1'b1;
        if (events_i.conflict) conflicts_q <= conflicts_q + 1'b1;
        if (events_i.refresh) refreshes_q <= refreshes_q + 1'b1;
        if (events_i.atomic) atomics_q <= atomics_q + 1'b1;
        if (hbm_busy_i) busy_q <= busy_q + 1'b1;
        if (event_launch_i) launches_q <= launches_q + 1'b1;
        if (event_failure_i) failures_q <= failures_q + 1'b1;
        if (event_refused_i) refused_q <= refused_q + 1'b1;
        if (event_fault_i) faults_q <= faults_q + 1'b1;
        if (event_dslb_hit_i) dslb_hits_q <= dslb_hits_q + 1'b1;
        if (event_dslb_miss_i) dslb_misses_q <= dslb_misses_q + 1'b1;
        if (event_code_hit_i) code_hits_q <= code_hits_q + 1'b1;
        if (event_code_miss_i) code_misses_q <= code_misses_q + 1'b1;
        if (event_read_i) cpe_reads_q <= cpe_reads_q + 1'b1;
        if (event_write_i) cpe_writes_q <= cpe_writes_q + 1'b1;
      end
    end
  end

  assign fault_o     = pending_q && fault_enable_q;
  assign cpe_fault_o = fault_pending_i && cpe_fault_enable_q;

  cg_regs_pkg::identity_t identity;
  cg_regs_pkg::config_t   sizes;
  always_comb begin
    identity         = cg_regs_pkg::IdentityReset;
    identity.group   = {6'b0, group_i};
    sizes            = cg_regs_pkg::ConfigReset;
    sizes.hbm_kib    = 32'd1 << (LinesLog2 - 4);
    sizes.rows       = 8'(Rows);
    sizes.columns    = 8'(Columns);
  end

  // Whose register it is: ours below the launch hardware's, and the counters.
  assign to_access = req_i.addr[Aw-1];
  assign own       = offset[Aw-1:8] == '0 || (offset >= cg_regs_pkg::LaunchesOffset && offset < cg_regs_pkg::LaunchCyclesOffset);
  always_comb begin
    launch_req_o       = req_i;
    launch_req_o.valid = req_i.valid && !own && !to_access;
    access_req_o       = req_i;
    access_req_o.valid = req_i.valid && to_access;
  end

  always_comb begin
    rsp_o       = '0;
    rsp_o.ready = 1'b1;
    if (req_i.valid) begin
      case (offset)
        cg_regs_pkg::IdentityOffset:         rsp_o.rdata = identity;
        cg_regs_pkg::ConfigOffset:           rsp_o.rdata = sizes;
        cg_regs_pkg::ControlOffset:          rsp_o.rdata = {61'b0, cpe_fault_enable_q, 1'b0, fault_enable_q};
        cg_regs_pkg::PoisonOffset:           rsp_o.rdata = {63'b0, pending_q};
        cg_regs_pkg::PoisonAddressOffset:    rsp_o.rdata = pending_q ? {24'b0, 4'b1000, group_i, line_q, 6'b0} : '0;
        cg_regs_pkg::PoisonReadsOffset:      rsp_o.rdata = poison_q;
        cg_regs_pkg::HbmReadsOffset:         rsp_o.rdata = reads_q;
        cg_regs_pkg::HbmWritesOffset:        rsp_o.rdata = writes_q;
        cg_regs_pkg::HbmHitsOffset:          rsp_o.rdata = hits_q;
        cg_regs_pkg::HbmActivationsOffset:   rsp_o.rdata = activations_q;
        cg_regs_pkg::HbmConflictsOffset:     rsp_o.rdata = conflicts_q;
        cg_regs_pkg::HbmRefreshesOffset:     rsp_o.rdata = refreshes_q;
        cg_regs_pkg::HbmAtomicsOffset:       rsp_o.rdata = atomics_q;
        cg_regs_pkg::HbmBusyOffset:          rsp_o.rdata = busy_q;
        cg_regs_pkg::LaunchesOffset:         rsp_o.rdata = launches_q;
        cg_regs_pkg::LaunchFailuresOffset:   rsp_o.rdata = failures_q;
        cg_regs_pkg::DoorbellsRefusedOffset: rsp_o.rdata = refused_q;
        cg_regs_pkg::CpeFaultsOffset:        rsp_o.rdata = faults_q;
        cg_regs_pkg::DslbHitsOffset:         rsp_o.rdata = dslb_hits_q;
        cg_regs_pkg::DslbMissesOffset:       rsp_o.rdata = dslb_misses_q;
        cg_regs_pkg::CodeHitsOffset:         rsp_o.rdata = code_hits_q;
        cg_regs_pkg::CodeMissesOffset:       rsp_o.rdata = code_misses_q;
        cg_regs_pkg::CpeReadsOffset:         rsp_o.rdata = cpe_reads_q;
        cg_regs_pkg::CpeWritesOffset:        rsp_o.rdata = cpe_writes_q;
        default: begin
          if (own) rsp_o.err = 1'b1;
          else rsp_o = to_access ? access_rsp_i : launch_rsp_i;
        end
      endcase
    end
  end

endmodule
