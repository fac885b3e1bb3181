# SPDX-License-Identifier: Apache-2.0
# Testbenches of the systolic unit of a CPE.

CPE_SYSTOLIC_RTL := $(RTL_FP_PACKAGES) rtl/cpe/cpe_pkg.sv rtl/cpe/systolic/cpe_systolic_pkg.sv rtl/lib/ram_1r1w.sv rtl/lib/clock_gate.sv \
  $(filter-out %_pkg.sv,$(RTL_FP)) rtl/cpe/cpe_math.sv rtl/cpe/cpe_unit_gate.sv \
  $(sort $(filter-out %_pkg.sv,$(wildcard rtl/cpe/systolic/*.sv)))
CPE_SYSTOLIC_DRAIN_RTL := $(filter-out rtl/cpe/systolic/%,$(CPE_SYSTOLIC_RTL)) \
  $(addprefix rtl/cpe/systolic/cpe_systolic_,pkg.sv sums.sv drain.sv drain_lanes.sv drain_result.sv)

$(eval $(call verilated_program,tb-cpe-systolic-drain,tb_drain,$(CPE_SYSTOLIC_DRAIN_RTL) verif/rtl/cpe/systolic/tb_drain.sv, \
  verif/rtl/cpe/systolic/drain_test.cpp sim/iss/cpe/fp32.cpp verif/rtl/lib/test_main.cpp,,-lfmt,-ffp-contract=off))

$(eval $(call verilated_program,tb-cpe-systolic,tb_systolic,$(CPE_SYSTOLIC_RTL) verif/rtl/cpe/tb_math_user.sv \
  verif/rtl/cpe/systolic/tb_systolic.sv, \
  $(addprefix verif/rtl/cpe/systolic/,systolic_test.cpp systolic_bench.cpp run.cpp) verif/rtl/lib/test_main.cpp,, \
  $(ISS_CPE_LIB) -lfmt,-ffp-contract=off))

$(eval $(call verilated_program,tb-cpe-systolic-serial,tb_systolic,$(CPE_SYSTOLIC_RTL) verif/rtl/cpe/tb_math_user.sv \
  verif/rtl/cpe/systolic/tb_systolic.sv, \
  $(addprefix verif/rtl/cpe/systolic/,systolic_test.cpp systolic_bench.cpp run.cpp) verif/rtl/lib/test_main.cpp,"-GSerial=1'b1", \
  $(ISS_CPE_LIB) -lfmt,-ffp-contract=off -DSYSTOLIC_SERIAL))

$(eval $(call verilated_program,tb-cpe-systolic-rate,tb_systolic_ldm,$(CPE_SYSTOLIC_RTL) rtl/lib/ram_1rw.sv \
  $(addprefix rtl/cpe/memory/,cpe_ldm_arbiter.sv cpe_ldm_bank.sv cpe_ldm.sv) verif/rtl/cpe/systolic/tb_systolic_ldm.sv, \
  $(addprefix verif/rtl/cpe/systolic/,rate_test.cpp run.cpp) verif/rtl/lib/test_main.cpp,--no-assert, \
  $(ISS_CPE_LIB) -lfmt,-ffp-contract=off))
