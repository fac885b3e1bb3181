# SPDX-License-Identifier: Apache-2.0
# Tests of the boards on the USB port.

$(eval $(call cxx_program,test-usb-models,\
  $(addprefix verif/sim/board/usb/, \
    exchange_test.cpp \
    faults_test.cpp \
    flash_test.cpp \
    mpsse_test.cpp \
    port_test.cpp \
    tap_test.cpp \
) verif/kit/doctest_main.cpp,$(B)/lib/usb-models.a $(B)/lib/boards.a $(B)/lib/card-models.a -lfmt))
