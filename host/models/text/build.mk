# SPDX-License-Identifier: Apache-2.0
# Text generation.

$(eval $(call cxx_library,generate,$(addprefix host/models/text/, \
    answer.cpp \
    batch.cpp \
    card_model.cpp \
    open_model.cpp \
    chat.cpp \
    judge.cpp \
    loaded_model.cpp \
    packed_model.cpp \
    session.cpp \
    speaker.cpp \
)))
