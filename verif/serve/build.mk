# The daemon's parts: against a played card, with sanitizers.

$(eval $(call cxx_program,test-serve,$(addprefix verif/serve/,client_test.cpp group_test.cpp hostile_test.cpp job_test.cpp shared_card_test.cpp) verif/attack/hostile_client.cpp $(SERVE_SOURCES) \
    $(SOCKET_SERVER_SOURCES),$(B)/lib/sdaa-tested.a -lfmt,$(ADDRESS_SANITIZER)))
