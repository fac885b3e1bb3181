# The model of one CPE that the large cards have (verif/build.mk), and a program that tells how fast it is.

$(eval $(call cpe_tile,cpe-tile,--no-assert))

$(eval $(call verilated_cpp,$(B)/verilated/fast/tile-speed,verif/cpe/tile/tile_speed.cpp,,fast,$(call tile_model,cpe-tile)))
$(eval $(call verilated_link,tile-speed,$(call tile_model,cpe-tile),cpe_tile_top,\
  $(B)/verilated/fast/tile-speed-obj/verif/cpe/tile/tile_speed.o $(call tile_model,cpe-tile)-obj/verif/cpe/tile/tile.o,-lfmt,,fast))
PROGRAMS += $(B)/tile-speed
