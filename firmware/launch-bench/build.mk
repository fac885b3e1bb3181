# SPDX-License-Identifier: Apache-2.0
# A program for the management processor that measures launches, packed like a kernel.

LAUNCH_BENCH := $(wildcard firmware/launch-bench/*.S firmware/launch-bench/*.cpp) abi/module_reader.cpp $(FW_COMMON)
LAUNCH_BENCH_MODULES := $(addprefix $(B)/cpe-kernels/,$(addsuffix .stripped,\
  daemon empty broadcast stream sync scalar copy faults gemm sparse gemv softmax axpy handover))

FW_OPT_launch-bench := -O2
$(eval $(call firmware_program,launch-bench,$(LAUNCH_BENCH),firmware/launch-bench/bench.ld))

$(B)/cpe-kernels/%.stripped: $(B)/cpe-kernels/%.elf
	$(Q)$(FW_CROSS)objcopy --strip-all $< $@
$(FW_BUILD)/launch-bench/firmware/launch-bench/modules.S.o: $(LAUNCH_BENCH_MODULES)

$(FW_BUILD)/launch-bench.img: $(FW_BUILD)/launch-bench.elf $(B)/swai-image
	$(call say,IMAGE,$@)
	$(Q)$(B)/swai-image pack $< --output $@
$(FW_BUILD)/launch-bench.flash: $(FW_BUILD)/launch-bench.img $(B)/swai-image
	$(call say,FLASH,$@)
	$(Q)rm -f $@ $@.status
	$(Q)$(B)/swai-image write $< --flash $@ --create --slot a --confirmed
