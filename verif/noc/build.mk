# Testbenches of rtl/noc. Each program carries several named tests: --list shows them.

$(eval $(call verilated_program,tb-noc,tb_noc,$(RTL_LIB) $(RTL_NOC) verif/noc/tb_noc.sv,\
  $(addprefix verif/noc/,noc_test.cpp noc_figures.cpp noc_bench.cpp ring.cpp) sim/common/memory_model.cpp $(TB_LIB_CPP),,-lfmt))
$(eval $(call verilated_program,tb-noc-mbus,tb_noc_mbus,$(RTL_LIB) $(RTL_NOC) verif/noc/tb_noc_mbus.sv,\
  $(addprefix verif/noc/,mbus_test.cpp ring.cpp) sim/common/memory_model.cpp $(TB_LIB_CPP),,-lfmt))
