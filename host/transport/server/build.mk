# SPDX-License-Identifier: Apache-2.0
# The vfio-user server: a library, for swai-card and for tests.

SOCKET_SERVER_SOURCES := $(addprefix host/transport/server/, \
    audience.cpp \
    dma_table.cpp \
    irq_table.cpp \
    listener.cpp \
    port.cpp \
    port_commands.cpp \
    server.cpp \
    shared_memory.cpp \
    vendor.cpp \
)
$(eval $(call cxx_library,socket,$(SOCKET_SERVER_SOURCES)))
