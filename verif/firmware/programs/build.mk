# SPDX-License-Identifier: Apache-2.0
# Model programs on the host, with a simulated MPE.

PLAYED_PROGRAM_FLAGS := -Iverif/firmware/programs/played -Ifirmware/programs/include
$(eval $(call cxx_test,test-listen,verif/firmware/programs/listen_test.cpp firmware/programs/listen.cpp verif/common/doctest_main.cpp,\
    $(B)/lib/graph.a -lfmt,$(PLAYED_PROGRAM_FLAGS)))
