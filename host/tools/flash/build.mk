# SPDX-License-Identifier: Apache-2.0
# Image handling on the host, and the tools that put images into flash: swai-image, and what `swai flash` consists of.

$(eval $(call cxx_library,flash,$(addprefix host/tools/flash/, \
    contents.cpp \
    execute.cpp \
    file_programmer.cpp \
    flash_file.cpp \
    image.cpp \
    plan.cpp \
) $(COMMON_SOURCES) host/lib/elf.cpp host/lib/sha256.cpp))

# Chips behind programmers, of which those on USB need libusb.
$(eval $(call cxx_library,programmers,$(addprefix host/tools/flash/, \
    card_spi.cpp \
    chips.cpp \
    ecp5_spi.cpp \
    halted_processor.cpp \
    mpsse.cpp \
    mpsse_spi.cpp \
    spi_nor.cpp \
    usb.cpp \
    usb_boards.cpp \
),-isystem /usr/include/libusb-1.0))

$(eval $(call cxx_program,swai-image,host/tools/flash/swai_image.cpp,$(B)/lib/flash.a -lfmt))
