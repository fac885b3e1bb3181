# SPDX-License-Identifier: Apache-2.0
# Boards on the USB port: their models, and swai-usb-board.

umockdev_cflags := $(patsubst -I%,-isystem %,$(shell pkg-config --cflags umockdev-1.0 2>/dev/null))
umockdev_libs := -lumockdev -lgobject-2.0 -lglib-2.0

$(eval $(call cxx_library,usb-models,$(addprefix sim/board/usb/, \
    board.cpp \
    circuits.cpp \
    ecp5_tap.cpp \
    faults.cpp \
    ft2232h.cpp \
    mpsse.cpp \
    nor.cpp \
    usb_port.cpp \
)))
$(eval $(call cxx_program,swai-usb-board,$(addprefix sim/board/usb/,bed.cpp options.cpp report.cpp swai_usb_board.cpp usbfs.cpp),\
  $(B)/lib/usb-models.a $(B)/lib/boards.a $(B)/lib/card-models.a -lfmt $(umockdev_libs),$(umockdev_cflags)))

.PHONY: install-swai-usb-board
install-files: install-swai-usb-board
installable: $(B)/swai-usb-board
install-swai-usb-board: installable
	$(Q)install -D -m 755 $(B)/swai-usb-board $(SDAA_TO)/lib/swai/swai-usb-board
