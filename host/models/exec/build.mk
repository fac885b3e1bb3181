# SPDX-License-Identifier: Apache-2.0
# Lists of nodes on a card.

$(eval $(call cxx_library,walk,$(addprefix host/models/exec/, \
    card_memory.cpp \
    card_time.cpp \
    decoder.cpp \
    early_copy.cpp \
    job.cpp \
    list.cpp \
    growing_memory.cpp \
    named_memory.cpp \
    pattern_memory.cpp \
    walker.cpp \
)))
