# The model of one CPE, of which simulators of large cards have an instance for every CPE: built once, however many there are.

CPE_TILE_PACKAGES := rtl/noc/noc_pkg.sv $(RTL_CPE_PACKAGES) rtl/cg/cg_pkg.sv verif/cpe/tile/cpe_tile_pkg.sv
CPE_TILE_MODEL := $(B)/verilated/fast/cpe-tile
$(eval $(call verilated_model,cpe_tile_top,$(RTL_LIB) $(CPE_TILE_PACKAGES) $(filter-out %_pkg.sv,$(RTL_CPE)) \
  verif/cpe/tile/cpe_tile_top.sv,--no-assert,fast,$(CPE_TILE_MODEL)))
$(eval $(call verilated_cpp,$(CPE_TILE_MODEL),verif/cpe/tile/tile.cpp,,fast,$(CPE_TILE_MODEL)))

$(B)/lib/cpe-tile.a: $(CPE_TILE_MODEL)-obj/verif/cpe/tile/tile.o
	$(call say,AR,$@)
	$(Q)mkdir -p $(@D) && rm -f $@ && ar rcs $@ $^

# How fast one is.
$(eval $(call verilated_cpp,$(B)/verilated/fast/tile-speed,verif/cpe/tile/tile_speed.cpp,,fast,$(CPE_TILE_MODEL)))
$(eval $(call verilated_link,tile-speed,$(CPE_TILE_MODEL),cpe_tile_top,$(B)/verilated/fast/tile-speed-obj/verif/cpe/tile/tile_speed.o \
  $(CPE_TILE_MODEL)-obj/verif/cpe/tile/tile.o,-lfmt,,fast))
PROGRAMS += $(B)/tile-speed
