# SPDX-License-Identifier: Apache-2.0
# Testbenches of rtl/group.

tb_cg_cpp := $(addprefix verif/rtl/group/,hbm_model.cpp hbm_timing.cpp traffic.cpp) verif/rtl/lib/test_main.cpp
tb_cg_libs := $(B)/lib/hbm-cells.a -lfmt

$(eval $(call verilated_program,tb-hbm,tb_hbm,$(RTL_LIB) $(RTL_HBM) verif/rtl/group/tb_hbm.sv,verif/rtl/group/hbm_test.cpp \
  $(tb_cg_cpp),,$(tb_cg_libs)))
$(eval $(call verilated_sibling,hbm-bench,tb-hbm,verif/rtl/group/hbm_bench.cpp verif/rtl/group/hbm_timing.cpp,$(tb_cg_libs)))
tb_cg_rtl := $(filter-out $(RTL_CG_PACKAGES),$(RTL_CPE) $(RTL_CG))
$(eval $(call verilated_program,tb-cg,tb_cg,$(RTL_LIB) $(RTL_CG_PACKAGES) $(tb_cg_rtl) verif/rtl/group/tb_cg.sv,verif/rtl/group/cg_test.cpp \
  $(tb_cg_cpp),-fno-table --output-split-cfuncs 300,$(tb_cg_libs)))
