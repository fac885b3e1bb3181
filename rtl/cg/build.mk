# The sources of the core group, packages first: with RTL_LIB, noc_pkg and the registers' package.
RTL_CG_PACKAGES := rtl/noc/noc_pkg.sv rtl/cg/hbm_pkg.sv
RTL_HBM := $(sort $(wildcard rtl/cg/hbm_*.sv))
