# SPDX-License-Identifier: Apache-2.0
# Testbench of the launch hardware: rtl/group/cg_launch*.sv, cg_records.sv, cg_access.sv, cg_wake.sv and rtl/cpe/core/cpe_control.sv.

tb_launch_sv := $(RTL_LIB) $(RTL_CG_PACKAGES) $(sort $(wildcard rtl/group/cg_launch*.sv)) \
  $(addprefix rtl/group/,cg_access.sv cg_records.sv cg_reg_port.sv cg_regs.sv cg_sync.sv cg_wake.sv) rtl/cpe/core/cpe_control.sv
$(eval $(call verilated_program,tb-launch,tb_launch,$(tb_launch_sv) verif/rtl/group/launch/tb_launch.sv,\
  $(addprefix verif/rtl/group/launch/,launch_test.cpp launch_bench.cpp launch_model.cpp cpes.cpp) verif/rtl/lib/test_main.cpp,,-lfmt))
