# SPDX-License-Identifier: Apache-2.0
# Testbenches of the vector unit of a CPE: at a memory that stalls, with fewer lanes, at the real local memory; and how fast it is
# simulated.

TB_VECTOR_RTL := $(RTL_FP_PACKAGES) rtl/cpe/cpe_pkg.sv rtl/cpe/vector/cpe_vector_pkg.sv $(filter-out %_pkg.sv,$(RTL_FP)) rtl/lib/clock_gate.sv rtl/cpe/cpe_math.sv \
  rtl/cpe/cpe_unit_gate.sv \
  $(sort $(filter-out %_pkg.sv,$(wildcard rtl/cpe/vector/*.sv))) \
  verif/rtl/cpe/tb_math_user.sv verif/rtl/cpe/vector/tb_vector.sv
TB_VECTOR_CPP := $(addprefix verif/rtl/cpe/vector/,vector_test.cpp vector_bench.cpp vector_program.cpp) verif/rtl/lib/test_main.cpp

$(eval $(call verilated_program,tb-cpe-vector,tb_vector,$(TB_VECTOR_RTL),$(TB_VECTOR_CPP),,$(ISS_CPE_LIB) -lfmt))

$(eval $(call verilated_program,tb-cpe-vector-narrow,tb_vector,$(TB_VECTOR_RTL),$(TB_VECTOR_CPP),-GLanes=2 -GSpecialLanes=1, \
  $(ISS_CPE_LIB) -lfmt))

$(eval $(call verilated_program,tb-cpe-vector-serial,tb_vector,$(TB_VECTOR_RTL),$(TB_VECTOR_CPP),-GLanes=0, \
  $(ISS_CPE_LIB) -lfmt))

$(eval $(call verilated_program,tb-cpe-vector-ldm,tb_vector_ldm,$(TB_VECTOR_RTL) rtl/lib/ram_1rw.sv \
  $(addprefix rtl/cpe/memory/,cpe_ldm_arbiter.sv cpe_ldm_bank.sv cpe_ldm.sv) verif/rtl/cpe/vector/tb_vector_ldm.sv, \
  verif/rtl/cpe/vector/ldm_test.cpp verif/rtl/cpe/vector/vector_program.cpp verif/rtl/lib/test_main.cpp,,$(ISS_CPE_LIB) -lfmt))

$(eval $(call verilated_program,vector-speed,tb_vector_speed,$(TB_VECTOR_RTL) verif/rtl/cpe/vector/tb_vector_speed.sv, \
  verif/rtl/cpe/vector/speed.cpp,--no-assert,-lfmt))
