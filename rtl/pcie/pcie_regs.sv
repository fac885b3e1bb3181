// SPDX-License-Identifier: Apache-2.0
// Device `pcie`: what host and firmware share. Only power-on resets it.
//
// The host's writes to the protection registers are refused; an offset without a register is an error.
module pcie_regs (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  reg_pkg::reg_req_t     req_i,
  input  logic                  master_i,         // the management processor asks, not the host
  output reg_pkg::reg_rsp_t     rsp_o,

  input  logic [63:0]           card_i,           // a pcie_regs_pkg::card_t
  input  logic [31:0]           boot_status_i,
  input  logic [9:0]            reset_status_i,   // two bits for each domain
  input  logic [63:0]           link_i,           // a pcie_regs_pkg::link_t
  input  logic [63:0]           bar0_i,           // a pcie_regs_pkg::bar0_t

  output logic                  doorbell_o,       // pulses
  output logic                  irq_o,
  output logic [4:0]            number_o,         // of either
  output logic [4:0]            reset_o,          // pulses: processor, groups
  output pcie_pkg::protection_t protection_o,
  output logic                  dma_closed_o,     // to the host's writes

  input  pcie_pkg::errors_t     errors_i,         // pulses
  input  logic                  packet_in_i,
  input  logic [10:0]           dwords_in_i,
  input  logic                  packet_out_i,
  input  logic [10:0]           dwords_out_i
);

  localparam int unsigned Aw     = pcie_regs_pkg::AddrWidth;
  localparam int unsigned Shared = 32'(memmap_pkg::PcieSharedWords);

  logic [27:0] sram_base_q;
  logic [28:0] sram_limit_q;
  logic [28:0] sram_fixed_q;
  logic [27:0] deny_base_q [4];
  logic [28:0] deny_limit_q [4];
  logic        dma_closed_q;
  logic [31:0] counter_q [pcie_pkg::Errors];
  logic [63:0] traffic_q [4];
  logic [63:0] shared_mem_q [Shared];

  logic [Aw-1:0] offset;
  logic          write, whole, in_shared, in_counters, in_traffic, in_deny, protected_reg;
  logic [63:0]   lanes;
  assign offset        = {req_i.addr[Aw-1:3], 3'b000};
  assign write         = req_i.valid && req_i.write;
  assign whole         = req_i.wstrb == 8'hff;
  assign lanes         = reg_pkg::lanes(req_i.wstrb);
  assign in_shared     = offset[Aw-1:9] == pcie_regs_pkg::SharedOffset[Aw-1:9];
  assign in_counters   = offset >= pcie_regs_pkg::ErrorsMalformedOffset &&
                         offset <= pcie_regs_pkg::ErrorsPoisonedCompletionsOffset;
  assign in_traffic    = offset >= pcie_regs_pkg::PacketsInOffset && offset <= pcie_regs_pkg::BytesOutOffset;
  assign in_deny       = offset >= pcie_regs_pkg::Deny0BaseOffset && offset <= pcie_regs_pkg::Deny3LimitOffset;
  assign protected_reg = in_deny || offset == pcie_regs_pkg::SramBaseOffset || offset == pcie_regs_pkg::SramLimitOffset ||
                         offset == pcie_regs_pkg::SramFixedOffset || offset == pcie_regs_pkg::DmaAccessOffset;

  // Range i is at 0x90 + 16*i.
  logic [1:0] range;
  assign range = 2'(offset[6:4] - 3'd1);

  // ------------------------------------------------------------------------------------------------- actions

  logic go;
  assign go         = write && offset == pcie_regs_pkg::ResetRequestOffset && whole &&
                      req_i.wdata[31:0] == pcie_regs_pkg::ResetRequestKeyGo;
  assign doorbell_o = write && offset == pcie_regs_pkg::DoorbellOffset && req_i.wstrb[0];
  assign irq_o      = write && offset == pcie_regs_pkg::InterruptOffset && req_i.wstrb[0];
  assign number_o   = req_i.wdata[4:0];
  assign reset_o    = go ? req_i.wdata[36:32] : '0;

  // -------------------------------------------------------------------------------------------------- values

  logic [63:0] old, value;
  assign value = reg_pkg::merge(old, req_i.wdata, lanes);

  always_comb begin
    old = '0;
    if (write) begin
      case (offset)
        pcie_regs_pkg::SramBaseOffset:  old = {24'd0, sram_base_q, 12'd0};
        pcie_regs_pkg::SramLimitOffset: old = {23'd0, sram_limit_q, 12'd0};
        pcie_regs_pkg::SramFixedOffset: old = {23'd0, sram_fixed_q, 12'd0};
        pcie_regs_pkg::DmaAccessOffset: old = {63'd0, dma_closed_q};
        default: if (in_deny) old = offset[3] ? {23'd0, deny_limit_q[range], 12'd0} : {24'd0, deny_base_q[range], 12'd0};
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      sram_base_q  <= pcie_regs_pkg::SramBaseReset[39:12];
      sram_limit_q <= pcie_regs_pkg::SramLimitReset[40:12];
      sram_fixed_q <= pcie_regs_pkg::SramFixedReset[40:12];
      dma_closed_q <= 1'b0;
      for (int unsigned i = 0; i < 4; i++) begin
        deny_base_q[i]  <= '0;
        deny_limit_q[i] <= '0;
      end
    end else if (write && master_i) begin
      if (offset == pcie_regs_pkg::SramBaseOffset) sram_base_q <= value[39:12];
      if (offset == pcie_regs_pkg::SramLimitOffset) sram_limit_q <= value[40:12];
      if (offset == pcie_regs_pkg::SramFixedOffset) sram_fixed_q <= value[40:12];
      if (offset == pcie_regs_pkg::DmaAccessOffset) dma_closed_q <= value[0];
      if (in_deny && !offset[3]) deny_base_q[range] <= value[39:12];
      if (in_deny && offset[3]) deny_limit_q[range] <= value[40:12];
    end
  end

  // The shared words have no reset; they are cleared one after the other when it ends, long before anybody can ask.
  logic [6:0] clear_q;
  logic       clearing;
  assign clearing = !clear_q[6];
  always_ff @(posedge clk_i) begin
    if (!rst_ni) clear_q <= '0;
    else if (clearing) clear_q <= clear_q + 7'd1;
  end
  always_ff @(posedge clk_i) begin
    if (clearing) shared_mem_q[clear_q[5:0]] <= '0;
    else if (write && in_shared) shared_mem_q[offset[8:3]] <= reg_pkg::merge(shared_mem_q[offset[8:3]], req_i.wdata, lanes);
  end

  // ------------------------------------------------------------------------------------------------ counters

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      for (int unsigned i = 0; i < pcie_pkg::Errors; i++) counter_q[i] <= '0;
    end else if (errors_i != '0) begin
      for (int unsigned i = 0; i < pcie_pkg::Errors; i++) begin
        if (errors_i[i]) counter_q[i] <= counter_q[i] + 32'd1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      for (int unsigned i = 0; i < 4; i++) traffic_q[i] <= '0;
    end else begin
      if (packet_in_i) begin
        traffic_q[0] <= traffic_q[0] + 64'd1;
        traffic_q[2] <= traffic_q[2] + {51'd0, dwords_in_i, 2'b00};
      end
      if (packet_out_i) begin
        traffic_q[1] <= traffic_q[1] + 64'd1;
        traffic_q[3] <= traffic_q[3] + {51'd0, dwords_out_i, 2'b00};
      end
    end
  end

  // --------------------------------------------------------------------------------------------------- reads

  logic [3:0] counter;
  assign counter = offset[6:3];

  always_comb begin
    rsp_o       = '0;
    rsp_o.ready = !clearing;
    if (req_i.valid) begin
      case (offset)
        pcie_regs_pkg::IdentityOffset:    rsp_o.rdata = pcie_regs_pkg::IdentityReset;
        pcie_regs_pkg::CardOffset:        rsp_o.rdata = card_i;
        pcie_regs_pkg::BootStatusOffset:  rsp_o.rdata = {32'd0, boot_status_i};
        pcie_regs_pkg::DoorbellOffset,
        pcie_regs_pkg::InterruptOffset,
        pcie_regs_pkg::ResetRequestOffset: rsp_o.rdata = '0;
        pcie_regs_pkg::ResetStatusOffset: rsp_o.rdata = {54'd0, reset_status_i};
        pcie_regs_pkg::LinkOffset:        rsp_o.rdata = link_i;
        pcie_regs_pkg::Bar0Offset:        rsp_o.rdata = bar0_i;
        pcie_regs_pkg::SramBaseOffset:    rsp_o.rdata = {24'd0, sram_base_q, 12'd0};
        pcie_regs_pkg::SramLimitOffset:   rsp_o.rdata = {23'd0, sram_limit_q, 12'd0};
        pcie_regs_pkg::SramFixedOffset:   rsp_o.rdata = {23'd0, sram_fixed_q, 12'd0};
        pcie_regs_pkg::DmaAccessOffset:   rsp_o.rdata = {63'd0, dma_closed_q};
        default: begin
          if (in_deny) begin
            rsp_o.rdata = offset[3] ? {23'd0, deny_limit_q[range], 12'd0} : {24'd0, deny_base_q[range], 12'd0};
          end else if (in_counters) begin
            rsp_o.rdata = {32'd0, counter_q[counter]};
          end else if (in_traffic) begin
            rsp_o.rdata = traffic_q[offset[4:3]];
          end else if (in_shared) begin
            rsp_o.rdata = shared_mem_q[offset[8:3]];
          end else begin
            rsp_o.err = 1'b1;
          end
        end
      endcase
      if (req_i.write && protected_reg && !master_i) rsp_o.err = 1'b1;
    end
  end

  always_comb begin
    protection_o.sram_base  = sram_base_q;
    protection_o.sram_limit = sram_limit_q;
    protection_o.sram_fixed = sram_fixed_q;
    dma_closed_o            = dma_closed_q;
    for (int unsigned i = 0; i < 4; i++) begin
      protection_o.deny_base[28*i+:28]  = deny_base_q[i];
      protection_o.deny_limit[29*i+:29] = deny_limit_q[i];
    end
  end

endmodule
