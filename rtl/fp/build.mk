# Floating point arithmetic, shared by the units of a CPE.
RTL_FP := $(sort $(filter %_pkg.sv,$(wildcard rtl/fp/*.sv))) $(sort $(filter-out %_pkg.sv,$(wildcard rtl/fp/*.sv)))
