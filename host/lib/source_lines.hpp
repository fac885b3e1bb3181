// SPDX-License-Identifier: Apache-2.0
// Which line of the source an instruction of a module comes from: the section `.debug_swai_lines`, which
// sdaacc makes (cpe-kernels/sdk/compiler/source_lines.py) and hosts read. It never goes to the card.
// docs/firmware/module-format.md explains it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace swai::module {

class SourceLines {
 public:
  SourceLines() = default;
  // Of a module's file. One without a table, or with a damaged one, tells no lines.
  explicit SourceLines(std::span<const uint8_t> file);

  // "kernel.cpp:16"; empty when that is not known.
  std::string at(uint32_t pc) const;
  // "scale, kernel.cpp:16", or the kernel's name alone.
  std::string place(std::string_view kernel, uint32_t pc) const;
  // The same for who does not know the kernel: with the function, which mostly is one. Empty: not known.
  std::string place(uint32_t pc) const;

 private:
  // From its pc to that of the next one. No line: code that comes from no source that is known.
  struct Row {
    uint32_t pc;
    uint32_t function;  // offsets in names_
    uint32_t file;
    uint32_t line;
  };
  static_assert(sizeof(Row) == 16);
  struct Head {
    uint64_t magic;
    uint32_t rows;
    uint32_t name_bytes;
  };
  static_assert(sizeof(Head) == 16);
  static constexpr uint64_t kMagic = 0x4E49'4C2D'4941'5753;  // "SWAI-LIN"

  void read(std::span<const uint8_t> table);
  const Row* find(uint32_t pc) const;

  std::vector<Row> rows_;
  std::string names_;
};

}  // namespace swai::module
