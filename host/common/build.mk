# SPDX-License-Identifier: Apache-2.0
# What all rooms of the host share: text that terminals get, files that are written as a whole.

TEXT_SOURCES := $(addprefix host/common/,printable.cpp utf8.cpp)
COMMON_SOURCES := host/common/new_file.cpp $(TEXT_SOURCES)
