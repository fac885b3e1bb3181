# SPDX-License-Identifier: Apache-2.0
# Modules for the CPEs: build/cpe-kernels/NAME.elf.

CPE_BUILD := $(B)/cpe-kernels
CPE_COMMON := cpe-kernels/sdk/compiler/sdaacc cpe-kernels/sdk/compiler/argument_types.py cpe-kernels/sdk/compiler/source_lines.py cpe-kernels/sdk/compiler/stack_guard.py cpe-kernels/sdk/compiler/stack_use.py cpe-kernels/sdk/compiler/variables.py $(wildcard cpe-kernels/sdk/lib/* cpe-kernels/sdk/include/swai/*.hpp cpe-kernels/sdk/include/standard/*) \
    $(addprefix abi/,field.hpp global_ptr.hpp grid.hpp kernel_arguments.hpp module.hpp print.hpp segment.hpp) build/gen/cpe_isa.hpp

# $(call cpe_module,NAME,SOURCES,OPTIONS): OPTIONS are sdaacc's.
define cpe_module
$(CPE_BUILD)/$(1).elf: $(2) $(CPE_COMMON)
	$$(call say,MODULE,$$@)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$(PYTHON) cpe-kernels/sdk/compiler/sdaacc --flag=-Werror -o $$@ $(3) $(2)
cpe-kernels: $(CPE_BUILD)/$(1).elf
endef

$(foreach k,$(wildcard cpe-kernels/samples/*.cpp),$(eval $(call cpe_module,$(basename $(notdir $(k))),$(k),)))
$(eval $(call cpe_module,daemon,cpe-kernels/daemon/daemon.S cpe-kernels/daemon/daemon.cpp,--space daemon))
# What the card's firmware does with CPEs takes the card's registers.
$(eval $(call cpe_module,wipe,cpe-kernels/daemon/wipe.cpp,-I $(B)/gen))
$(CPE_BUILD)/wipe.elf: | generated

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
