# The sources of a CPE, packages first. They need rtl/lib; the arithmetic of rtl/fp is with them.
RTL_FP := $(sort $(wildcard rtl/fp/*.sv))
RTL_CPE_FILES := $(wildcard rtl/cpe/*.sv rtl/cpe/*/*.sv)
RTL_CPE_PACKAGES := rtl/cpe/cpe_pkg.sv $(sort $(filter-out rtl/cpe/cpe_pkg.sv,$(filter %_pkg.sv,$(RTL_CPE_FILES))))
RTL_CPE := $(RTL_CPE_PACKAGES) $(RTL_FP) $(sort $(filter-out %_pkg.sv,$(RTL_CPE_FILES)))
