# SPDX-License-Identifier: Apache-2.0
# The sources of rtl/noc, package first; they need rtl/lib.
RTL_NOC := rtl/noc/noc_pkg.sv $(sort $(filter-out rtl/noc/noc_pkg.sv,$(wildcard rtl/noc/*.sv)))
