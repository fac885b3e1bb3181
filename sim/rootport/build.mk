# The PCIe wire and the host behind it; their unit tests, with sanitizers; what they cost in host time.

rootport_sources := $(addprefix verif/rootport/,tlp.cpp wire.cpp outbox.cpp iommu.cpp faults.cpp host_requests.cpp \
  memory_requests.cpp enumeration.cpp msix.cpp root_port.cpp root_port_host.cpp root_complex.cpp)
rootport_tests := $(addprefix verif/rootport/,tlp_test.cpp wire_test.cpp iommu_test.cpp port_test.cpp memory_test.cpp \
  complex_test.cpp soft_card.cpp) verif/common/doctest_main.cpp

$(eval $(call cxx_library,rootport,$(rootport_sources)))
$(eval $(call cxx_program,test-rootport,$(rootport_sources) $(rootport_tests),-lfmt, \
  -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer))
$(eval $(call cxx_program,measure-rootport,verif/rootport/measure.cpp,$(B)/lib/rootport.a -lfmt))
