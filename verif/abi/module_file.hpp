// SPDX-License-Identifier: Apache-2.0
// Makes module files of every kind, good and bad, for the tests of the loader.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "abi/elf32.hpp"
#include "abi/module.hpp"

namespace swai::module {

using Bytes = std::vector<uint8_t>;

struct FileSegment {
  uint32_t type = elf::kLoad;
  uint32_t address = 0;
  Bytes data = {};
  uint32_t memory_bytes = 0;  // at least data.size()
  uint32_t flags = 5;
};

struct FileSymbol {
  std::string name;
  uint16_t section = 1;
};

// That no segment holds.
struct FileSection {
  std::string name;
  std::string data;
};

// A module with one code segment, to be changed before make().
struct ModuleFile {
  ModuleFile();

  elf::Header elf = {};
  std::vector<FileSegment> segments;  // the first holds the code
  Header header = {};
  std::vector<Kernel> kernels;
  std::vector<FileSymbol> symbols;
  std::vector<FileSection> sections;  // behind the symbols; with_symbols
  Bytes tail_of_note;                 // behind the last kernel
  Bytes other_notes;                  // before ours
  bool with_note = true;
  bool with_symbols = true;

  void add_kernel(std::string_view name, uint32_t pc, uint32_t argument_bytes = 0);
  Bytes make() const;
};

template <typename T>
void append(Bytes& bytes, const T& value) {
  const auto* first = reinterpret_cast<const uint8_t*>(&value);
  bytes.insert(bytes.end(), first, first + sizeof(T));
}

template <typename T>
void poke(Bytes& bytes, size_t offset, const T& value) {
  std::memcpy(bytes.data() + offset, &value, sizeof(T));
}

}  // namespace swai::module
