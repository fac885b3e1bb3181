# SPDX-License-Identifier: Apache-2.0
# Tests of putting images onto boards.

FLASH_TEST_PARTS := $(addprefix verif/host/tools/flash/,chip_bus.cpp rig.cpp) verif/firmware/fake_platform.cpp firmware/boot/flow.cpp firmware/common/text.cpp
FLASH_TEST_LIBS := $(addprefix $(B)/lib/,programmers.a flash.a card-models.a) -lfmt -lusb-1.0
$(eval $(call cxx_program,power-cut,verif/host/tools/flash/power_cut.cpp $(FLASH_TEST_PARTS),$(FLASH_TEST_LIBS)))
$(eval $(call cxx_program,test-flash,$(addprefix verif/host/tools/flash/,chips_test.cpp execute_test.cpp plan_test.cpp) verif/kit/doctest_main.cpp \
    $(FLASH_TEST_PARTS),$(FLASH_TEST_LIBS)))
