# SPDX-License-Identifier: Apache-2.0
# Programs for the card as users write them: each example is a program and the module with its kernels, in a folder of its own.
# They use the runtime library as everybody does: its header and libsdaa.so.

EXAMPLE_FLAGS := -Ihost/runtime/include
# The library is found from where the program lies.
EXAMPLE_LIBS := $(B)/libsdaa.so.1 '-Wl,-rpath,$$$$ORIGIN/../..'

# $(call example,NAME,KERNELS): build/examples/NAME/NAME, and beside it the module KERNELS.elf of KERNELS.cpp.
define example
$(eval $(call cxx_program,examples/$(1)/$(1),examples/$(1)/$(1).cpp,$(EXAMPLE_LIBS),$(EXAMPLE_FLAGS)))
# It asks for the module when it runs.
$(B)/examples/$(1)/$(1): $(B)/libsdaa.so.1 | $(B)/examples/$(1)/$(2).elf
$(B)/examples/$(1)/$(2).elf: examples/$(1)/$(2).cpp $(wildcard examples/$(1)/*.h) $(CPE_COMMON)
	$$(call say,MODULE,$$@)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$(PYTHON) cpe-kernels/sdk/compiler/sdaacc --flag=-Werror -o $$@ $$<
# For a package, whose library lies where the system looks for it.
$(eval $(call cxx_program,packaged/$(1),examples/$(1)/$(1).cpp,$(B)/libsdaa.so.1,$(EXAMPLE_FLAGS)))
PACKAGED_EXAMPLES += $(B)/packaged/$(1)
FILES_OF_$(1) := $(B)/examples/$(1)/$(1) $(B)/examples/$(1)/$(2).elf
EXAMPLE_NAMES += $(1)
EXAMPLES += $$(FILES_OF_$(1))
endef

$(eval $(call example,axpy,kernel))
$(eval $(call example,units,kernel))
$(eval $(call example,streams,kernel))
$(eval $(call example,errors,kernel))
$(eval $(call example,digits,convolution))

# $(call cuda_example,NAME): a sample as those for CUDA are, a program and a module of the same name.
define cuda_example
$(eval $(call cxx_program,examples/cuda/$(1),examples/cuda/$(1).cpp,$(EXAMPLE_LIBS),$(EXAMPLE_FLAGS)))
$(B)/examples/cuda/$(1): $(B)/libsdaa.so.1 | $(B)/examples/cuda/$(1).elf
$(B)/examples/cuda/$(1).elf: examples/cuda/$(1)_kernel.cpp $(wildcard examples/cuda/$(1).h) $(CPE_COMMON)
	$$(call say,MODULE,$$@)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$(PYTHON) cpe-kernels/sdk/compiler/sdaacc --flag=-Werror -o $$@ $$<
FILES_OF_$(1) := $(B)/examples/cuda/$(1) $(B)/examples/cuda/$(1).elf
EXAMPLE_NAMES += $(1)
EXAMPLES += $$(FILES_OF_$(1))
endef

CUDA_SAMPLES := vectorAdd matrixMul reduction transpose histogram convolution globals
$(foreach sample,$(CUDA_SAMPLES),$(eval $(call cuda_example,$(sample))))

.PHONY: examples
examples: $(EXAMPLES) ## build the examples: programs for the card as users write them

E ?= axpy
CONFIG ?= cg1
CARD_cg1 := swai-card
.PHONY: run-example
run-example: ## start a card, run an example on it, stop it: make run-example E=axpy [CONFIG=tiny]
	$(if $(filter $(E),$(EXAMPLE_NAMES)),,$(error there is no example '$(E)': E is one of $(EXAMPLE_NAMES)))
	@scripts/install-deps.sh demo
	@$(STEPS) $(MAKE) $(B)/swai $(B)/$(or $(CARD_$(CONFIG)),swai-card-$(CONFIG)) $(B)/firmware/flash.bin $(B)/firmware/rom.hex $(FILES_OF_$(E))
	@$(B)/swai --config $(CONFIG) exec --folder $(dir $(firstword $(FILES_OF_$(E)))) ./$(E)
