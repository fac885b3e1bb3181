# SPDX-License-Identifier: Apache-2.0
# How fast the model of one CPE is (sim/seam).

$(eval $(call cxx_program,tile-speed,verif/rtl/cpe/tile/tile_speed.cpp,\
  $(B)/lib/$(MACHINE)/cpe-tile.a $(VERILATED)/fast/runtime.a -lfmt -latomic,$(VLT_INCLUDES)))

# What it runs, beside the plain loop of verif/rtl/cpe/core.
$(B)/cpe-tile-%.bin: verif/rtl/cpe/tile/%.S
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D)
	$(Q)riscv64-unknown-elf-gcc -march=rv32imc_zicsr -mabi=ilp32 -nostdlib -static -Wl,-Ttext=0x40000000,--no-warn-rwx-segments \
	  $< -o $(@:.bin=.elf)
	$(Q)riscv64-unknown-elf-objcopy -O binary $(@:.bin=.elf) $@
