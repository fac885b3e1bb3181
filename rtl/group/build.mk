# SPDX-License-Identifier: Apache-2.0
# The sources of the core group, packages first. They need rtl/lib.
RTL_CG_PACKAGES := build/gen/memmap_pkg.sv build/gen/inbox_regs_pkg.sv build/gen/cg_regs_pkg.sv rtl/noc/noc_pkg.sv rtl/hbm/hbm_pkg.sv \
  build/gen/cpe_isa_pkg.sv rtl/cpe/cpe_pkg.sv rtl/group/cg_pkg.sv
RTL_HBM := rtl/noc/noc_pkg.sv rtl/hbm/hbm_pkg.sv rtl/hbm/hbm.sv $(sort $(filter-out %_pkg.sv,$(wildcard rtl/hbm/hbm_*.sv)))
RTL_CG := $(RTL_CG_PACKAGES) $(sort $(filter-out %_pkg.sv,$(wildcard rtl/group/*.sv rtl/hbm/*.sv)))
