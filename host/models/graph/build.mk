# SPDX-License-Identifier: Apache-2.0
# Graph text: parser, checks, plan of the memory between, templates of lists.

GRAPH_SOURCES := $(addprefix host/models/graph/, \
    builder.cpp \
    card_nodes.cpp \
    check.cpp \
    demand.cpp \
    emitter.cpp \
    graph.cpp \
    layout.cpp \
    list.cpp \
    lower.cpp \
    parser.cpp \
    plan.cpp \
    print.cpp \
    program.cpp \
    rules.cpp \
    signatures.cpp \
    size.cpp \
    template_file.cpp \
    tokens.cpp \
    use.cpp \
    writers.cpp \
)
$(eval $(call cxx_library,graph,$(GRAPH_SOURCES)))
