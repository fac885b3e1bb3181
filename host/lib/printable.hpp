// SPDX-License-Identifier: Apache-2.0
// Makes text from outside safe for a terminal: names and descriptions from files, devices and other programs.
#pragma once

#include <string>
#include <string_view>

namespace swai::common {

// Replaces by '?' each control character, which a terminal may interpret as a command, and each byte that is
// not UTF-8.
std::string printable(std::string_view text);

// The same for text of several lines: line ends are kept.
std::string printable_lines(std::string_view text);

}  // namespace swai::common
