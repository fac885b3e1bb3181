# SPDX-License-Identifier: Apache-2.0
# The sources of rtl/pcie, packages first; they need rtl/lib, the registers' packages and noc_pkg.
RTL_PCIE_PACKAGES := $(addprefix rtl/pcie/,tlp_pkg.sv pcie_pkg.sv dma_pkg.sv)
RTL_PCIE := $(RTL_PCIE_PACKAGES) $(sort $(filter-out $(RTL_PCIE_PACKAGES),$(wildcard rtl/pcie/*.sv)))
