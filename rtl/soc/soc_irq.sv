// SPDX-License-Identifier: Apache-2.0
// Interrupt gathering: one pending word, an enable mask for each of the two targets.
//
// Level sources (ro in the description of `pending`) show their line. Edge sources (w1c) are remembered from
// the rising edge of their line, or from a write to `raise`, until software clears them; an edge in the cycle
// of the clearing wins. The outputs are registered: they follow the word one cycle later.
module soc_irq #(
  parameter logic [63:0] LevelSources = irq_regs_pkg::PendingRoMask,
  parameter logic [63:0] EdgeSources  = irq_regs_pkg::PendingW1cMask
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  reg_pkg::reg_req_t req_i,
  output reg_pkg::reg_rsp_t rsp_o,
  input  logic [63:0]       sources_i,
  output logic              irq_m_o,
  output logic              irq_s_o
);

  localparam int unsigned Aw = irq_regs_pkg::AddrWidth;

  logic [63:0] edge_q, last_q, enable_m_q, enable_s_q;
  logic        irq_m_q, irq_s_q;

  logic [Aw-1:0] offset;
  logic          write;
  logic [63:0]   lanes;
  logic [63:0]   pending, risen, raised, cleared;
  assign offset = {req_i.addr[Aw-1:3], 3'b000};
  assign write  = req_i.valid && req_i.write;
  assign lanes  = reg_pkg::lanes(req_i.wstrb);

  assign pending = (sources_i & LevelSources) | edge_q;
  assign risen   = sources_i & ~last_q;
  assign raised  = write && offset == irq_regs_pkg::RaiseOffset ? req_i.wdata & lanes : '0;
  assign cleared = write && offset == irq_regs_pkg::PendingOffset ? req_i.wdata & lanes : '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      edge_q     <= '0;
      last_q     <= '0;
      enable_m_q <= irq_regs_pkg::EnableMReset;
      enable_s_q <= irq_regs_pkg::EnableSReset;
      irq_m_q    <= 1'b0;
      irq_s_q    <= 1'b0;
    end else begin
      last_q  <= sources_i;
      edge_q  <= ((edge_q & ~cleared) | raised | risen) & EdgeSources;
      irq_m_q <= |(pending & enable_m_q);
      irq_s_q <= |(pending & enable_s_q);
      if (write && offset == irq_regs_pkg::EnableMOffset) begin
        enable_m_q <= reg_pkg::merge(enable_m_q, req_i.wdata, lanes & irq_regs_pkg::EnableMRwMask);
      end
      if (write && offset == irq_regs_pkg::EnableSOffset) begin
        enable_s_q <= reg_pkg::merge(enable_s_q, req_i.wdata, lanes & irq_regs_pkg::EnableSRwMask);
      end
    end
  end

  always_comb begin
    rsp_o       = '0;
    rsp_o.ready = 1'b1;
    case (offset)
      irq_regs_pkg::PendingOffset:  rsp_o.rdata = pending;
      irq_regs_pkg::RaiseOffset:    rsp_o.rdata = '0;
      irq_regs_pkg::EnableMOffset:  rsp_o.rdata = enable_m_q;
      irq_regs_pkg::EnableSOffset:  rsp_o.rdata = enable_s_q;
      irq_regs_pkg::PendingMOffset: rsp_o.rdata = pending & enable_m_q;
      irq_regs_pkg::PendingSOffset: rsp_o.rdata = pending & enable_s_q;
      default:                      rsp_o.err = 1'b1;
    endcase
  end

  assign irq_m_o = irq_m_q;
  assign irq_s_o = irq_s_q;

endmodule
