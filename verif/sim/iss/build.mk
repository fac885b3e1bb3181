# SPDX-License-Identifier: Apache-2.0
# Tests of the reference model of the management core.

$(eval $(call cxx_program,test-iss,$(addprefix verif/sim/iss/test/, \
    csr_test.cpp \
    decode_test.cpp \
    memory_test.cpp \
    operations_test.cpp \
    rows_test.cpp \
    trap_test.cpp \
) sim/iss/mpe/machine.cpp $(PROGRAM_SUPPORT) verif/kit/doctest_main.cpp,$(ISS_LIB) $(B)/lib/random-program.a -lfmt,))

# Tests of the tools write their programs with the random generator's ELF writer.
$(eval $(call cxx_program,test-iss-run,$(addprefix verif/sim/iss/test/,support_test.cpp iss_run_test.cpp) $(PROGRAM_SUPPORT) \
  verif/kit/process.cpp verif/kit/doctest_main.cpp,$(B)/lib/random-program.a -lfmt,))

# Programs whose output is compared with QEMU's.
ISS_PROGRAMS := $(addprefix $(B)/iss-programs/,svpbmt software_interrupts)
$(ISS_PROGRAMS): $(B)/iss-programs/%: verif/sim/iss/programs/%.S verif/sim/iss/programs/console.h verif/sim/iss/programs/program.ld
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D)
	$(Q)riscv64-unknown-elf-gcc -march=rv64ima_zicsr -mabi=lp64 -nostdlib -static -Wl,--no-warn-rwx-segments \
	  -T verif/sim/iss/programs/program.ld $< -o $@
.PHONY: iss-programs
iss-programs: $(ISS_PROGRAMS)
