# SPDX-License-Identifier: Apache-2.0
# Tests of whole groups, on the models of cpe-run (sim/group) and on further ones.

GROUP_TEST_CPP := $(GROUP_SIM) $(addprefix verif/rtl/group/group/,group_test.cpp group_bench.cpp digest.cpp garbage.cpp) verif/rtl/lib/test_main.cpp
GROUP_TEST_LIBS := $(addprefix $(B)/lib/,cpe-random.a iss-cpe.a host-threads.a hbm-cells.a) -lfmt

$(eval $(call verilated_sibling,tb-group,cpe-run,$(GROUP_TEST_CPP),$(GROUP_TILE_LIBS) $(GROUP_TEST_LIBS)))
$(eval $(call verilated_sibling,tb-group-tiny,cpe-run-tiny,$(GROUP_TEST_CPP),$(GROUP_TEST_LIBS)))
# CPEs as an FPGA would have them.
$(eval $(call verilated_program,tb-group-small,group_top,$(GROUP_RTL) $(GROUP_TRACE),$(GROUP_TEST_CPP),\
  $(GROUP_FLAGS) -GRows=2 -GColumns=2 "-GSmallCpes=1'b1",$(GROUP_TEST_LIBS),-DSMALL_CPES))
# Every CPE with the gate of its own clock.
$(eval $(call verilated_program,tb-group-gated,group_top,$(GROUP_RTL) $(GROUP_TRACE),$(GROUP_TEST_CPP),$(GROUP_FLAGS) -GRows=2 -GColumns=2 \
  -GSharedClock=0,$(GROUP_TEST_LIBS),))
# With the tiles of swai-card-tiny, and with tiles that tell what their cores retire.
$(eval $(call verilated_program,tb-group-tiles,group_top,$(call with_tiles,$(GROUP_RTL)) other:$(GROUP_TRACE),$(GROUP_TEST_CPP),\
  $(GROUP_FLAGS) -GRows=2 -GColumns=2,$(call tile_libs,cpe-tile-tiny) $(GROUP_TEST_LIBS),))
$(eval $(call cpe_tile,group-tile-tiny,+define+CPE_RVFI -GRows=2 -GColumns=2,$(GROUP_TRACE)))
$(eval $(call verilated_sibling,tb-group-tiles-told,tb-group-tiles,$(GROUP_TEST_CPP),$(call tile_libs,group-tile-tiny) $(GROUP_TEST_LIBS)))
# With the tiles of swai-card, and all 32 CPEs in one model of nothing but rtl/: what those are compared with. Each of its CPEs would
# say of an assertion where it is, and so have code of its own; the other groups have them.
$(eval $(call verilated_sibling,tb-group-card,cpe-run,$(GROUP_TEST_CPP) verif/rtl/group/group/two_threads.cpp,$(call tile_libs,cpe-tile) $(GROUP_TEST_LIBS)))
$(eval $(call verilated_program,tb-group-flat,group_top,$(GROUP_RTL) $(GROUP_TRACE),$(GROUP_TEST_CPP),$(GROUP_FLAGS) --no-assert,\
  $(GROUP_TEST_LIBS),))
# What synthesis reads, with the memory's model in place of the box: compared with cpe-run's group.
$(eval $(call verilated_program,tb-group-synthesis,group_top,\
  $(patsubst rtl/hbm/hbm_phy.sv,verif/rtl/group/group/hbm_phy_kept.sv,$(GROUP_RTL)) $(GROUP_TRACE),$(GROUP_TEST_CPP),\
  $(GROUP_FLAGS) +define+SYNTHESIS -GRows=2 -GColumns=2,$(GROUP_TEST_LIBS),))
