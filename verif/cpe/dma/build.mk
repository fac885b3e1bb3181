# SPDX-License-Identifier: Apache-2.0
# Testbenches of the DMA engine and of the scalar window of a CPE.

TB_CPE_DMA_RTL := build/gen/cpe_isa_pkg.sv rtl/lib/ram_1rw.sv $(addprefix rtl/cpe/,cpe_pkg.sv cpe_dma_pkg.sv cpe_dma_issue.sv cpe_dma_walk.sv cpe_dma_track.sv cpe_dma.sv \
  cpe_dma_serial.sv cpe_ldm_arbiter.sv cpe_ldm_bank.sv cpe_ldm.sv)

$(eval $(call verilated_program,tb-cpe-dma,tb_dma,$(TB_CPE_DMA_RTL) verif/cpe/dma/tb_dma.sv,\
  $(addprefix verif/cpe/dma/,dma_test.cpp dma_bench.cpp dma_model.cpp) verif/lib/test_main.cpp,,-lfmt))

$(eval $(call verilated_program,tb-cpe-dma-serial,tb_dma,$(TB_CPE_DMA_RTL) verif/cpe/dma/tb_dma.sv,\
  $(addprefix verif/cpe/dma/,dma_test.cpp dma_bench.cpp dma_model.cpp) verif/lib/test_main.cpp,"-GSerial=1'b1",-lfmt,-DDMA_SERIAL))

$(eval $(call verilated_program,tb-cpe-window,tb_window,build/gen/cpe_isa_pkg.sv $(addprefix rtl/cpe/,cpe_pkg.sv cpe_window.sv) \
  verif/cpe/dma/tb_window.sv,verif/cpe/dma/window_test.cpp verif/lib/test_main.cpp,,-lfmt))
