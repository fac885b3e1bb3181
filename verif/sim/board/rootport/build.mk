# SPDX-License-Identifier: Apache-2.0
# Unit tests of the root port, and what it costs in host time.

rootport_tests := $(addprefix verif/sim/board/rootport/, \
    complex_test.cpp \
    iommu_test.cpp \
    memory_test.cpp \
    port_test.cpp \
    soft_card.cpp \
    tlp_test.cpp \
    wire_test.cpp \
) verif/kit/doctest_main.cpp

$(eval $(call cxx_test,test-rootport,$(rootport_tests),$(B)/lib/rootport.a -lfmt))
$(eval $(call cxx_program,measure-rootport,verif/sim/board/rootport/measure.cpp,$(B)/lib/rootport.a -lfmt))
