// SPDX-License-Identifier: Apache-2.0
// The code of a module, and a daemon for it, for tests that cannot name the groups' model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace swai::fast {

struct ModuleCode {
  std::vector<uint8_t> daemon;
  std::vector<uint8_t> code;
  uint32_t pc = 0;
};
ModuleCode module_code(const std::string& path, const std::string& kernel);

}  // namespace swai::fast
