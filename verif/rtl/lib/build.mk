# SPDX-License-Identifier: Apache-2.0
# Testbenches of rtl/lib. Each program carries several named tests: --list shows them.

TB_LIB_CPP := verif/rtl/lib/test_main.cpp

$(eval $(call verilated_program,tb-lib-stream,tb_stream,$(RTL_LIB) $(addprefix verif/rtl/lib/,tb_stream.sv tb_stream_net.sv stream_delayer.sv),verif/rtl/lib/stream_test.cpp $(TB_LIB_CPP),,-lfmt))
$(eval $(call verilated_program,tb-lib-cells,tb_cells,$(RTL_LIB) verif/rtl/lib/tb_cells.sv,verif/rtl/lib/cells_test.cpp $(TB_LIB_CPP),,-lfmt))
$(eval $(call verilated_program,tb-lib-mbus,tb_mbus,$(RTL_LIB) $(addprefix verif/rtl/lib/,tb_mbus.sv tb_mbus_system.sv),verif/rtl/lib/mbus_test.cpp sim/common/memory_model.cpp $(TB_LIB_CPP),,-lfmt))
