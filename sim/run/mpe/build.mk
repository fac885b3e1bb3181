# SPDX-License-Identifier: Apache-2.0
# The management core alone: mpe-run, which runs programs on it.

MPE_RTL := rtl/lib/mbus_pkg.sv rtl/lib/debug_pkg.sv build/gen/memmap_pkg.sv rtl/lib/amo_alu.sv rtl/lib/ram_1rw.sv rtl/mpe/mpe_pkg.sv \
  $(filter-out %_pkg.sv,$(wildcard rtl/mpe/*.sv)) sim/run/mpe/mpe_tb.sv
MPE_HARNESS := $(addprefix sim/run/mpe/,mpe_sim.cpp lockstep.cpp reference_memory.cpp trace.cpp) \
  $(addprefix sim/common/,memory_model.cpp gdb_stub_mpe.cpp)
MPE_VERILATOR_FLAGS := +define+MPE_RVFI -Wno-fatal
MPE_LIBS := $(ISS_LIB) -lfmt

# The tool has no assertions: they cost a seventh of its speed. The testbench has.
$(eval $(call verilated_program,mpe-run,mpe_tb,$(MPE_RTL),$(MPE_HARNESS) \
  $(addprefix sim/run/mpe/,mpe_run.cpp runner.cpp) \
  host/lib/elf.cpp $(addprefix sim/common/,tohost.cpp gdb_stub.cpp gdb_stub_server.cpp), \
  $(MPE_VERILATOR_FLAGS) --no-assert,$(MPE_LIBS)))
