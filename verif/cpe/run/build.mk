# SPDX-License-Identifier: Apache-2.0
# Tests of the tools that run a kernel on a core group.

$(eval $(call cxx_program,test-kernel-run,verif/cpe/run/test/run_test.cpp verif/common/process.cpp verif/common/doctest_main.cpp,\
  $(KERNEL_RUN_LIBS) -lfmt,))
