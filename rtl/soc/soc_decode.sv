// SPDX-License-Identifier: Apache-2.0
// Which slave of the SoC's memory bus an address belongs to. The regions come from the memory map; a slave to
// come (the ring) is one more target here and one more slave in swai_soc.
module soc_decode #(
  parameter int unsigned SramBytes = 32'(memmap_pkg::SramBytes)
) (
  input  logic [mbus_pkg::AddrWidth-1:0] addr_i,
  output soc_pkg::target_t               target_o
);

  memmap_pkg::region_t region;
  assign region = memmap_pkg::region_of(addr_i);

  always_comb begin
    target_o = soc_pkg::TargetNobody;
    if (region == memmap_pkg::RegionRom) target_o = soc_pkg::TargetRom;
    if (region == memmap_pkg::RegionIo) target_o = soc_pkg::TargetDevices;
    if (region == memmap_pkg::RegionLocal &&
        addr_i - memmap_pkg::LocalRegionBase < mbus_pkg::AddrWidth'(SramBytes)) begin
      target_o = soc_pkg::TargetSram;
    end
  end

endmodule
