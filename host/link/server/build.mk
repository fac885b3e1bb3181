# The vfio-user server: a library, for swai-card and for tests.

SOCKET_SERVER_SOURCES := $(addprefix host/link/server/,server.cpp audience.cpp listener.cpp port.cpp port_commands.cpp vendor.cpp \
    irq_table.cpp dma_table.cpp shared_memory.cpp)
$(eval $(call cxx_library,socket,$(SOCKET_SERVER_SOURCES)))
