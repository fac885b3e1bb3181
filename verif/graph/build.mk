# Tests of graph text.

$(eval $(call cxx_program,test-graph,$(addprefix verif/graph/,check_test.cpp parse_test.cpp plan_test.cpp size_test.cpp) \
    verif/common/doctest_main.cpp,$(B)/lib/graph.a -lfmt))
