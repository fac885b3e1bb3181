// SPDX-License-Identifier: Apache-2.0
// Machine timer and software interrupt in the layout of the CLINT.
//
// `mtime` counts card clocks. The timer interrupt is pending while mtime >= mtimecmp. `busy_o` says that time
// must go on for the timer's sake: it is armed (mtimecmp is not all ones) and has not struck yet.
module soc_timer (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  reg_pkg::reg_req_t req_i,
  output reg_pkg::reg_rsp_t rsp_o,
  output logic [63:0]       time_o,
  output logic              irq_timer_o,
  output logic              irq_software_o,
  output logic              busy_o
);

  localparam int unsigned Aw = timer_regs_pkg::AddrWidth;

  logic [63:0] msip_q, mtimecmp_q, mtime_q;
  logic        struck_q;

  logic [Aw-1:0] offset;
  logic          write;
  logic [63:0]   lanes;
  assign offset = {req_i.addr[Aw-1:3], 3'b000};
  assign write  = req_i.valid && req_i.write;
  assign lanes  = reg_pkg::lanes(req_i.wstrb);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      msip_q     <= timer_regs_pkg::MsipReset;
      mtimecmp_q <= timer_regs_pkg::MtimecmpReset;
      mtime_q    <= '0;
      struck_q   <= 1'b0;
    end else begin
      mtime_q  <= mtime_q + 64'd1;
      struck_q <= mtime_q >= mtimecmp_q;
      if (write) begin
        case (offset)
          timer_regs_pkg::MsipOffset:
            msip_q <= reg_pkg::merge(msip_q, req_i.wdata, lanes & timer_regs_pkg::MsipRwMask);
          timer_regs_pkg::MtimecmpOffset:
            mtimecmp_q <= reg_pkg::merge(mtimecmp_q, req_i.wdata, lanes & timer_regs_pkg::MtimecmpRwMask);
          timer_regs_pkg::MtimeOffset:
            mtime_q <= reg_pkg::merge(mtime_q, req_i.wdata, lanes & timer_regs_pkg::MtimeRwMask);
          default: ;
        endcase
      end
    end
  end

  always_comb begin
    rsp_o       = '0;
    rsp_o.ready = 1'b1;
    case (offset)
      timer_regs_pkg::MsipOffset:     rsp_o.rdata = msip_q;
      timer_regs_pkg::MtimecmpOffset: rsp_o.rdata = mtimecmp_q;
      timer_regs_pkg::MtimeOffset:    rsp_o.rdata = mtime_q;
      default:                        rsp_o.err = 1'b1;
    endcase
  end

  assign time_o         = mtime_q;
  assign irq_timer_o    = struck_q;
  assign irq_software_o = msip_q[0];
  assign busy_o         = mtimecmp_q != '1 && !struck_q;

endmodule
