# The scalar core of a CPE: its model as a library, and its testbench.

CPE_HART_SOURCES := $(addprefix verif/iss/cpe/,decode.cpp hart.cpp)
$(eval $(call cxx_library,cpe-hart,$(CPE_HART_SOURCES),-O3))
.PHONY: cpe-hart
cpe-hart: $(B)/lib/cpe-hart.a
