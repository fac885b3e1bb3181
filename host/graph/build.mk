# Graph text: parser, checks, plan of the memory between.

$(eval $(call cxx_library,graph,$(addprefix host/graph/,check.cpp graph.cpp operators.cpp parser.cpp plan.cpp size.cpp tokens.cpp)))
