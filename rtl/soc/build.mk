# The register description and what is made from it, and the source list of the SoC.

CARD_DESCRIPTION := rtl/soc/card.toml

# One package per device, and the memory map.
CARD_DEVICES := $(shell sed -n '/^\[\[device\]\]/{n;s/name = "\(.*\)"/\1/p}' $(CARD_DESCRIPTION))
CARD_REGS_SV := build/gen/memmap_pkg.sv $(CARD_DEVICES:%=build/gen/%_regs_pkg.sv)
CARD_REGS_HPP := build/gen/card_regs.hpp build/gen/card_regs_table.hpp

$(CARD_REGS_SV) $(CARD_REGS_HPP) &: $(CARD_DESCRIPTION) scripts/gen-regs.py
	$(call say,GEN,build/gen)
	$(Q)$(PYTHON) scripts/gen-regs.py --out build/gen

generated: $(CARD_REGS_HPP)

.PHONY: registers
registers: ## write docs/registers.md from the register description
	$(PYTHON) scripts/gen-regs.py --docs docs/registers.md

# The sources of the SoC without the core and rtl/lib, packages first.
RTL_SOC_PACKAGES := $(CARD_REGS_SV) rtl/soc/soc_pkg.sv rtl/soc/sha256_pkg.sv
RTL_SOC := $(RTL_SOC_PACKAGES) $(sort $(filter-out $(RTL_SOC_PACKAGES),$(wildcard rtl/soc/*.sv)))
