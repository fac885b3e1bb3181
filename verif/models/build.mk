# Tests of models and their files, with sanitizers; and a fuzzer.

MODEL_TEST_PARTS := $(addprefix verif/models/,samples.cpp mutation.cpp reference.cpp)
$(eval $(call cxx_library,models-tested,$(MODEL_SOURCES) $(MODEL_TEST_PARTS),$(FUZZED)))
$(eval $(call cxx_program,test-models,$(addprefix verif/models/,few_bits_test.cpp ggml_writer_test.cpp load_test.cpp reference_test.cpp tokenizer_test.cpp) verif/common/doctest_main.cpp,$(B)/lib/models-tested.a -lfmt,$(FUZZED)))
$(eval $(call cxx_program,fuzz-models,verif/models/fuzz_models.cpp,$(B)/lib/models-tested.a -fsanitize=fuzzer -lfmt,$(FUZZED)))
