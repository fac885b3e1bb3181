# SPDX-License-Identifier: Apache-2.0
# Testbenches of the management core, and tests of mpe-run.

$(eval $(call verilated_program,tb-mpe,mpe_tb,$(MPE_RTL),$(MPE_HARNESS) $(addprefix verif/rtl/mpe/,tb_mpe.cpp random_bench.cpp invalidation.cpp), \
  $(MPE_VERILATOR_FLAGS),$(B)/lib/random-program.a $(MPE_LIBS)))

$(eval $(call cxx_program,test-mpe-harness,$(addprefix verif/rtl/mpe/,gdb_session_test.cpp memory_model_test.cpp reference_memory_test.cpp) sim/run/mpe/reference_memory.cpp $(addprefix sim/common/,gdb_stub.cpp memory_model.cpp) verif/kit/doctest_main.cpp,-lfmt))
$(eval $(call cxx_program,test-mpe-run,$(addprefix verif/rtl/mpe/,mpe_run_test.cpp gdb_attach_test.cpp) verif/kit/process.cpp \
  verif/kit/doctest_main.cpp,-lfmt))

# Small programs for the tests of mpe-run itself.
MPE_PROGRAMS := $(addprefix $(B)/mpe-programs/,debuggee report failing sleep lost steady endless)
MPE_PROGRAM_GCC := riscv64-unknown-elf-gcc -march=rv64imac_zicsr_zifencei -mabi=lp64 -mcmodel=medany -g -Og -Wall -Wextra \
  -Werror -ffreestanding -nostdlib -static -Wl,--no-warn-rwx-segments
$(B)/mpe-programs/failing: MPE_PROGRAM_FLAGS := -DRESULT=7
$(B)/mpe-programs/steady: MPE_PROGRAM_FLAGS := -O2
define mpe_program
$(B)/mpe-programs/$(1): $(addprefix verif/rtl/mpe/programs/,start.S program.ld $(2))
	$$(call say,RISCV,$$@)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$(MPE_PROGRAM_GCC) $$(MPE_PROGRAM_FLAGS) -T verif/rtl/mpe/programs/program.ld $(addprefix verif/rtl/mpe/programs/,start.S $(2)) -o $$@
endef
$(eval $(call mpe_program,debuggee,debuggee.c))
$(eval $(call mpe_program,report,report.c))
$(eval $(call mpe_program,failing,report.c))
$(eval $(call mpe_program,sleep,sleep.S))
$(eval $(call mpe_program,lost,lost.S))
$(eval $(call mpe_program,steady,steady.c))
# Nothing can end it: it lacks the word.
$(B)/mpe-programs/endless: $(B)/mpe-programs/report
	$(call say,STRIP,$@)
	$(Q)riscv64-unknown-elf-objcopy --strip-symbol=tohost $< $@
.PHONY: mpe-programs
mpe-programs: $(MPE_PROGRAMS)
