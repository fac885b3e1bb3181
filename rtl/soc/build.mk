# The register description and what is made from it, and the source list of the SoC.

CARD_DESCRIPTION := abi/card.toml

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

# The sources of the management complex without the core and rtl/lib, packages first.
RTL_SOC_PACKAGES := $(CARD_REGS_SV) rtl/soc/soc_pkg.sv rtl/soc/sha256_pkg.sv
RTL_SOC := $(RTL_SOC_PACKAGES) $(sort $(filter-out $(RTL_SOC_PACKAGES) %/swai_card.sv,$(wildcard rtl/soc/*.sv)))

# The whole card, packages first.
RTL_CARD_ALL = $(RTL_LIB) $(RTL_SOC) $(RTL_NOC) $(RTL_PCIE) $(RTL_CG_PACKAGES) $(RTL_CPE) $(sort $(wildcard rtl/mpe/*.sv rtl/cg/*.sv)) \
  rtl/soc/swai_card.sv
RTL_CARD_PACKAGES = $(filter %_pkg.sv,$(RTL_LIB) $(RTL_SOC)) rtl/noc/noc_pkg.sv rtl/mpe/mpe_pkg.sv $(RTL_PCIE_PACKAGES) \
  rtl/cg/hbm_pkg.sv rtl/cg/cg_pkg.sv $(RTL_CPE_PACKAGES)
RTL_CARD = $(RTL_CARD_PACKAGES) $(filter-out %_pkg.sv,$(sort $(RTL_CARD_ALL)))
