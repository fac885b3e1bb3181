// SPDX-License-Identifier: Apache-2.0
// System control: identity, sizes, reset cause and request, status words, scratch registers, watchdog.
//
// Two reset domains: `rst_por_ni` for what survives a system reset, `rst_ni` for the rest. `striking_i` marks
// the last cycle before a system reset.
module soc_system #(
  parameter int unsigned SramKiB   = 256,
  parameter int unsigned ICacheKiB = 16,
  parameter int unsigned DCacheKiB = 16
) (
  input  logic              clk_i,
  input  logic              rst_por_ni,
  input  logic              rst_ni,
  input  reg_pkg::reg_req_t req_i,
  output reg_pkg::reg_rsp_t rsp_o,

  input  logic              striking_i,
  input  system_regs_pkg::reset_cause_cause_e cause_i,
  input  logic [7:0]        reset_count_i,
  output logic              software_reset_o,
  output logic              watchdog_reset_o,

  input  logic              awake_i,
  output logic              nmi_o,
  output logic [63:0]       nmi_vector_o,
  output logic [31:0]       status_o
);

  localparam int unsigned Aw = system_regs_pkg::AddrWidth;

  logic [63:0] status_q, progress_q, last_progress_q, nmi_vector_q, timeout_q, watchdog_q;
  logic [63:0] scratch0_q, scratch1_q, scratch2_q, scratch3_q;
  logic        software_reset_q;

  logic [Aw-1:0] offset;
  logic          write;
  logic [63:0]   lanes;
  assign offset = {req_i.addr[Aw-1:3], 3'b000};
  assign write  = req_i.valid && req_i.write;
  assign lanes  = reg_pkg::lanes(req_i.wstrb);

  // Keys count only when all their bytes come in one store.
  logic        whole_key, kick;
  logic [31:0] remaining;
  assign whole_key = write && req_i.wstrb[3:0] == 4'hf;
  assign kick = whole_key && offset == system_regs_pkg::WatchdogKickOffset &&
                req_i.wdata[31:0] == system_regs_pkg::WatchdogKickKeyKick;

  soc_watchdog u_watchdog (
    .clk_i,
    .rst_ni,
    .enable_i    (watchdog_q[0]),
    .awake_i,
    .kick_i      (kick),
    .timeout_i   (timeout_q[31:0]),
    .remaining_o (remaining),
    .nmi_o,
    .reset_o     (watchdog_reset_o)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      software_reset_q <= 1'b0;
      status_q         <= system_regs_pkg::StatusReset;
      progress_q       <= system_regs_pkg::ProgressReset;
      nmi_vector_q     <= system_regs_pkg::NmiVectorReset;
      timeout_q        <= system_regs_pkg::WatchdogTimeoutReset;
      watchdog_q       <= '0;
    end else if (write) begin
      case (offset)
        system_regs_pkg::ResetRequestOffset:
          if (whole_key && req_i.wdata[31:0] == system_regs_pkg::ResetRequestKeyGo) software_reset_q <= 1'b1;
        system_regs_pkg::StatusOffset:
          status_q <= reg_pkg::merge(status_q, req_i.wdata, lanes & system_regs_pkg::StatusRwMask);
        system_regs_pkg::ProgressOffset:
          progress_q <= reg_pkg::merge(progress_q, req_i.wdata, lanes & system_regs_pkg::ProgressRwMask);
        system_regs_pkg::NmiVectorOffset:
          nmi_vector_q <= reg_pkg::merge(nmi_vector_q, req_i.wdata, lanes & system_regs_pkg::NmiVectorRwMask);
        system_regs_pkg::WatchdogTimeoutOffset:
          timeout_q <= reg_pkg::merge(timeout_q, req_i.wdata, lanes & system_regs_pkg::WatchdogTimeoutRwMask);
        system_regs_pkg::WatchdogControlOffset:
          watchdog_q <=
              reg_pkg::merge(watchdog_q, req_i.wdata, lanes & system_regs_pkg::WatchdogControlRwMask);
        default: ;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_por_ni) begin
      scratch0_q      <= '0;
      scratch1_q      <= '0;
      scratch2_q      <= '0;
      scratch3_q      <= '0;
      last_progress_q <= '0;
    end else begin
      if (striking_i) last_progress_q <= progress_q;
      if (write) begin
        case (offset)
          system_regs_pkg::Scratch0Offset:
            scratch0_q <= reg_pkg::merge(scratch0_q, req_i.wdata, lanes & system_regs_pkg::Scratch0RwMask);
          system_regs_pkg::Scratch1Offset:
            scratch1_q <= reg_pkg::merge(scratch1_q, req_i.wdata, lanes & system_regs_pkg::Scratch1RwMask);
          system_regs_pkg::Scratch2Offset:
            scratch2_q <= reg_pkg::merge(scratch2_q, req_i.wdata, lanes & system_regs_pkg::Scratch2RwMask);
          system_regs_pkg::Scratch3Offset:
            scratch3_q <= reg_pkg::merge(scratch3_q, req_i.wdata, lanes & system_regs_pkg::Scratch3RwMask);
          default: ;
        endcase
      end
    end
  end

  system_regs_pkg::config_t           config_word;
  system_regs_pkg::reset_cause_t      cause_word;
  system_regs_pkg::watchdog_control_t watchdog_word;
  always_comb begin
    config_word            = '0;
    config_word.sram_kib   = 16'(SramKiB);
    config_word.icache_kib = 8'(ICacheKiB);
    config_word.dcache_kib = 8'(DCacheKiB);
    cause_word             = '0;
    cause_word.cause       = cause_i;
    cause_word.count       = reset_count_i;
    watchdog_word           = watchdog_q;
    watchdog_word.expired   = nmi_o;
    watchdog_word.remaining = remaining;
  end

  always_comb begin
    rsp_o       = '0;
    rsp_o.ready = 1'b1;
    case (offset)
      system_regs_pkg::IdentityOffset:        rsp_o.rdata = system_regs_pkg::IdentityReset;
      system_regs_pkg::ConfigOffset:          rsp_o.rdata = config_word;
      system_regs_pkg::ResetCauseOffset:      rsp_o.rdata = cause_word;
      system_regs_pkg::ResetRequestOffset:    rsp_o.rdata = '0;
      system_regs_pkg::StatusOffset:          rsp_o.rdata = status_q;
      system_regs_pkg::ProgressOffset:        rsp_o.rdata = progress_q;
      system_regs_pkg::LastProgressOffset:    rsp_o.rdata = last_progress_q;
      system_regs_pkg::NmiVectorOffset:       rsp_o.rdata = nmi_vector_q;
      system_regs_pkg::Scratch0Offset:        rsp_o.rdata = scratch0_q;
      system_regs_pkg::Scratch1Offset:        rsp_o.rdata = scratch1_q;
      system_regs_pkg::Scratch2Offset:        rsp_o.rdata = scratch2_q;
      system_regs_pkg::Scratch3Offset:        rsp_o.rdata = scratch3_q;
      system_regs_pkg::WatchdogTimeoutOffset: rsp_o.rdata = timeout_q;
      system_regs_pkg::WatchdogControlOffset: rsp_o.rdata = watchdog_word;
      system_regs_pkg::WatchdogKickOffset:    rsp_o.rdata = '0;
      default:                                rsp_o.err = 1'b1;
    endcase
  end

  assign software_reset_o = software_reset_q;
  assign nmi_vector_o     = nmi_vector_q;
  assign status_o         = status_q[31:0];

endmodule
