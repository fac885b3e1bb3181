# SPDX-License-Identifier: Apache-2.0
# The reference model as a library (also for lockstep), and the program that runs ELF files on it.

ISS_SOURCES := $(addprefix sim/iss/mpe/, \
    access.cpp \
    compressed.cpp \
    csr.cpp \
    decode.cpp \
    decode_block.cpp \
    decode_table.cpp \
    disassemble.cpp \
    hart.cpp \
    mmu.cpp \
    pma.cpp \
    state.cpp \
    trace.cpp \
    trap.cpp \
)
ISS_LIB := build/lib/iss.a
$(eval $(call cxx_library,iss,$(ISS_SOURCES),-O3))
generated: build/gen/card_regs.hpp

PROGRAM_SUPPORT := host/lib/elf.cpp sim/common/tohost.cpp sim/common/memory_model.cpp
$(eval $(call cxx_program,iss-run,sim/iss/mpe/iss_run.cpp sim/iss/mpe/machine.cpp $(PROGRAM_SUPPORT),$(ISS_LIB) -lfmt,))
