# The model of one CPE that the large cards have (sim/build.mk), and what binds those of a group to its RTL.

$(eval $(call cpe_tile,cpe-tile,--no-assert))
$(eval $(call cxx_library,$(MACHINE)/cg-array,sim/tile/array.cpp,-O3 -march=$(MACHINE) -isystem $(VERILATOR_ROOT)/include -isystem $(VERILATOR_ROOT)/include/vltstd))
