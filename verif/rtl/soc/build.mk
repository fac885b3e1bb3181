# SPDX-License-Identifier: Apache-2.0
# Testbenches of rtl/soc. Each program carries several named tests: --list shows them.

tb_soc_packages := $(RTL_LIB_PACKAGES) $(RTL_SOC_PACKAGES)
tb_soc_devices_rtl := $(filter-out $(tb_soc_packages) %/swai_soc.sv %/soc_rom.sv,$(RTL_LIB) $(RTL_SOC))

$(eval $(call verilated_program,tb-soc-devices,tb_devices,$(tb_soc_packages) $(tb_soc_devices_rtl) \
  verif/rtl/soc/tb_devices.sv,$(addprefix verif/rtl/soc/, \
    devices_main.cpp \
    devices.cpp \
    registers_test.cpp \
    timer_test.cpp \
    uart_test.cpp \
    sha256.cpp \
    sha256_test.cpp \
    system_test.cpp \
    inbox_test.cpp \
    spi_probe.cpp \
    flash_driver.cpp \
    flash_test.cpp \
) \
  verif/rtl/lib/test_main.cpp,,$(B)/lib/card-models.a -lfmt))

$(eval $(call verilated_program,tb-soc-units,tb_units,$(tb_soc_packages) $(addprefix rtl/soc/,soc_irq.sv \
  soc_decode.sv soc_sleep.sv) verif/rtl/soc/tb_units.sv,verif/rtl/soc/units_test.cpp verif/rtl/lib/test_main.cpp,,-lfmt))

tb_soc_rtl := $(filter-out $(tb_soc_packages),$(RTL_LIB) $(RTL_SOC))
$(eval $(call verilated_program,tb-soc,tb_soc,$(tb_soc_packages) $(tb_soc_rtl) \
  verif/rtl/soc/stub/mpe.sv verif/rtl/soc/tb_soc.sv,$(addprefix verif/rtl/soc/,soc_test.cpp played_core.cpp rest_of_card.cpp) \
  verif/rtl/lib/test_main.cpp,,-lfmt))
