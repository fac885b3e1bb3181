# SPDX-License-Identifier: Apache-2.0
# What the runtime library's calls cost on the card.
$(eval $(call cpe_module,sdaa-bench,verif/host/runtime/bench/kernels.cpp,))
$(eval $(call cxx_program,sdaa-bench,verif/host/runtime/bench/sdaa_bench.cpp verif/system/rig.cpp verif/kit/process.cpp, \
    $(B)/lib/sdaa.a -lfmt))
$(eval $(call model_program,timed,verif/host/runtime/programs/timed.cpp verif/host/runtime/programs/timed.hpp))
$(eval $(call cxx_program,program-bench,verif/host/runtime/bench/program_bench.cpp verif/system/rig.cpp verif/kit/process.cpp, \
    $(B)/lib/sdaa.a -lfmt,))
$(eval $(call cxx_program,building-bench,verif/host/runtime/bench/building_bench.cpp verif/system/rig.cpp verif/kit/process.cpp, \
    $(B)/lib/sdaa.a $(B)/lib/graph.a -lfmt))
$(eval $(call cxx_program,copy-bench,verif/host/runtime/bench/copy_bench.cpp verif/system/rig.cpp verif/kit/process.cpp, \
    $(B)/lib/sdaa.a -lfmt,))
$(eval $(call cxx_program,d2d-bench,verif/host/runtime/bench/d2d_bench.cpp verif/system/rig.cpp verif/kit/process.cpp, \
    $(B)/lib/sdaa.a -lfmt,))
$(eval $(call cxx_program,paged-bench,verif/host/runtime/bench/paged_bench.cpp bench/page_table.cpp verif/system/rig.cpp verif/kit/process.cpp, \
    $(B)/lib/sdaa.a -lfmt,))

# The kernel with a measurement of its memory manager in place of its service.
FW_OPT_alloc-bench := -O2
ALLOC_BENCH := $(filter-out firmware/kernel/service.cpp firmware/kernel/modules.S abi/%,$(FW_KERNEL)) \
    verif/host/runtime/bench/alloc_service.cpp libc-malloc
$(eval $(call firmware_program,alloc-bench,$(ALLOC_BENCH),$(FW_BUILD)/kernel.ld))
# The C library's allocator alone: nothing else of it is in any firmware. What the kernel has itself, like sbrk here, comes first.
$(FW_BUILD)/alloc-bench/libc-malloc.o: /usr/lib/picolibc/riscv64-unknown-elf/lib/release/rv64imac/lp64/libc.a
	$(call say,RV-LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(FW_CROSS)ld -r -m elf64lriscv -u malloc -u free -o $@ $<
	$(Q)$(FW_CROSS)objcopy --weaken --redefine-sym memset=clear_given $@
$(FW_BUILD)/alloc-bench.img: $(FW_BUILD)/alloc-bench.elf $(B)/swai-image
	$(call say,IMAGE,$@)
	$(Q)$(B)/swai-image pack $< --output $@
$(FW_BUILD)/alloc-bench.flash: $(FW_BUILD)/alloc-bench.img $(B)/swai-image
	$(call say,FLASH,$@)
	$(Q)rm -f $@ $@.status
	$(Q)$(B)/swai-image write $< --flash $@ --create --slot a --confirmed
