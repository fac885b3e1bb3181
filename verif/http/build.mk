# OpenAI's calls over HTTP with played models, with sanitizers (those of the models' tests, which has parts of it already).

$(eval $(call cxx_program,test-http,$(addprefix verif/http/,line_test.cpp request_test.cpp service_test.cpp speech_test.cpp text_test.cpp) $(HTTP_SOURCES) host/link/channel.cpp \
    $(addprefix host/transcribe/,json.cpp output.cpp special_tokens.cpp) verif/common/doctest_main.cpp,$(B)/lib/models-tested.a -lmicrohttpd -lfmt,$(FUZZED)))
# All of it reads and writes JSON: with sanitizers, optimising takes the compiler 50 s and saves each run 5.
$(call objects_of,$(HTTP_SOURCES),$(FUZZED)): LESS_CXXFLAGS := -O0
