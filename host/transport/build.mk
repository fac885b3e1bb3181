# SPDX-License-Identifier: Apache-2.0
# How host programs reach a card; also what the server of the simulated card needs of the protocol.

LINK_SOURCES := $(addprefix host/transport/, \
    card.cpp \
    channel.cpp \
    control_call.cpp \
    fault_backend.cpp \
    negotiation.cpp \
    served.cpp \
    served_client.cpp \
    vfio_user_backend.cpp \
    vfio_user_client.cpp \
    vfio_user_open.cpp \
) $(TEXT_SOURCES)
$(eval $(call cxx_library,link,$(LINK_SOURCES)))
