# SPDX-License-Identifier: Apache-2.0
# Tests of the tools that run a kernel on a core group.

$(eval $(call cxx_program,test-kernel-run,verif/rtl/cpe/run/test/run_test.cpp verif/kit/process.cpp verif/kit/doctest_main.cpp,\
  $(KERNEL_RUN_LIBS) -lfmt,))
