# SPDX-License-Identifier: Apache-2.0
# One copy of a model's weights for all programs that use a daemon's card.

WRITE_SOURCES := $(addprefix host/daemon/shared/, \
    daemon_texts.cpp \
    language.cpp \
    shared_model.cpp \
    shared_text.cpp \
)
$(eval $(call cxx_library,write,$(WRITE_SOURCES)))
