# Testbenches of rtl/cg, and the cells of the HBM, which simulators of the card use, too.

$(eval $(call cxx_library,hbm-cells,verif/cg/hbm_cells.cpp,-isystem $(VERILATOR_ROOT)/include/vltstd))

TB_HBM_CPP := $(addprefix verif/cg/,hbm_model.cpp hbm_timing.cpp traffic.cpp)
$(eval $(call verilated_program,tb-hbm,tb_hbm,$(RTL_LIB) $(RTL_CG_PACKAGES) $(filter-out $(RTL_CG_PACKAGES),$(RTL_HBM)) \
  verif/cg/tb_hbm.sv,verif/cg/hbm_test.cpp $(TB_HBM_CPP) verif/lib/test_main.cpp,,$(B)/lib/hbm-cells.a -lfmt))
