# What the tests of `swai` do to a card.
$(eval $(call cxx_program,end-firmware,verif/cli/end_firmware.cpp verif/system/bar_debug.cpp sim/common/gdb_stub_mpe.cpp,$(B)/lib/link.a -lfmt))
