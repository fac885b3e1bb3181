# SPDX-License-Identifier: Apache-2.0
# Tests of what all parts of the host share.

$(eval $(call cxx_test,test-boards,verif/host/lib/boards_test.cpp verif/kit/doctest_main.cpp,$(B)/lib/boards.a -lfmt))
