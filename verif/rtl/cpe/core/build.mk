# SPDX-License-Identifier: Apache-2.0
# The scalar core of a CPE: its model as a library, its testbench, and how fast it is simulated.

CPE_HART_SOURCES := $(addprefix sim/iss/cpe/,code.cpp decode.cpp hart.cpp hart_rows.cpp host_code.cpp)
$(eval $(call cxx_library,cpe-hart,$(CPE_HART_SOURCES),-O3))
.PHONY: cpe-hart
cpe-hart: $(B)/lib/cpe-hart.a

CPE_CORE_RTL := build/gen/cpe_isa_pkg.sv rtl/cpe/cpe_pkg.sv rtl/cpe/core/cpe_core_pkg.sv rtl/lib/zero_count.sv \
  $(addprefix rtl/cpe/core/,$(addsuffix .sv,$(addprefix cpe_,core fetch icache icache_serial expand decode alu alu_serial muldiv \
  muldiv_serial csr counter_memory lsu extend rvfi)))

$(eval $(call verilated_program,core-speed,tb_cpe_core_speed,$(CPE_CORE_RTL) verif/rtl/cpe/core/tb_cpe_core_speed.sv, \
  verif/rtl/cpe/core/speed.cpp,--no-assert,-lfmt))
$(B)/cpe-core-speed.bin: verif/rtl/cpe/core/speed.S
	$(call say,RISCV,$@)
	$(Q)riscv64-unknown-elf-gcc -march=rv32imc_zicsr -mabi=ilp32 -nostdlib -static -Wl,-Ttext=0x40000000,--no-warn-rwx-segments \
	  $< -o $(B)/cpe-core-speed.elf
	$(Q)riscv64-unknown-elf-objcopy -O binary $(B)/cpe-core-speed.elf $@
.PHONY: cpe-core-speed
cpe-core-speed: $(B)/core-speed $(B)/cpe-core-speed.bin

CORE_TEST_CPP := $(addprefix verif/rtl/cpe/core/,core_test.cpp core_bench.cpp program.cpp) verif/rtl/lib/test_main.cpp
CORE_TEST_RTL := $(CPE_CORE_RTL) rtl/lib/clock_gate.sv verif/rtl/cpe/core/tb_cpe_core.sv
$(eval $(call verilated_program,tb-cpe-core,tb_cpe_core,$(CORE_TEST_RTL),$(CORE_TEST_CPP),+define+CPE_RVFI,$(B)/lib/cpe-hart.a -lfmt))
$(eval $(call verilated_program,tb-cpe-core-serial,tb_cpe_core,$(CORE_TEST_RTL),$(CORE_TEST_CPP),+define+CPE_RVFI "-GSerial=1'b1", \
  $(B)/lib/cpe-hart.a -lfmt,-DSMALL_CORE))

# The gates that Yosys makes of the core, in the same testbench. They set vectors bit by bit, some from others of the same vector.
CORE_NETLIST := $(B)/netlist/cpe_core.v
$(CORE_NETLIST): scripts/synth/netlist.py $(CPE_CORE_RTL)
	$(call say,YOSYS,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(PYTHON) $< cpe_core --define CPE_RVFI >$@
$(eval $(call verilated_program,tb-cpe-core-netlist,tb_cpe_core,$(filter %_pkg.sv,$(CPE_CORE_RTL)) rtl/lib/clock_gate.sv $(CORE_NETLIST) \
  verif/rtl/cpe/core/tb_cpe_core.sv,$(CORE_TEST_CPP),+define+NETLIST -Wno-UNOPTFLAT,$(B)/lib/cpe-hart.a -lfmt))

$(eval $(call cxx_program,test-cpe-hart,$(addprefix verif/rtl/cpe/core/,hart_test.cpp program.cpp) verif/kit/doctest_main.cpp, \
  $(B)/lib/cpe-hart.a $(B)/lib/iss.a -lfmt))
