# SPDX-License-Identifier: Apache-2.0
# OpenAI's calls over HTTP, with played models.

$(eval $(call cxx_test,test-http,$(call as_one,http,$(addprefix verif/host/daemon/http/,hostile_test.cpp line_test.cpp request_test.cpp service_test.cpp speech_test.cpp text_test.cpp write_test.cpp)) verif/kit/doctest_main.cpp,$(B)/lib/model-samples.a \
    $(addprefix $(B)/lib/,http.a write.a serve.a socket.a link.a generate.a transcribe.a models.a) -lmicrohttpd -lfmt))

# A language model that answers on the card, whose memory may be too short.
$(eval $(call cxx_program,test-http-card,verif/host/daemon/http/card_text_test.cpp verif/system/rig.cpp $(addprefix verif/kit/,doctest_main.cpp process.cpp), \
    $(B)/lib/http.a $(B)/lib/generate.a $(B)/lib/walk.a $(B)/lib/graph.a $(B)/lib/models.a $(B)/lib/sdaa.a -lfmt))
