# SPDX-License-Identifier: Apache-2.0
# Tests of the ONNX reader and of the passes.

ONNX_TEST_PARTS := $(addprefix verif/host/models/onnx/,random_graph.cpp writer.cpp)
$(eval $(call cxx_test,test-onnx,$(addprefix verif/host/models/onnx/, \
    fusion_test.cpp \
    pass_test.cpp \
    property_test.cpp \
    reader_test.cpp \
) $(ONNX_TEST_PARTS) verif/kit/doctest_main.cpp,$(ONNX_LIBS)))
$(eval $(call cxx_program,onnx-clean,verif/host/models/onnx/clean_main.cpp,$(ONNX_LIBS)))
$(eval $(call cxx_fuzzer,fuzz-onnx,verif/host/models/onnx/fuzz_onnx.cpp $(ONNX_TEST_PARTS),$(ONNX_LIBS)))
$(eval $(call cxx_program,onnx-random,verif/host/models/onnx/random_main.cpp $(ONNX_TEST_PARTS),$(ONNX_LIBS)))
