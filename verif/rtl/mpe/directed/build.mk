# SPDX-License-Identifier: Apache-2.0
# Directed tests of the core: one program per file, and those that make-instruction-tests writes.

DIRECTED := verif/rtl/mpe/directed
DIRECTED_OUT := $(B)/directed
DIRECTED_GENERATED := insn_integer insn_immediate insn_multiply insn_bits insn_atomic insn_branch
DIRECTED_TESTS := $(sort $(basename $(notdir $(wildcard $(DIRECTED)/*.S))))
DIRECTED_GCC := riscv64-unknown-elf-gcc -march=rv64imac_zba_zbb_zicsr_zifencei_zicbom -mabi=lp64 -mcmodel=medany -nostdlib \
  -static -I. -Wl,--no-warn-rwx-segments -Wl,--fatal-warnings -T $(DIRECTED)/directed.ld

$(eval $(call cxx_program,make-instruction-tests,$(DIRECTED)/make_instruction_tests.cpp,-lfmt,))
$(patsubst %,$(DIRECTED_OUT)/gen/%.S,$(DIRECTED_GENERATED)) &: $(B)/make-instruction-tests
	$(call say,GEN,$(DIRECTED_OUT)/gen)
	$(Q)$< $(DIRECTED_OUT)/gen

# $(call directed_test,NAME,SOURCE)
define directed_test
$(DIRECTED_OUT)/$(1).elf: $(2) $(addprefix $(DIRECTED)/,test.h paging.h directed.ld)
	$$(call say,RISCV,$$@)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$(DIRECTED_GCC) $$< -o $$@
endef
$(foreach t,$(DIRECTED_TESTS),$(eval $(call directed_test,$(t),$(DIRECTED)/$(t).S)))
$(foreach t,$(DIRECTED_GENERATED),$(eval $(call directed_test,$(t),$(DIRECTED_OUT)/gen/$(t).S)))

.PHONY: directed
directed: $(patsubst %,$(DIRECTED_OUT)/%.elf,$(DIRECTED_TESTS) $(DIRECTED_GENERATED))

# The measurement of command dispatch: compiled C++ with the library's freestanding headers.
DISPATCH_NEWLIB := /usr/include/newlib/c++/12.2.1
DISPATCH_GXX := $(filter-out -nostdlib -static,$(DIRECTED_GCC)) -nostdlib -static -std=c++20 -O2 -Wall -Wextra -Werror \
  -ffreestanding -fno-exceptions -fno-rtti -nostdinc++ -isystem $(DISPATCH_NEWLIB) -isystem $(DISPATCH_NEWLIB)/arm-none-eabi
$(DIRECTED_OUT)/dispatch_loop.elf: $(addprefix $(DIRECTED)/,programs/start.S programs/dispatch_loop.cpp directed.ld)
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(DISPATCH_GXX) $(filter %.S %.cpp,$^) -lgcc -o $@
directed: $(DIRECTED_OUT)/dispatch_loop.elf
