# Tests of graph text, and of the lists that come of it on the functional model of a core group.

$(eval $(call cxx_program,test-graph,$(addprefix verif/graph/, \
    check_test.cpp \
    evaluate.cpp \
    list_test.cpp \
    parse_test.cpp \
    plan_test.cpp \
    random_text.cpp \
    size_test.cpp \
    touched.cpp \
    walked.cpp \
) verif/operators/card.cpp verif/firmware/test_tools.cpp verif/common/doctest_main.cpp,$(B)/lib/graph.a $(B)/lib/flash.a $(KERNEL_RUN_LIBS) -lfmt,-Icpe-kernels/include))
