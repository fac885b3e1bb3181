# SPDX-License-Identifier: Apache-2.0
# Testbenches of the DMA engine and of the scalar window of a CPE.

TB_CPE_DMA_RTL := build/gen/cpe_isa_pkg.sv rtl/lib/ram_1rw.sv $(addprefix rtl/cpe/, \
    cpe_pkg.sv \
    memory/cpe_dma_pkg.sv \
    memory/cpe_dma_issue.sv \
    memory/cpe_dma_walk.sv \
    memory/cpe_dma_track.sv \
    memory/cpe_dma.sv \
    memory/cpe_dma_serial.sv \
    memory/cpe_ldm_arbiter.sv \
    memory/cpe_ldm_bank.sv \
    memory/cpe_ldm.sv \
)

$(eval $(call verilated_program,tb-cpe-dma,tb_dma,$(TB_CPE_DMA_RTL) verif/rtl/cpe/dma/tb_dma.sv,\
  $(addprefix verif/rtl/cpe/dma/,dma_test.cpp dma_bench.cpp dma_model.cpp) verif/rtl/lib/test_main.cpp,,-lfmt))

$(eval $(call verilated_program,tb-cpe-dma-serial,tb_dma,$(TB_CPE_DMA_RTL) verif/rtl/cpe/dma/tb_dma.sv,\
  $(addprefix verif/rtl/cpe/dma/,dma_test.cpp dma_bench.cpp dma_model.cpp) verif/rtl/lib/test_main.cpp,"-GSerial=1'b1",-lfmt,-DDMA_SERIAL))

$(eval $(call verilated_program,tb-cpe-window,tb_window,build/gen/cpe_isa_pkg.sv $(addprefix rtl/cpe/,cpe_pkg.sv memory/cpe_window.sv) \
  verif/rtl/cpe/dma/tb_window.sv,verif/rtl/cpe/dma/window_test.cpp verif/rtl/lib/test_main.cpp,,-lfmt))
