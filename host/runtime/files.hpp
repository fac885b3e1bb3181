// SPDX-License-Identifier: Apache-2.0
// Files that users name.
#pragma once

#include <cstdint>
#include <vector>

namespace swai::sdaa {

// `what` it is to be, for the message. Throws FileNotFound.
std::vector<uint8_t> read_file(const char* what, const char* path);

}  // namespace swai::sdaa
