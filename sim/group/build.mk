# SPDX-License-Identifier: Apache-2.0
# A core group alone, with what plays everything around it.

GROUP_RTL := $(RTL_LIB_PACKAGES) $(RTL_CG_PACKAGES) $(filter-out $(RTL_CG_PACKAGES),$(RTL_CPE_PACKAGES)) $(filter-out %_pkg.sv,$(RTL_LIB)) \
  $(filter-out %_pkg.sv,$(RTL_CPE) $(RTL_CG)) sim/group/group_top.sv sim/group/array_trace.sv
GROUP_TRACE := sim/group/cpe_trace.sv
# As those of swai-card.
GROUP_FLAGS := +define+CPE_RVFI -fno-table --output-split-cfuncs 300
GROUP_SIM := sim/group/group_sim.cpp

# The model of one CPE, as swai-card has it (sim/seam), but with its retirement port and assertions.
$(eval $(call cpe_tile,group-tile,+define+CPE_RVFI,$(GROUP_TRACE)))
GROUP_TILE_LIBS := $(call tile_libs,group-tile)
