# Graph text: parser, checks, plan of the memory between.

$(eval $(call cxx_library,graph,$(addprefix host/graph/,check.cpp graph.cpp list.cpp parser.cpp plan.cpp signatures.cpp size.cpp tokens.cpp)))
