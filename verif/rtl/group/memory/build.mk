# SPDX-License-Identifier: Apache-2.0
# Testbench of the memory port of a core group, with the real HBM controller behind it.

tb_memory_sv := rtl/noc/noc_pkg.sv rtl/hbm/hbm_pkg.sv build/gen/cpe_isa_pkg.sv rtl/cpe/cpe_pkg.sv rtl/group/cg_pkg.sv $(filter-out %_pkg.sv,$(RTL_HBM)) \
  $(addprefix rtl/group/,cg_align.sv cg_dslb.sv cg_hbm_share.sv cg_icache.sv cg_memory.sv cg_memory_in.sv cg_memory_out.sv) \
  verif/rtl/group/memory/tb_cg_memory.sv
tb_memory_cpp := $(addprefix verif/rtl/group/,hbm_model.cpp hbm_timing.cpp traffic.cpp) \
  $(addprefix verif/rtl/group/memory/,memory_model.cpp) verif/rtl/lib/test_main.cpp

$(eval $(call verilated_program,tb-cg-memory,tb_cg_memory,$(RTL_LIB) $(tb_memory_sv),verif/rtl/group/memory/memory_test.cpp \
  $(tb_memory_cpp),,$(B)/lib/hbm-cells.a -lfmt))
$(eval $(call verilated_sibling,cg-memory-bench,tb-cg-memory,verif/rtl/group/memory/memory_bench.cpp,$(B)/lib/hbm-cells.a -lfmt))
