// SPDX-License-Identifier: Apache-2.0
// Text from outside as a terminal may get it: what files, devices and other programs say of themselves.
#pragma once

#include <string>
#include <string_view>

namespace swai::common {

// With '?' in place of each control character, which a terminal may take for a command, and of each byte that
// is no UTF-8.
std::string printable(std::string_view text);

// The same of a text with several lines: their ends stay.
std::string printable_lines(std::string_view text);

}  // namespace swai::common
