# SPDX-License-Identifier: Apache-2.0
# Tests of the vfio-user server and of host/transport against each other and against a raw client, on a fake card; and a fuzzer.

SOCKET_TEST_PARTS := $(addprefix verif/host/transport/,fake_device.cpp raw_client.cpp rig.cpp)

$(eval $(call cxx_test,test-socket,$(addprefix verif/host/transport/, \
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
) $(SOCKET_TEST_PARTS) verif/kit/doctest_main.cpp,$(B)/lib/socket.a $(B)/lib/link.a -lfmt))
$(eval $(call cxx_fuzzer,fuzz-socket,verif/host/transport/fuzz_socket.cpp $(SOCKET_TEST_PARTS),$(B)/lib/socket.a $(B)/lib/link.a -lfmt))
