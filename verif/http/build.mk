# OpenAI's calls over HTTP with played models, with sanitizers (those of the models' tests, which has parts of it already).

$(eval $(call cxx_program,test-http,$(addprefix verif/http/,request_test.cpp service_test.cpp speech_test.cpp text_test.cpp) $(HTTP_SOURCES) host/link/channel.cpp \
    $(addprefix host/transcribe/,json.cpp output.cpp special_tokens.cpp) verif/common/doctest_main.cpp,$(B)/lib/models-tested.a -lmicrohttpd -lfmt,$(FUZZED)))
