# The runtime library that programs use the card with: an archive for our own programs, and libsdaa.so.

SDAA_SOURCES := $(addprefix host/sdaa/,api_copy.cpp api_device.cpp api_memory.cpp api_module.cpp api_stream.cpp \
    connection.cpp copy.cpp device.cpp error.cpp host_calls.cpp host_memory.cpp launch.cpp profiler.cpp runtime.cpp)
SDAA_PARTS := $(SDAA_SOURCES) $(LINK_SOURCES) firmware/module/module.cpp
$(eval $(call cxx_library,sdaa,$(SDAA_PARTS),-fPIC -fvisibility=hidden))
