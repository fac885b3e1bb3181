# SPDX-License-Identifier: Apache-2.0
# Modules for the CPEs: build/cpe-kernels/NAME.elf.

CPE_BUILD := $(B)/cpe-kernels
CPE_COMMON := cpe-kernels/sdaacc cpe-kernels/argument_types.py cpe-kernels/source_lines.py cpe-kernels/stack_guard.py cpe-kernels/stack_use.py cpe-kernels/variables.py $(wildcard cpe-kernels/lib/* cpe-kernels/include/swai/*.hpp cpe-kernels/include/standard/*) \
    $(addprefix abi/,field.hpp global_ptr.hpp grid.hpp kernel_arguments.hpp module.hpp print.hpp segment.hpp) build/gen/cpe_isa.hpp

# $(call cpe_module,NAME,SOURCES,OPTIONS): OPTIONS are sdaacc's.
define cpe_module
$(CPE_BUILD)/$(1).elf: $(2) $(CPE_COMMON)
	$$(call say,MODULE,$$@)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$(PYTHON) cpe-kernels/sdaacc --flag=-Werror -o $$@ $(3) $(2)
CPE_MODULES += $(CPE_BUILD)/$(1).elf
endef

$(foreach k,$(wildcard cpe-kernels/kernels/*.cpp),$(eval $(call cpe_module,$(basename $(notdir $(k))),$(k),)))
$(eval $(call cpe_module,daemon,cpe-kernels/daemon/daemon.S cpe-kernels/daemon/daemon.cpp,--space daemon))
# What the card's firmware does with CPEs takes the card's registers.
$(eval $(call cpe_module,wipe,cpe-kernels/daemon/wipe.cpp,-I $(B)/gen))
$(CPE_BUILD)/wipe.elf: | generated
$(eval $(call cpe_module,faults,cpe-kernels/tests/faults.cpp,))
$(eval $(call cpe_module,mistakes,cpe-kernels/tests/mistakes.cpp,))
$(eval $(call cpe_module,out_of_bounds,cpe-kernels/tests/out_of_bounds.cpp,))
$(eval $(call cpe_module,remains,cpe-kernels/tests/remains.cpp,))
$(eval $(call cpe_module,print,cpe-kernels/tests/print.cpp,))
$(eval $(call cpe_module,stack,cpe-kernels/tests/stack.cpp,))
$(eval $(call cpe_module,waits,cpe-kernels/tests/waits.cpp,))
$(eval $(call cpe_module,undefined,cpe-kernels/tests/undefined.cpp,--link-flag=-Wl$(comma)--unresolved-symbols=ignore-all))

# The operators and the walker that calls them.
OPERATORS := build/gen/operators.hpp build/gen/operator_table.hpp
$(OPERATORS) &: abi/operators.toml scripts/gen-operators.py scripts/gen/text.py
	$(call say,GEN,build/gen/operators.hpp)
	$(Q)$(PYTHON) scripts/gen-operators.py --out build/gen
generated: $(OPERATORS)
# The walker first, as what it is made of runs at every node: `walk` is in front of all functions, and the rest lies behind it in a
# core's cache of code.
WALKER_CPP := $(wildcard cpe-kernels/operators/walker/*.cpp)
$(eval $(call cpe_module,operators,$(WALKER_CPP) $(filter-out $(WALKER_CPP),$(wildcard cpe-kernels/operators/*/*.cpp)),--stack 2048))
$(CPE_BUILD)/operators.elf: $(OPERATORS) abi/node.hpp $(wildcard cpe-kernels/operators/*/*.hpp)

.PHONY: cpe-kernels
cpe-kernels: $(CPE_MODULES)
