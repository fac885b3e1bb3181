# SPDX-License-Identifier: Apache-2.0
# Testbench of the local memory of a CPE.

TB_CPE_LDM_RTL := rtl/lib/ram_1rw.sv $(addprefix rtl/cpe/memory/,cpe_ldm_arbiter.sv cpe_ldm_bank.sv cpe_ldm.sv cpe_ldm_serial.sv cpe_ldm_arbiter_serial.sv)

$(eval $(call verilated_program,tb-cpe-ldm,tb_ldm,$(TB_CPE_LDM_RTL) verif/rtl/cpe/ldm/tb_ldm.sv,verif/rtl/cpe/ldm/ldm_test.cpp \
  verif/rtl/lib/test_main.cpp,,-lfmt))

$(eval $(call verilated_program,tb-cpe-ldm-serial,tb_ldm,$(TB_CPE_LDM_RTL) verif/rtl/cpe/ldm/tb_ldm.sv,verif/rtl/cpe/ldm/ldm_test.cpp \
  verif/rtl/lib/test_main.cpp,-GSerial=1,-lfmt))

# The stand-in that the model of a CPE has.
$(eval $(call verilated_program,tb-cpe-ldm-tile,tb_ldm,rtl/cpe/memory/cpe_ldm_arbiter.sv rtl/cpe/memory/cpe_ldm_serial.sv rtl/cpe/memory/cpe_ldm_arbiter_serial.sv sim/seam/tile_ldm.sv \
  verif/rtl/cpe/ldm/tb_ldm.sv,verif/rtl/cpe/ldm/ldm_test.cpp verif/rtl/lib/test_main.cpp,+define+CPE_LDM=tile_ldm,-lfmt))
