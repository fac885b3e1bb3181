# SPDX-License-Identifier: Apache-2.0
# Shared by all parts of the host: printable text for terminals, files that are replaced as a whole, boards.

TEXT_SOURCES := $(addprefix host/lib/,printable.cpp utf8.cpp)
COMMON_SOURCES := host/lib/new_file.cpp $(TEXT_SOURCES)

$(eval $(call cxx_library,boards,host/lib/boards.cpp $(TEXT_SOURCES)))
