# SPDX-License-Identifier: Apache-2.0
# Testbench of the PCIe endpoint without its DMA engine. One program carries several named tests: --list shows them.

tb_pcie_packages := $(RTL_LIB_PACKAGES) $(RTL_SOC_PACKAGES) rtl/noc/noc_pkg.sv \
  $(addprefix rtl/pcie/,tlp_pkg.sv pcie_pkg.sv)
tb_pcie_rtl := $(addprefix rtl/lib/,clock_gate.sv idle_clock.sv stream_fifo.sv stream_arbiter.sv ram_1r1w.sv) \
  $(filter-out %_pkg.sv %/pcie_dma.sv %/pcie.sv,$(sort $(wildcard rtl/pcie/pcie_*.sv)))

$(eval $(call verilated_program,tb-pcie,pcie_endpoint,$(tb_pcie_packages) $(tb_pcie_rtl),\
  $(wildcard verif/rtl/pcie/*.cpp) verif/rtl/lib/test_main.cpp,,-lfmt))
