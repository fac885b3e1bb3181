# The PCIe wire and the host behind it, and their unit tests.

$(eval $(call cxx_library,rootport,$(addprefix verif/rootport/,tlp.cpp wire.cpp outbox.cpp iommu.cpp faults.cpp \
  host_requests.cpp memory_requests.cpp enumeration.cpp msix.cpp root_port.cpp root_complex.cpp)))
$(eval $(call cxx_program,test-rootport,$(addprefix verif/rootport/,tlp_test.cpp wire_test.cpp iommu_test.cpp port_test.cpp memory_test.cpp complex_test.cpp \
  soft_card.cpp) \
  verif/common/doctest_main.cpp,$(B)/lib/rootport.a -lfmt))
