# A core group alone: what plays everything around it, and the tests of whole groups. cpe-run (verif/cpe/run) is on the same models.

GROUP_RTL := $(RTL_LIB_PACKAGES) $(RTL_CG_PACKAGES) $(filter-out $(RTL_CG_PACKAGES),$(RTL_CPE_PACKAGES)) $(filter-out %_pkg.sv,$(RTL_LIB)) \
  $(filter-out %_pkg.sv,$(RTL_CPE) $(RTL_CG)) verif/cg/group/group_top.sv
GROUP_TRACE := verif/cg/group/cpe_trace.sv
# As those of swai-card.
GROUP_FLAGS := +define+CPE_RVFI -fno-table --output-split-cfuncs 300
GROUP_SIM := verif/cg/group/group_sim.cpp
GROUP_TEST_CPP := $(GROUP_SIM) $(addprefix verif/cg/group/,group_test.cpp group_bench.cpp garbage.cpp) verif/lib/test_main.cpp
GROUP_TEST_LIBS := $(addprefix $(B)/lib/,cpe-random.a iss-cpe.a hbm-cells.a) -lfmt

# The model of one CPE, as swai-card has it (verif/cpe/tile), but with its retirement port and assertions.
$(eval $(call cpe_tile,group-tile,+define+CPE_RVFI,$(GROUP_TRACE)))
GROUP_TILE_LIBS := $(call tile_libs,group-tile)

$(eval $(call verilated_program,tb-group,group_top,$(call with_tiles,$(GROUP_RTL)) other:$(GROUP_TRACE),$(GROUP_TEST_CPP),$(GROUP_FLAGS),\
  $(GROUP_TILE_LIBS) $(GROUP_TEST_LIBS),))
$(eval $(call verilated_program,tb-group-tiny,group_top,$(GROUP_RTL) $(GROUP_TRACE),$(GROUP_TEST_CPP),\
  $(GROUP_FLAGS) -GRows=2 -GColumns=2,$(GROUP_TEST_LIBS),-DSWAI_CONFIG=tiny))
# CPEs as an FPGA would have them.
$(eval $(call verilated_program,tb-group-small,group_top,$(GROUP_RTL) $(GROUP_TRACE),$(GROUP_TEST_CPP),\
  $(GROUP_FLAGS) -GRows=2 -GColumns=2 "-GSmallCpes=1'b1",$(GROUP_TEST_LIBS),-DSMALL_CPES))
# Every CPE with the gate of its own clock.
$(eval $(call verilated_program,tb-group-gated,group_top,$(GROUP_RTL) $(GROUP_TRACE),$(GROUP_TEST_CPP),$(GROUP_FLAGS) -GRows=2 -GColumns=2 \
  -GSharedClock=0,$(GROUP_TEST_LIBS),))
