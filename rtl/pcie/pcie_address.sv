// SPDX-License-Identifier: Apache-2.0
// What an address in a memory request means, and whether the host may go there. Combinational.
//
// BAR0 shows the HBM of all groups from offset 0, and the SRAM of the management processor from 64 GiB. An access never
// crosses a 4 KiB page, so that its first address stands for all of it.
module pcie_address (
  input  logic                  valid_i,
  input  logic                  write_i,
  input  logic [63:0]           addr_i,
  input  pcie_pkg::bars_t       bars_i,
  input  pcie_pkg::protection_t protection_i,
  output pcie_pkg::space_t      space_o,   // SpaceNone: nobody there, or denied
  output logic [39:0]           addr_o,    // physical address or offset
  output logic                  denied_o
);

  logic in_hbm, in_sram, bad;
  logic [27:0] page;

  always_comb begin
    space_o = pcie_pkg::SpaceNone;
    addr_o  = '0;
    in_hbm  = 1'b0;
    in_sram = 1'b0;
    bad     = 1'b0;
    page    = '0;
    if (valid_i && bars_i.memory) begin
      if (addr_i[63:37] == bars_i.bar0) begin
        in_hbm  = !addr_i[36];
        in_sram = addr_i[36] && addr_i[35:18] == '0;
        space_o = in_hbm || in_sram ? pcie_pkg::SpaceMemory : pcie_pkg::SpaceNone;
        addr_o  = in_hbm ? {4'h8, addr_i[35:0]} : {22'h00_2000, addr_i[17:0]};
        page    = addr_o[39:12];
        bad     = in_sram && (page < protection_i.sram_base || {1'b0, page} >= protection_i.sram_limit ||
                  (write_i && {1'b0, page} >= protection_i.sram_fixed));
        for (int unsigned i = 0; i < 4; i++) begin
          if (page >= protection_i.deny_base[28*i+:28] && {1'b0, page} < protection_i.deny_limit[29*i+:29]) bad = 1'b1;
        end
        if (bad) space_o = pcie_pkg::SpaceNone;
      end else if (addr_i[63:16] == bars_i.bar2) begin
        space_o = pcie_pkg::SpaceMsix;
        addr_o  = {24'd0, addr_i[15:0]};
      end else if (addr_i[63:18] == bars_i.bar4) begin
        space_o = pcie_pkg::SpaceRegisters;
        addr_o  = {22'd0, addr_i[17:0]};
      end
    end
    denied_o = bad && (in_hbm || in_sram);
  end

endmodule
