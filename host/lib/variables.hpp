// SPDX-License-Identifier: Apache-2.0
// Variables of a module that hosts know by name, and kernels for CUDA use (cuda.hpp). Sections of its file
// say which there are and what they hold first; sdaacc makes them (cpe-kernels/sdk/compiler/variables.py),
// and they never go to the card as code. docs/firmware/module-format.md explains it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "abi/module_reader.hpp"

namespace swai::module {

enum class VariableKind : uint8_t {
  kConstant,  // __constant__: each core has a copy, which it takes as a launch begins
  kDevice,    // __device__: they lie in the card's memory alone
};

struct Variable {
  uint32_t offset = 0;  // in the memory that holds all of its kind
  uint32_t bytes = 0;
};

// All of a kind.
class Variables {
 public:
  Variables() = default;
  // `module` was opened with this file. Without a table, or with a damaged one, it has no such variables.
  Variables(VariableKind kind, std::span<const uint8_t> file, const Module& module);

  // What their memory holds when the module is loaded; empty: there are none.
  const std::vector<uint8_t>& values() const { return values_; }
  // Where the pointer to that memory belongs: in the code, and in the file.
  uint32_t place() const { return place_; }
  size_t place_in_file() const { return place_in_file_; }
  std::optional<Variable> find(std::string_view name) const;

 private:
  bool read(VariableKind kind, std::span<const uint8_t> file, const Module& module);

  std::vector<uint8_t> values_;
  uint32_t place_ = 0;
  size_t place_in_file_ = 0;
  std::map<std::string, Variable, std::less<>> all_;
};

}  // namespace swai::module
