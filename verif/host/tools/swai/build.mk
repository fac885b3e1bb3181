# SPDX-License-Identifier: Apache-2.0
# What the tests of `swai` do to a card.
$(eval $(call cxx_program,end-firmware,verif/host/tools/swai/end_firmware.cpp verif/system/bar_debug.cpp sim/common/gdb_stub_mpe.cpp,$(B)/lib/link.a -lfmt))
# What a terminal shows while something takes long.
$(eval $(call cxx_program,test-progress,verif/host/tools/swai/progress_test.cpp host/tools/cli/progress.cpp $(TEXT_SOURCES) verif/kit/doctest_main.cpp,-lfmt))
# What swai compare is to find, and how it compares.
$(eval $(call cxx_program,tier-dependent,verif/host/tools/swai/tier_dependent.cpp,$(B)/lib/sdaa.a -lfmt))
$(eval $(call cxx_program,test-comparison,verif/host/tools/swai/comparison_test.cpp $(addprefix host/tools/swai/compare/,difference.cpp different_line.cpp interruption.cpp record_file.cpp) verif/kit/doctest_main.cpp,$(B)/lib/sdaa.a -lfmt))
