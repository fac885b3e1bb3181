# SPDX-License-Identifier: Apache-2.0
# Firmware of the management processor (cross-compiled), the image tool, and the images that tests and demo use.

FW_CROSS := riscv64-unknown-elf-
FW_CXX := $(FW_CROSS)g++
FW_BUILD := $(B)/firmware

# What linker scripts need of the memory map. The C++ side compares every number with the generated header.
# Cold code and cold data have a large page each in the kernel's part of the device memory, shown behind the SRAM.
FW_COLD_MAP := COLD_BYTES=0x200000 COLD_CODE=0x80200000 COLD_DATA=0x80400000 COLD_CODE_HOME=0x8000c00000 COLD_DATA_HOME=0x8000a00000 \
    PRIVATE_BASE=0x8000000000 PRIVATE_BYTES=0x5000000 DENY0_BASE=0x1000000090 DENY0_LIMIT=0x1000000098
FW_MAP := ROM_BASE=0x10000 ROM_BYTES=0x10000 SRAM_BASE=0x80000000 HOST_BASE=0x80028000 RESERVED_BASE=0x8003e000 RESERVED_BYTES=0x2000 \
    FAULT_RECORD_BYTES=0x400 $(FW_COLD_MAP)

# The header-only part of the C++ library comes from another target's package, the C headers it includes from
# picolibc; nothing of either is linked.
FW_NEWLIB := /usr/include/newlib/c++/12.2.1
FW_ARCH := -march=rv64imac_zba_zbb_zicsr_zifencei_zicbom -mabi=lp64 -mcmodel=medany
FW_FLAGS := $(FW_ARCH) -g -ffreestanding -fbuiltin -ffunction-sections -fdata-sections -fno-common -I. -I$(B)/gen \
    $(addprefix -D,$(FW_MAP))
FW_CXXFLAGS := $(FW_FLAGS) -std=c++20 -Wall -Wextra -Wpedantic -Werror -fno-exceptions -fno-rtti \
    -fno-threadsafe-statics -fno-tree-loop-distribute-patterns -nostdinc++ -isystem $(FW_NEWLIB) \
    -isystem $(FW_NEWLIB)/arm-none-eabi -isystem /usr/lib/picolibc/riscv64-unknown-elf/include
FW_LDFLAGS := $(FW_ARCH) -nostdlib -static -Wl,--gc-sections -Wl,--no-warn-rwx-segments -Wl,--build-id=none \
    $(addprefix -Xlinker --defsym=,$(FW_MAP))

FW_COMMON := $(addprefix firmware/common/,memory.cpp nor.cpp text.cpp uart.cpp)
FW_ROM := firmware/boot/start.S $(addprefix firmware/boot/,main.cpp flow.cpp rom_platform.cpp) $(FW_COMMON)
# Files that are cold as a whole; kernel.ld gets their names. They come last: a function that a hot file has, too, is taken
# from there.
FW_COLD := $(addprefix firmware/kernel/, \
    confirm.cpp \
    log.cpp \
    modules.S \
    segments.cpp \
    selftest.cpp \
    shell.cpp \
) firmware/common/nor.cpp abi/module_reader.cpp
FW_KERNEL := $(filter-out $(FW_COLD),$(sort $(wildcard firmware/kernel/*.S firmware/kernel/*.cpp)) $(FW_COMMON)) $(FW_COLD)
# What the kernel's image carries for the CPEs.
FW_KERNEL_MODULES := $(addprefix $(B)/cpe-kernels/,$(addsuffix .stripped,daemon copy memset wipe))

# The ROM has room and is in a hurry; the kernel's every byte costs 16 clocks at boot.
FW_OPT_rom := -O2
FW_OPT_kernel := -O2
# What no launch waits for is small instead.
FW_UNHURRIED := $(addprefix firmware/kernel/,fault.cpp log.cpp main.cpp mmu.cpp selftest.cpp shell.cpp) firmware/common/nor.cpp firmware/common/text.cpp
$(FW_UNHURRIED:%=$(FW_BUILD)/kernel/%.o): FW_SIZE := -Os

# $(call firmware_program,NAME,SOURCES,LINKER_SCRIPT): build/firmware/NAME.elf
define firmware_program
$(FW_BUILD)/$(1)_flags := $(FW_CXX) $(FW_CXXFLAGS) $(FW_LDFLAGS) $(FW_OPT_$(1))
$(call text_file,$(FW_BUILD)/$(1)/flags,$(FW_BUILD)/$(1)_flags)
$(patsubst %,$(FW_BUILD)/$(1)/%.o,$(filter %.cpp,$(2))): $(FW_BUILD)/$(1)/%.o: % $(FW_BUILD)/$(1)/flags | generated
	$$(call say,RV-CXX,$$@)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$(FW_CXX) $(FW_CXXFLAGS) $(FW_OPT_$(1)) $$(FW_SIZE) -MMD -MP -c -o $$@ $$<
$(patsubst %,$(FW_BUILD)/$(1)/%.o,$(filter %.S,$(2))): $(FW_BUILD)/$(1)/%.o: % $(FW_BUILD)/$(1)/flags | generated
	$$(call say,RV-AS,$$@)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$(FW_CXX) $(FW_FLAGS) -MMD -MP -c -o $$@ $$<
$(FW_BUILD)/$(1).elf: $(patsubst %,$(FW_BUILD)/$(1)/%.o,$(2)) $(3) $(FW_BUILD)/$(1)/flags
	$$(call say,RV-LINK,$$@)
	$$(Q)$(FW_CXX) $(FW_LDFLAGS) -T $(3) -o $$@ $$(filter %.o,$$^) -lgcc
-include $(patsubst %,$(FW_BUILD)/$(1)/%.d,$(2))
endef
$(eval $(call firmware_program,rom,$(FW_ROM),firmware/boot/rom.ld))
FW_COLD_FILES := -DCOLD_FILES="$(FW_COLD:%=*/%.o)"
$(eval $(call text_file,$(FW_BUILD)/cold_files,FW_COLD_FILES))
$(FW_BUILD)/kernel.ld: firmware/kernel/kernel.ld $(FW_BUILD)/cold_files
	$(call say,GEN,$@)
	$(Q)$(FW_CXX) -E -P -undef -x assembler-with-cpp $(FW_COLD_FILES) -o $@ $<
$(eval $(call firmware_program,kernel,$(FW_KERNEL),$(FW_BUILD)/kernel.ld))

$(FW_BUILD)/kernel/firmware/kernel/modules.S.o: $(FW_KERNEL_MODULES)

# The ROM as $readmemh wants it: rows of 512 bits.
$(FW_BUILD)/rom.hex: $(FW_BUILD)/rom.elf $(B)/swai-image
	$(call say,ROM,$@)
	$(Q)$(B)/swai-image rom $< --output $@
$(FW_BUILD)/kernel.img: $(FW_BUILD)/kernel.elf $(B)/swai-image
	$(call say,IMAGE,$@)
	$(Q)$(B)/swai-image pack $< --output $@
# A chip as it leaves the factory: slot A holds a confirmed image, the rest is erased.
$(FW_BUILD)/flash.bin: $(FW_BUILD)/kernel.img $(B)/swai-image
	$(call say,FLASH,$@)
	$(Q)rm -f $@ $@.status
	$(Q)$(B)/swai-image write $< --flash $@ --create --slot a --confirmed

.PHONY: firmware
firmware: $(FW_BUILD)/rom.hex $(FW_BUILD)/kernel.img $(FW_BUILD)/flash.bin
