// SPDX-License-Identifier: Apache-2.0
// What a module's kernels take, by name and type: the section `.debug_swai_arguments`, which sdaacc makes
// (cpe-kernels/sdk/compiler/argument_types.py) and hosts read. It never goes to the card.
// docs/firmware/module-format.md explains it.
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

enum class Kind : uint8_t {
  kBits,  // nothing is known but how many
  kBool,
  kSigned,
  kUnsigned,
  kReal,
  kPointer,  // of global memory
};

struct ArgumentType {
  Kind kind = Kind::kBits;
  uint32_t bytes = 0;   // 1, 2, 4 or 8
  uint32_t offset = 0;  // in what the kernel's argument points to
  std::string type = {};
  std::string name = {};
};

// Of a kernel whose threads wait for each other, each on a stack of its own.
struct ThreadStacks {
  uint32_t bytes = 0;  // of each
  uint32_t room = 0;   // for all of a block and what the launch gives them to share

  // How many fit beside so many bytes that a block shares, and how many bytes beside so many threads.
  uint64_t threads_beside(uint64_t shared) const;
  uint64_t shared_beside(uint64_t threads) const;
};

class ArgumentTypes {
 public:
  // Of a module's file. One without a table, or with a damaged one, tells what the kernel table tells: sizes.
  explicit ArgumentTypes(std::span<const uint8_t> file);

  // Nothing: the kernel takes a structure, and what is in it is not known.
  std::optional<std::vector<ArgumentType>> of(const KernelView& kernel) const;
  // Nothing: its threads do not wait for each other, or nobody wrote it down.
  std::optional<ThreadStacks> stacks_of(std::string_view kernel) const;

 private:
  bool read(std::string_view text);

  std::map<std::string, std::vector<ArgumentType>, std::less<>> kernels_;
  std::map<std::string, ThreadStacks, std::less<>> stacks_;
};

}  // namespace swai::module
