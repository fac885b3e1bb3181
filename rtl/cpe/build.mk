# The sources of a CPE, packages first. They need rtl/lib.
RTL_CPE_PACKAGES := rtl/cpe/cpe_pkg.sv $(sort $(filter-out rtl/cpe/cpe_pkg.sv,$(wildcard rtl/cpe/*_pkg.sv)))
RTL_CPE := $(RTL_CPE_PACKAGES) $(sort $(filter-out %_pkg.sv,$(wildcard rtl/cpe/*.sv)))
