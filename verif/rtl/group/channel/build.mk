# SPDX-License-Identifier: Apache-2.0
# A row of eight channel engines with their bus, and a column of four.
tb_channel_sv := build/gen/cpe_isa_pkg.sv rtl/cpe/cpe_pkg.sv $(sort $(wildcard rtl/cpe/channel/*.sv)) rtl/group/cg_channel.sv \
  verif/rtl/group/channel/tb_channel.sv
tb_channel_cpp := $(addprefix verif/rtl/group/channel/,channel_test.cpp row.cpp schedule.cpp) verif/rtl/lib/test_main.cpp

$(eval $(call verilated_program,tb-channel,tb_channel,$(tb_channel_sv),$(tb_channel_cpp),,-lfmt))
$(eval $(call verilated_program,tb-channel-4,tb_channel,$(tb_channel_sv),$(tb_channel_cpp),-GPositions=4,-lfmt))
$(eval $(call verilated_program,tb-channel-small,tb_channel,$(tb_channel_sv),$(tb_channel_cpp),-GPositions=2 "-GStraight=1'b0",-lfmt))
