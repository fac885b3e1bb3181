# SPDX-License-Identifier: Apache-2.0
# What `swai serve` is made of.

SERVE_SOURCES := $(addprefix host/daemon/cards/, \
    card_server.cpp \
    control.cpp \
    job_process.cpp \
    jobs.cpp \
    lines.cpp \
    shared_card.cpp \
    virtual_card.cpp \
)
$(eval $(call cxx_library,serve,$(SERVE_SOURCES)))
