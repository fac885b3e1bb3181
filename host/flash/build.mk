# Image handling on the host, and the tools that put images into flash: swai-image, and what `swai flash` consists of.

$(eval $(call cxx_library,flash,$(addprefix host/flash/,contents.cpp execute.cpp file_programmer.cpp flash_file.cpp image.cpp plan.cpp sha256.cpp) \
    abi/elf.cpp))
$(eval $(call cxx_program,swai-image,host/flash/swai_image.cpp,$(B)/lib/flash.a -lfmt))
