# The reference model as a library (also for lockstep), and the program that runs ELF files on it.

ISS_SOURCES := $(addprefix verif/iss/,access.cpp compressed.cpp csr.cpp decode.cpp decode_table.cpp disassemble.cpp hart.cpp \
    mmu.cpp pma.cpp trace.cpp trap.cpp)
ISS_LIB := build/lib/iss.a
$(eval $(call cxx_library,iss,$(ISS_SOURCES),-O3))
