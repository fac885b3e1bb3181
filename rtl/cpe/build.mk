# SPDX-License-Identifier: Apache-2.0
# The sources of a CPE, packages first. They need rtl/lib; the arithmetic of rtl/fp is with them.
RTL_CPE_FILES := $(wildcard rtl/cpe/*.sv rtl/cpe/*/*.sv)
RTL_CPE_PACKAGES = $(RTL_FP_PACKAGES) $(sort $(filter %_pkg.sv,$(RTL_CPE_FILES)))
RTL_CPE = $(RTL_CPE_PACKAGES) $(filter-out %_pkg.sv,$(RTL_FP) $(sort $(RTL_CPE_FILES)))
