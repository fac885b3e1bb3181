# What tools share that run a kernel on a core group: command line, memory layout, report.

KERNEL_RUN_SOURCES := $(addprefix verif/cpe/run/,job.cpp report.cpp tool.cpp) host/cli/kernel_arguments.cpp firmware/module/module.cpp \
  verif/common/elf.cpp
$(eval $(call cxx_library,kernel-run,$(KERNEL_RUN_SOURCES),))
# In the order in which the linker wants them.
KERNEL_RUN_LIBS := $(B)/lib/kernel-run.a $(B)/lib/iss-cpe.a
$(eval $(call cxx_program,test-kernel-run,verif/cpe/run/test/run_test.cpp verif/common/process.cpp verif/common/doctest_main.cpp,\
  $(KERNEL_RUN_LIBS) -lfmt,))

# On RTL; the model is that of the group's tests, and so is what surrounds it.
CPE_RUN_CPP := $(GROUP_SIM) $(addprefix verif/cpe/run/,cpe_run.cpp rtl_device.cpp) verif/card/progress.cpp
CPE_RUN_LIBS := $(KERNEL_RUN_LIBS) $(B)/lib/hbm-cells.a -lfmt
$(eval $(call verilated_sibling,cpe-run,tb-group,$(CPE_RUN_CPP),$(GROUP_TILE_LIBS) $(CPE_RUN_LIBS)))
$(eval $(call verilated_sibling,cpe-run-tiny,tb-group-tiny,$(CPE_RUN_CPP),$(CPE_RUN_LIBS)))
