# SPDX-License-Identifier: Apache-2.0
# Tests of what the management processor does for launches: module loader, driver of a core group; on the host.

LAUNCH_TEST_PARTS := verif/firmware/launch/module_file.cpp abi/module_reader.cpp

$(eval $(call cxx_test,test-launch,$(addprefix verif/firmware/launch/,module_test.cpp group_test.cpp abi_test.cpp fake_group.cpp) \
    verif/common/doctest_main.cpp $(LAUNCH_TEST_PARTS),-lfmt))
$(eval $(call cxx_test,test-kernel-math,verif/firmware/launch/math_test.cpp $(wildcard cpe-kernels/lib/math*.cpp) verif/common/doctest_main.cpp,-lfmt))
$(eval $(call cxx_program,test-sdaacc,$(addprefix verif/firmware/launch/,sdaacc_test.cpp sdaacc_tables_test.cpp sdaacc_threads_test.cpp sdaacc_runs.cpp) \
    $(addprefix abi/,argument_types.cpp module_reader.cpp source_lines.cpp prints.cpp stops.cpp variables.cpp) \
    verif/firmware/test_tools.cpp verif/common/doctest_main.cpp,$(B)/lib/flash.a $(B)/lib/sdaa.a -lfmt))
$(eval $(call cxx_fuzzer,fuzz-module,$(addprefix verif/firmware/launch/,fuzz_module.cpp module_file.cpp) abi/module_reader.cpp))
$(eval $(call cxx_program,test-kernels,$(addprefix verif/firmware/,launch/kernels_test.cpp test_tools.cpp) \
    verif/common/doctest_main.cpp,$(B)/lib/flash.a -lfmt))
