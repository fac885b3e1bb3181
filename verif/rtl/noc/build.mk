# SPDX-License-Identifier: Apache-2.0
# Testbenches of rtl/noc. Each program carries several named tests: --list shows them.

NOC_TEST_CPP := $(addprefix verif/rtl/noc/,noc_test.cpp noc_figures.cpp noc_bench.cpp ring.cpp) sim/common/memory_model.cpp $(TB_LIB_CPP)
$(eval $(call verilated_program,tb-noc,tb_noc,$(RTL_LIB) $(RTL_NOC) verif/rtl/noc/tb_noc.sv,$(NOC_TEST_CPP),,-lfmt))
# With rings of four and five nodes, too.
$(eval $(call verilated_program,tb-noc-all,tb_noc,$(RTL_LIB) $(RTL_NOC) verif/rtl/noc/tb_noc.sv,$(NOC_TEST_CPP),"-GRings=4'b1111",-lfmt,\
  -DALL_RINGS))
$(eval $(call verilated_program,tb-noc-mbus,tb_noc_mbus,$(RTL_LIB) $(RTL_NOC) verif/rtl/noc/tb_noc_mbus.sv,\
  $(addprefix verif/rtl/noc/,mbus_test.cpp ring.cpp) sim/common/memory_model.cpp $(TB_LIB_CPP),,-lfmt))
