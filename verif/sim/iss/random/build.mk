# SPDX-License-Identifier: Apache-2.0
# Random programs for the core: a library, linked into the RTL lockstep bench too, and a command that writes ELF files.

$(eval $(call cxx_library,random-program,\
  $(addprefix verif/sim/iss/random/, \
    assembler.cpp \
    builder.cpp \
    compressed.cpp \
    elf_writer.cpp \
    insn_table.cpp \
    items_atomic.cpp \
    items_basic.cpp \
    items_control.cpp \
    items_csr.cpp \
    items_system.cpp \
    items_trap.cpp \
    kinds.cpp \
    page_tables.cpp \
    runtime.cpp \
),))
$(eval $(call cxx_program,rv-random,verif/sim/iss/random/rv_random.cpp,$(B)/lib/random-program.a -lfmt,))
$(eval $(call cxx_program,test-random-program,verif/sim/iss/random/random_test.cpp verif/kit/doctest_main.cpp,\
  $(B)/lib/random-program.a -lfmt,))
