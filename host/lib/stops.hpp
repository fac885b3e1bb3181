// SPDX-License-Identifier: Apache-2.0
// Why a kernel stopped its core itself: the section `.debug_swai_stops`, which assert() and the guards of the
// stack leave in a module for hosts. It never goes to the card. docs/firmware/module-format.md explains it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "abi/launch.hpp"

namespace swai::module {

class Stops {
 public:
  Stops() = default;
  // Of a module's file. Without a table it tells nothing, of a damaged one what is whole.
  explicit Stops(std::span<const uint8_t> file);

  // "assertion failed: i < n", of a core that stopped there; empty when it was not the kernel that wanted it.
  std::string_view why(launch::Cause cause, uint32_t pc) const;

 private:
  std::map<uint32_t, std::string> words_;
};

}  // namespace swai::module
