# SPDX-License-Identifier: Apache-2.0
# Tests of the card's side of the runtime, on the host.

RUNTIME_TEST_PARTS := verif/host/runtime/fake_processor.cpp abi/module_reader.cpp
RUNTIME_TESTS := $(call as_one,runtime,$(addprefix verif/firmware/runtime/, \
    deaths_test.cpp \
    isolation_test.cpp \
    leftovers_test.cpp \
    module_load_test.cpp \
    program_copies_test.cpp \
    program_launches_test.cpp \
    program_memory_test.cpp \
    programs_test.cpp \
    runtime_test.cpp \
    shares_test.cpp \
)) verif/host/runtime/fake_module.cpp verif/abi/module_file.cpp

$(eval $(call cxx_test,test-runtime,$(RUNTIME_TESTS) verif/kit/doctest_main.cpp $(RUNTIME_TEST_PARTS),-lfmt))
$(eval $(call cxx_fuzzer,fuzz-runtime,verif/firmware/runtime/fuzz_runtime.cpp $(RUNTIME_TEST_PARTS)))
