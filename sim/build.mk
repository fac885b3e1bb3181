# SPDX-License-Identifier: Apache-2.0
# What several folders, here and below verif/, build with.

# A CPE as a model of its own (sim/seam), of which the fast variant of a large simulator has an instance for every CPE: built
# once, however many there are.
#   $(eval $(call cpe_tile,NAME,FLAGS,SOURCES))  the model with these flags for Verilator and further sources
#   $(call with_tiles,SOURCES)                   a simulator's sources: in its fast variant the stand-in for rtl/group/cg_array.sv
#   $(call tile_libs,NAME)                       and its libraries
# The model has modules of sim/seam in place of those of the same name in rtl/cpe, and a local memory of its own.
TILE_STAND_INS := $(addprefix sim/seam/,cpe_core_gate.sv cpe_movers_gate.sv cpe_unit_gate.sv)
tile_model = $(VERILATED)/fast/$(1)
tile_libs = $(addprefix fast:,$(B)/lib/$(MACHINE)/cg-array.a $(B)/lib/$(MACHINE)/$(1).a)
with_tiles = $(patsubst rtl/group/cg_array.sv,other:rtl/group/cg_array.sv fast:sim/seam/cg_array.sv,$(1))

# Flags for Verilator with which a model keeps which edges there are as bits: for models that are mostly asked about edges.
EDGE_HEADER := sim/common/verilated_triggers.hpp
# As a path from the folder of a model.
EDGE_BITS := -CFLAGS -include -CFLAGS ../../../../$(EDGE_HEADER)
EXTENDS_HEADER := sim/common/verilated_extends.hpp
# The model is compiled as one, with tile.cpp; most of its functions become part of others. Large classes of Verilator's have structures
# without names.
TILE_FLAGS := -include $(EDGE_HEADER) -include $(EXTENDS_HEADER) -mllvm -inline-threshold=5000 -Wno-gnu-anonymous-struct \
  -Wno-nested-anon-types

define cpe_tile
$(call verilated_model,cpe_tile_top,$(RTL_LIB_PACKAGES) rtl/noc/noc_pkg.sv $(RTL_CPE_PACKAGES) rtl/group/cg_pkg.sv \
  sim/seam/cpe_tile_pkg.sv $(filter-out %_pkg.sv $(addprefix %/,$(notdir $(TILE_STAND_INS))),$(RTL_LIB) $(RTL_CPE)) $(3) \
  $(TILE_STAND_INS) sim/seam/tile_ldm.sv sim/seam/cpe_tile_top.sv sim/seam/cpe_activity.sv,\
  -fno-split +define+CPE_LDM=tile_ldm +define+CPE_ACTIVITY_WANTED=cpe_tile_top.in.activity_wanted $(2),fast,$(tile_model))
$(tile_model)/edges.hpp: sim/seam/edges.py $(tile_model).stamp
	$$(call say,GEN,$$@)
	$$(Q)$$(PYTHON) $$< $(tile_model) >$$@
$(call verilated_cpp,$(tile_model),sim/seam/tile.cpp,$(TILE_FLAGS),fast,$(tile_model))
$(tile_model)-obj/sim/seam/tile.o: $(tile_model)/edges.hpp
$(B)/lib/$(MACHINE)/$(1).a: $(tile_model)-obj/sim/seam/tile.o
	$$(call say,AR,$$@)
	$$(Q)mkdir -p $$(@D) && rm -f $$@ && ar rcs $$@ $$^
endef
