# SPDX-License-Identifier: Apache-2.0
# Model programs that come with the card, made as users make theirs.

PROGRAM_COMMON := cpe-kernels/sdk/compiler/sdaacc $(wildcard cpe-kernels/sdk/programs/lib/* cpe-kernels/sdk/programs/include/swai/*.hpp) firmware/common/memory.cpp \
    $(addprefix abi/,building.hpp command.hpp count.hpp decode.hpp global_ptr.hpp line.hpp list_template.hpp listen.hpp node.hpp program.hpp protocol.hpp speech_rules.hpp timed_launches.hpp)

# $(call model_program,NAME,SOURCE HEADERS): build/programs/NAME.elf
define model_program
$(B)/programs/$(1).elf: $(2) $(PROGRAM_COMMON) | generated
	$$(call say,PROGRAM,$$@)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$(PYTHON) cpe-kernels/sdk/compiler/sdaacc --mpe --flag=-Werror -o $$@ $$<
MODEL_PROGRAMS += $(B)/programs/$(1).elf
endef
$(eval $(call model_program,count,firmware/programs/count.cpp))
$(eval $(call model_program,decode,firmware/programs/decode.cpp))
$(eval $(call model_program,listen,firmware/programs/listen.cpp))
$(eval $(call model_program,timed_launches,firmware/programs/timed_launches.cpp))

.PHONY: programs
programs: $(MODEL_PROGRAMS)
