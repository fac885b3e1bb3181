# SPDX-License-Identifier: Apache-2.0
# Tests of models and their files; and a fuzzer.

$(eval $(call cxx_library,model-samples,$(addprefix verif/host/models/files/,samples.cpp mutation.cpp reference.cpp)))
MODEL_TEST_LIBS := $(B)/lib/model-samples.a $(B)/lib/models.a $(B)/lib/graph.a -lfmt
$(eval $(call cxx_test,test-models,$(addprefix verif/host/models/files/,few_bits_test.cpp ggml_writer_test.cpp load_test.cpp reference_test.cpp tokenizer_test.cpp) verif/kit/doctest_main.cpp,$(MODEL_TEST_LIBS)))
$(eval $(call cxx_fuzzer,fuzz-models,verif/host/models/files/fuzz_models.cpp,$(MODEL_TEST_LIBS)))
