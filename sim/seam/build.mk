# SPDX-License-Identifier: Apache-2.0
# The model of one CPE that the large cards have (sim/build.mk), and what binds those of a group to its RTL.

$(eval $(call cpe_tile,cpe-tile,--no-assert))
# That of a group of 2 x 2, with its assertions.
$(eval $(call cpe_tile,cpe-tile-tiny,-GRows=2 -GColumns=2))
$(eval $(call cxx_library,$(MACHINE)/cg-array,sim/seam/array.cpp,-O3 -march=$(MACHINE) -isystem $(VERILATOR_ROOT)/include -isystem $(VERILATOR_ROOT)/include/vltstd))
