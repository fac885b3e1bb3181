# SPDX-License-Identifier: Apache-2.0
# Tests of what the management processor does for launches: module loader, driver of a core group; on the host.

LAUNCH_TEST_PARTS := verif/abi/module_file.cpp abi/module_reader.cpp

$(eval $(call cxx_test,test-launch,$(addprefix verif/abi/,module_test.cpp group_test.cpp abi_test.cpp fake_group.cpp) \
    verif/kit/doctest_main.cpp $(LAUNCH_TEST_PARTS),-lfmt))
$(eval $(call cxx_test,test-kernel-math,verif/abi/math_test.cpp $(wildcard cpe-kernels/sdk/lib/math*.cpp) verif/kit/doctest_main.cpp,-lfmt))
$(eval $(call cxx_program,test-sdaacc,$(addprefix verif/abi/,sdaacc_test.cpp sdaacc_tables_test.cpp sdaacc_threads_test.cpp sdaacc_runs.cpp) \
    $(addprefix host/lib/,argument_types.cpp source_lines.cpp prints.cpp stops.cpp variables.cpp) $(addprefix abi/,module_reader.cpp) \
    verif/firmware/test_tools.cpp verif/kit/doctest_main.cpp,$(B)/lib/flash.a $(B)/lib/sdaa.a -lfmt))
$(eval $(call cxx_fuzzer,fuzz-module,$(addprefix verif/abi/,fuzz_module.cpp module_file.cpp) abi/module_reader.cpp))
$(eval $(call cxx_program,test-kernels,$(addprefix verif/abi/,kernels_test.cpp) $(addprefix verif/firmware/,test_tools.cpp) \
    verif/kit/doctest_main.cpp,$(B)/lib/flash.a -lfmt))
