# SPDX-License-Identifier: Apache-2.0
# The descriptions in abi/ and what is made from them, and the source list of the SoC.

CARD_DESCRIPTION := abi/card.toml

# One package per device, and the memory map.
CARD_DEVICES := $(shell sed -n '/^\[\[device\]\]/{n;s/name = "\(.*\)"/\1/p}' $(CARD_DESCRIPTION))
CARD_REGS_SV := build/gen/memmap_pkg.sv $(CARD_DEVICES:%=build/gen/%_regs_pkg.sv)
CARD_REGS_HPP := build/gen/card_regs.hpp build/gen/card_regs_table.hpp
# What CPEs are told and tell.
CPE_ISA := build/gen/cpe_isa_pkg.sv build/gen/cpe_isa.hpp

$(CARD_REGS_SV) $(CARD_REGS_HPP) $(CPE_ISA) &: $(CARD_DESCRIPTION) abi/cpe.toml scripts/gen-abi.py $(wildcard scripts/gen/*.py)
	$(call say,GEN,build/gen)
	$(Q)$(PYTHON) scripts/gen-abi.py --out build/gen

# What C++ around models sees of the packages' structures.
WIRES := build/gen/wires.hpp
WIRE_PACKAGES := $(addprefix rtl/,lib/mbus_pkg.sv noc/noc_pkg.sv cpe/cpe_pkg.sv group/cg_pkg.sv)
$(WIRES): scripts/gen-wires.py $(WIRE_PACKAGES)
	$(call say,GEN,$@)
	$(Q)$(PYTHON) scripts/gen-wires.py --out $@ $(WIRE_PACKAGES)

generated: $(CARD_REGS_HPP) $(CPE_ISA) $(WIRES)

.PHONY: registers
registers: ## write docs/reference/registers.md and the tables of docs/hardware/cpe.md from the descriptions in abi/
	$(PYTHON) scripts/gen-abi.py --docs docs

# The sources of the management complex without the core and rtl/lib, packages first.
RTL_SOC_PACKAGES := $(CARD_REGS_SV) rtl/soc/soc_pkg.sv rtl/soc/sha256_pkg.sv
RTL_SOC := $(RTL_SOC_PACKAGES) $(sort $(filter-out $(RTL_SOC_PACKAGES) %/swai_card.sv,$(wildcard rtl/soc/*.sv)))

# The whole card, packages first.
RTL_CARD_ALL = $(RTL_LIB) $(RTL_SOC) $(RTL_NOC) $(RTL_PCIE) $(RTL_CG_PACKAGES) $(RTL_CPE) $(sort $(wildcard rtl/mpe/*.sv rtl/group/*.sv rtl/hbm/*.sv)) \
  rtl/soc/swai_card.sv
RTL_CARD_PACKAGES = $(filter %_pkg.sv,$(RTL_LIB) $(RTL_SOC)) rtl/noc/noc_pkg.sv rtl/mpe/mpe_pkg.sv $(RTL_PCIE_PACKAGES) \
  rtl/hbm/hbm_pkg.sv rtl/group/cg_pkg.sv $(RTL_CPE_PACKAGES)
RTL_CARD = $(RTL_CARD_PACKAGES) $(filter-out %_pkg.sv,$(sort $(RTL_CARD_ALL)))
