# SPDX-License-Identifier: Apache-2.0
# What tools share that run a kernel on a core group: command line, memory layout, report.

KERNEL_RUN_SOURCES := $(addprefix sim/run/kernel/,job.cpp report.cpp tool.cpp) \
  $(addprefix host/lib/,argument_text.cpp argument_types.cpp elf.cpp grid_check.cpp grid_text.cpp prints.cpp source_lines.cpp stops.cpp variables.cpp) $(addprefix abi/,module_reader.cpp)
$(eval $(call cxx_library,kernel-run,$(KERNEL_RUN_SOURCES),))
# In the order in which the linker wants them.
KERNEL_RUN_LIBS := $(addprefix $(B)/lib/,kernel-run.a iss-cpe.a host-threads.a)

# cpe-run, which runs a kernel on such a group. Tests of whole groups (verif/rtl/group/group) are on the same models.
CPE_RUN_CPP := $(GROUP_SIM) $(addprefix sim/run/kernel/,cpe_run.cpp rtl_device.cpp) sim/card/progress.cpp
CPE_RUN_LIBS := $(KERNEL_RUN_LIBS) $(B)/lib/hbm-cells.a -lfmt
$(eval $(call verilated_program,cpe-run,group_top,$(call with_tiles,$(GROUP_RTL)) other:$(GROUP_TRACE),$(CPE_RUN_CPP),$(GROUP_FLAGS),\
  $(GROUP_TILE_LIBS) $(CPE_RUN_LIBS)))
$(eval $(call verilated_program,cpe-run-tiny,group_top,$(GROUP_RTL) $(GROUP_TRACE),$(CPE_RUN_CPP),\
  $(GROUP_FLAGS) -GRows=2 -GColumns=2,$(CPE_RUN_LIBS),-DSWAI_CONFIG=tiny))
