# The daemon's parts: against a played card, with sanitizers.

SERVE_TESTED := $(SERVE_SOURCES) $(SOCKET_SERVER_SOURCES)
$(eval $(call cxx_program,test-serve,$(addprefix verif/serve/,client_test.cpp hostile_test.cpp job_test.cpp) $(SERVE_TESTED) $(SDAA_FAKE) \
    $(SDAA_PARTS) verif/common/doctest_main.cpp,-lfmt,$(SDAA_ADDRESS)))
