# How host programs reach a card; also what the server of the simulated card needs of the protocol.

LINK_SOURCES := $(addprefix host/link/,channel.cpp negotiation.cpp vfio_user_client.cpp vfio_user_open.cpp vfio_user_backend.cpp \
    fault_backend.cpp card.cpp served.cpp)
$(eval $(call cxx_library,link,$(LINK_SOURCES)))
