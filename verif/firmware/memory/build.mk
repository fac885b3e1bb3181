# SPDX-License-Identifier: Apache-2.0
# Tests of the memory manager, on the host.

# The allocator is in headers, so these cases do have something to gain.
$(B)/obj/%/firmware/memory/memory_test.o: LESS_CXXFLAGS :=
$(eval $(call cxx_test,test-memory,$(addprefix verif/firmware/memory/,memory_test.cpp joins_test.cpp exerciser.cpp) verif/kit/doctest_main.cpp,-lfmt))
$(eval $(call cxx_fuzzer,fuzz-memory,$(addprefix verif/firmware/memory/,fuzz_memory.cpp exerciser.cpp)))
