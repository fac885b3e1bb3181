# SPDX-License-Identifier: Apache-2.0
# Floating point arithmetic, shared by the units of a CPE. Packages first.
RTL_FP_PACKAGES := build/gen/cpe_isa_pkg.sv $(sort $(wildcard rtl/fp/*_pkg.sv))
RTL_FP := $(RTL_FP_PACKAGES) $(sort $(filter-out %_pkg.sv,$(wildcard rtl/fp/*.sv)))
