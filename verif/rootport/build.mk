# Unit tests of the root port, with sanitizers, and what it costs in host time.

rootport_tests := $(addprefix verif/rootport/, \
    complex_test.cpp \
    iommu_test.cpp \
    memory_test.cpp \
    port_test.cpp \
    soft_card.cpp \
    tlp_test.cpp \
    wire_test.cpp \
) verif/common/doctest_main.cpp

$(eval $(call cxx_program,test-rootport,$(ROOTPORT_SOURCES) $(rootport_tests),-lfmt,$(ADDRESS_SANITIZER)))
$(eval $(call cxx_program,measure-rootport,verif/rootport/measure.cpp,$(B)/lib/rootport.a -lfmt))
