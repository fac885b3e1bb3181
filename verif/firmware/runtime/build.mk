# Tests of the card's side of the runtime, on the host with sanitizers.

RUNTIME_TEST_PARTS := verif/sdaa/fake_processor.cpp firmware/module/module.cpp

$(eval $(call cxx_program,test-runtime,verif/firmware/runtime/runtime_test.cpp verif/common/doctest_main.cpp $(RUNTIME_TEST_PARTS), \
    -lfmt,-O1 $(FW_TEST_FLAGS) -Icpe-kernels/include))
$(eval $(call cxx_program,fuzz-runtime,verif/firmware/runtime/fuzz_runtime.cpp $(RUNTIME_TEST_PARTS),,-O1 -fsanitize=fuzzer $(FW_TEST_FLAGS) \
    -Icpe-kernels/include))
