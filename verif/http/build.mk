# OpenAI's calls over HTTP with played models, with sanitizers (those of the models' tests, which has parts of it already).

$(eval $(call cxx_program,test-http,$(addprefix verif/http/,line_test.cpp request_test.cpp service_test.cpp speech_test.cpp text_test.cpp write_test.cpp) \
    $(HTTP_SOURCES) $(WRITE_SOURCES) host/generate/answer.cpp $(addprefix host/serve/,control.cpp lines.cpp) $(addprefix host/link/,channel.cpp control_call.cpp server/audience.cpp server/listener.cpp) \
    $(addprefix host/transcribe/,json.cpp output.cpp special_tokens.cpp) verif/common/doctest_main.cpp,$(B)/lib/models-tested.a -lmicrohttpd -lfmt,$(FUZZED)))
# All of it reads and writes JSON: with sanitizers, optimising takes the compiler 50 s and saves each run 5.
$(call objects_of,$(HTTP_SOURCES) $(WRITE_SOURCES),$(FUZZED)): LESS_CXXFLAGS := -O0

# A language model that answers on the card, whose memory may be too short.
$(eval $(call cxx_program,test-http-card,verif/http/card_text_test.cpp verif/system/rig.cpp $(addprefix verif/common/,doctest_main.cpp process.cpp), \
    $(B)/lib/http.a $(B)/lib/generate.a $(B)/lib/walk.a $(B)/lib/graph.a $(B)/lib/models.a $(B)/lib/sdaa.a -lfmt))
