# SPDX-License-Identifier: Apache-2.0
# Tests of the firmware's parts that run on the host.

FW_TEST_PARTS := verif/firmware/fake_platform.cpp firmware/boot/flow.cpp firmware/common/text.cpp \
    $(addprefix host/tools/flash/,flash_file.cpp image.cpp) $(COMMON_SOURCES) host/lib/elf.cpp host/lib/sha256.cpp

$(eval $(call cxx_test,test-firmware,$(addprefix verif/firmware/,image_test.cpp pack_test.cpp flow_test.cpp test_tools.cpp) \
    verif/kit/doctest_main.cpp $(FW_TEST_PARTS),-lfmt))
$(eval $(call cxx_fuzzer,fuzz-boot,verif/firmware/fuzz_boot.cpp $(FW_TEST_PARTS),-lfmt))
$(eval $(call cxx_program,test-kernel,verif/firmware/kernel_test.cpp verif/firmware/test_tools.cpp verif/kit/doctest_main.cpp, \
    $(B)/lib/flash.a -lfmt))
$(eval $(call cxx_program,test-image-tool,verif/firmware/image_tool_test.cpp verif/firmware/test_tools.cpp verif/kit/doctest_main.cpp, \
    $(B)/lib/flash.a -lfmt))
