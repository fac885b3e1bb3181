# SPDX-License-Identifier: Apache-2.0
# Tests of the operators and of the walker, on the functional model of a core group.

# What operators make of memory, bit by bit; of the functional model it takes the arithmetic alone.
$(eval $(call cxx_library,golden,$(wildcard verif/cpe-kernels/operators/golden/*.cpp),))
GOLDEN_LIBS := $(B)/lib/golden.a $(ISS_CPE_LIB)

OPERATOR_TESTS := $(wildcard verif/cpe-kernels/operators/*_test.cpp)
$(eval $(call cxx_program,test-operators,$(OPERATOR_TESTS) verif/cpe-kernels/operators/card.cpp verif/firmware/test_tools.cpp \
  verif/kit/doctest_main.cpp,$(B)/lib/flash.a $(B)/lib/golden.a $(KERNEL_RUN_LIBS) -lfmt))

# What measurements of whole lists run on.
$(eval $(call cxx_program,graph-image,verif/cpe-kernels/operators/graph_image.cpp,$(B)/lib/graph.a -lfmt))

# What operators do in local memory, without their way to it.
$(eval $(call cpe_module,operators-in-ldm,verif/cpe-kernels/operators/in_local_memory.cpp cpe-kernels/operators/unary/functions.cpp,))
$(CPE_BUILD)/operators-in-ldm.elf: $(OPERATORS) abi/node.hpp $(wildcard cpe-kernels/operators/*/*.hpp)
