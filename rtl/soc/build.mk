# The register description and what is made from it, and the source list of the SoC.

CARD_DESCRIPTION := rtl/soc/card.toml

# Packages, in an order in which they can be read.
CARD_REGS_SV := $(addprefix build/gen/,memmap_pkg.sv timer_regs_pkg.sv uart_regs_pkg.sv flash_regs_pkg.sv \
    sha256_regs_pkg.sv irq_regs_pkg.sv system_regs_pkg.sv)
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
