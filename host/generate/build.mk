# SPDX-License-Identifier: Apache-2.0
# Text generation with llama models.

$(eval $(call cxx_library,generate,$(addprefix host/generate/, \
    answer.cpp \
    batch.cpp \
    card_llama.cpp \
    card_model.cpp \
    chat.cpp \
    judge.cpp \
    llama_graph.cpp \
    llama_weights.cpp \
    loaded_model.cpp \
    packed_llama.cpp \
    session.cpp \
    speaker.cpp \
    stores.cpp \
)))
