# The runtime library: against a card that is played (the firmware's own code, compiled for the host), with sanitizers, and on
# the simulated card.

$(eval $(call cpe_module,sdaa-tests,verif/sdaa/kernels.cpp,))
$(eval $(call cxx_program,test-sdaa-card,verif/sdaa/card_test.cpp verif/common/doctest_main.cpp verif/system/rig.cpp \
    verif/common/process.cpp,$(B)/lib/sdaa.a -lfmt,-Icpe-kernels/include))
