# SPDX-License-Identifier: Apache-2.0
# Testbench of the DMA engine. One program carries several named tests: --list shows them.

tb_dma_packages := $(RTL_LIB_PACKAGES) $(RTL_SOC_PACKAGES) $(addprefix rtl/,noc/noc_pkg.sv pcie/tlp_pkg.sv \
  pcie/pcie_pkg.sv pcie/dma_pkg.sv)
tb_dma_rtl := $(addprefix rtl/lib/,clock_gate.sv ram_1rw.sv stream_fifo.sv) $(filter-out %_pkg.sv,$(sort $(wildcard rtl/pcie/dma_*.sv))) rtl/pcie/pcie_dma.sv

$(eval $(call verilated_program,tb-dma,pcie_dma,$(tb_dma_packages) $(tb_dma_rtl),$(wildcard verif/rtl/pcie/dma/*.cpp) \
  verif/rtl/lib/test_main.cpp,,-lfmt))
