# SPDX-License-Identifier: Apache-2.0
# The sources of rtl/lib, packages first: a prerequisite of whatever is built from them.
RTL_LIB_PACKAGES := $(addprefix rtl/lib/,mbus_pkg.sv reg_pkg.sv debug_pkg.sv)
RTL_LIB := $(RTL_LIB_PACKAGES) $(sort $(filter-out $(RTL_LIB_PACKAGES),$(wildcard rtl/lib/*.sv)))
