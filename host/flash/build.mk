# Image handling on the host, and the tool swai-image.

$(eval $(call cxx_library,flash,$(addprefix host/flash/,flash_file.cpp image.cpp sha256.cpp) abi/elf.cpp))
$(eval $(call cxx_program,swai-image,host/flash/swai_image.cpp,$(B)/lib/flash.a -lfmt))
