// SPDX-License-Identifier: Apache-2.0
// Runs of the compiler driver, for its tests.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "verif/firmware/test_tools.hpp"

namespace swai {

// A source that includes swai/cpe.hpp in its first line, to out.elf in the folder.
Finished sdaacc(const TempFolder& folder, const std::string& source, const std::string& options = "");
std::vector<uint8_t> bytes_of(const std::string& path);
// Says what is wrong, and leaves nothing behind.
std::string refusal(const std::string& source, const std::string& options = "");
// Of a command with another file or tool than there is.
std::string failure(const std::string& command);
// Shows the text when it does not.
bool contains(const std::string& text, std::string_view part);

// By place, why a core may stop there; of instructions that stop it.
std::multimap<std::string, std::string> stops_of(std::span<const uint8_t> file);

}  // namespace swai
