# Tests of the vfio-user server and of host/link against each other and against a raw client, on a fake card, with
# sanitizers; and a fuzzer.

SOCKET_PARTS := $(SOCKET_SERVER_SOURCES) $(LINK_SOURCES) \
    $(addprefix verif/socket/,fake_device.cpp raw_client.cpp rig.cpp)

$(eval $(call cxx_library,socket-tested,$(SOCKET_PARTS),$(FUZZED)))
$(eval $(call cxx_program,test-socket,$(addprefix verif/socket/, \
    abuse_test.cpp \
    bad_server_test.cpp \
    dma_test.cpp \
    interrupt_test.cpp \
    life_test.cpp \
    limits_test.cpp \
    link_test.cpp \
    protocol_test.cpp \
    script_test.cpp \
    time_test.cpp \
) verif/common/doctest_main.cpp,$(B)/lib/socket-tested.a -lfmt,$(FUZZED)))
$(eval $(call cxx_program,fuzz-socket,verif/socket/fuzz_socket.cpp,$(B)/lib/socket-tested.a -fsanitize=fuzzer -lfmt,$(FUZZED)))
