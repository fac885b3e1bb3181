// SPDX-License-Identifier: Apache-2.0
// Text output for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace swai::cli {

// To standard output, at once. Throws std::system_error when they do not get there.
void write_words(std::string_view text);

// "1 window", "2 windows".
std::string counted(uint64_t count, std::string_view what);

}  // namespace swai::cli
