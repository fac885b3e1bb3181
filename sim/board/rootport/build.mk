# SPDX-License-Identifier: Apache-2.0
# The PCIe wire and the host behind it.

ROOTPORT_SOURCES := $(addprefix sim/board/rootport/, \
    config_space.cpp \
    enumeration.cpp \
    faults.cpp \
    host_requests.cpp \
    iommu.cpp \
    memory_requests.cpp \
    msix.cpp \
    outbox.cpp \
    root_complex.cpp \
    root_port.cpp \
    root_port_host.cpp \
    tlp.cpp \
    wire.cpp \
)
$(eval $(call cxx_library,rootport,$(ROOTPORT_SOURCES)))
