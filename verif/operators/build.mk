# Tests of the operators and of the walker, on the functional model of a core group.

OPERATOR_TESTS := $(wildcard verif/operators/*_test.cpp)
$(eval $(call cxx_program,test-operators,$(OPERATOR_TESTS) verif/operators/card.cpp verif/firmware/test_tools.cpp \
  verif/common/doctest_main.cpp,$(B)/lib/flash.a $(KERNEL_RUN_LIBS) -lfmt,-Icpe-kernels/include))

# What measurements of whole lists run on.
$(eval $(call cxx_program,graph-image,verif/operators/graph_image.cpp,$(B)/lib/graph.a -lfmt))
