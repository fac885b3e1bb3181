# SPDX-License-Identifier: Apache-2.0
# OpenAI's calls over HTTP.

HTTP_SOURCES := $(addprefix host/daemon/http/, \
    address.cpp \
    exchange.cpp \
    fields.cpp \
    form.cpp \
    http_answer.cpp \
    line.cpp \
    problem.cpp \
    server.cpp \
    service.cpp \
    speech_reply.cpp \
    speech_request.cpp \
    stop_text.cpp \
    text_reply.cpp \
    text_request.cpp \
)
$(eval $(call cxx_library,http,$(HTTP_SOURCES) host/daemon/http/card_speech_model.cpp host/daemon/http/card_text_model.cpp))
