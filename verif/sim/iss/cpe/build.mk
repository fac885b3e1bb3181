# SPDX-License-Identifier: Apache-2.0
# Tests of the functional model of a core group, and with it.

# Random programs for whole groups, for tests of the model and of RTL. It needs the model's units.
$(eval $(call cxx_library,cpe-random,$(addprefix verif/sim/iss/cpe/random/,group_program.cpp group_units.cpp),))

$(eval $(call cxx_program,test-iss-cpe,$(addprefix verif/sim/iss/cpe/test/, \
    allocations_test.cpp \
    clock_test.cpp \
    group_test.cpp \
    group_unit_test.cpp \
    random_test.cpp \
    rounds_test.cpp \
    simd_test.cpp \
    systolic_test.cpp \
    units_test.cpp \
    vector_test.cpp \
) verif/kit/doctest_main.cpp,$(B)/lib/cpe-random.a $(ISS_CPE_LIB) -lfmt,))
$(eval $(call cxx_program,test-compute-kernels,verif/sim/iss/cpe/test/kernels_test.cpp verif/firmware/test_tools.cpp \
  verif/kit/doctest_main.cpp,$(B)/lib/flash.a $(ISS_CPE_LIB) -lfmt))
