# SPDX-License-Identifier: Apache-2.0
# Tests of the card as a functional model, in one process with it.

$(eval $(call cxx_program,test-fast-card,$(addprefix verif/sim/fast/,bed.cpp check_test.cpp group_job.cpp module_code.cpp snapshot_test.cpp) \
  verif/kit/doctest_main.cpp,$(B)/lib/cpe-random.a $(fast_libs)))

# The card in RTL and its model, beside each other.
$(eval $(call cxx_program,test-tiers,$(addprefix verif/sim/fast/,group_job.cpp tiers_test.cpp) verif/system/mpe_proxy.cpp \
  abi/module_reader.cpp verif/kit/doctest_main.cpp,\
  $(B)/lib/system.a $(B)/lib/link.a $(B)/lib/cpe-random.a $(ISS_CPE_LIB) -lfmt))
