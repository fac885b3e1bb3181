# SPDX-License-Identifier: Apache-2.0
# Tests of graph text, and of the lists that come of it on the functional model of a core group.

$(eval $(call cxx_program,test-graph,$(addprefix verif/host/models/graph/, \
    builder_test.cpp \
    check_test.cpp \
    evaluate.cpp \
    list_test.cpp \
    parse_test.cpp \
    plan_test.cpp \
    random_text.cpp \
    size_test.cpp \
    touched.cpp \
    walked.cpp \
) verif/cpe-kernels/operators/card.cpp verif/firmware/test_tools.cpp verif/kit/doctest_main.cpp,$(B)/lib/graph.a $(B)/lib/flash.a $(B)/lib/golden.a $(KERNEL_RUN_LIBS) -lfmt))

# What reads templates, and a fuzzer of it.
$(eval $(call cxx_test,test-templates,$(addprefix verif/host/models/graph/,random_text.cpp template_test.cpp) verif/kit/doctest_main.cpp,$(B)/lib/graph.a -lfmt))
$(eval $(call cxx_fuzzer,fuzz-templates,verif/host/models/graph/fuzz_templates.cpp,$(B)/lib/graph.a -lfmt))
