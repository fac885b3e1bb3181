# The PCIe wire and the host behind it.

ROOTPORT_SOURCES := $(addprefix sim/rootport/,tlp.cpp wire.cpp outbox.cpp iommu.cpp faults.cpp host_requests.cpp \
  memory_requests.cpp enumeration.cpp msix.cpp root_port.cpp root_port_host.cpp root_complex.cpp)
$(eval $(call cxx_library,rootport,$(ROOTPORT_SOURCES)))
