# SPDX-License-Identifier: Apache-2.0
# Model programs on the host, with a simulated MPE.

PLAYED_PROGRAM_FLAGS := -Iverif/firmware/programs/played -Icpe-kernels/sdk/programs/include
$(eval $(call cxx_test,test-listen,verif/firmware/programs/listen_test.cpp firmware/programs/listen.cpp verif/kit/doctest_main.cpp,\
    $(B)/lib/graph.a -lfmt,$(PLAYED_PROGRAM_FLAGS)))
