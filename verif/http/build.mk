# OpenAI's calls over HTTP with a played model, with sanitizers.

$(eval $(call cxx_program,test-http,$(addprefix verif/http/,request_test.cpp service_test.cpp text_test.cpp) $(HTTP_SOURCES) host/link/channel.cpp verif/common/doctest_main.cpp,-lmicrohttpd -lfmt,$(ADDRESS_SANITIZER)))
