# SPDX-License-Identifier: Apache-2.0
# Synchronisation of a group of 4 x 8 and of one of 2 x 2.
tb_sync_sv := rtl/group/cg_sync.sv verif/rtl/group/sync/tb_sync.sv
tb_sync_cpp := verif/rtl/group/sync/sync_test.cpp verif/rtl/lib/test_main.cpp

$(eval $(call verilated_program,tb-sync,tb_sync,$(tb_sync_sv),$(tb_sync_cpp),,-lfmt))
$(eval $(call verilated_program,tb-sync-2,tb_sync,$(tb_sync_sv),$(tb_sync_cpp),-GRows=2 -GColumns=2,-lfmt))
