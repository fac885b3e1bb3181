// SPDX-License-Identifier: Apache-2.0
// Loads RISC-V ELF files: what to put where, where to start, and the symbols by which test programs talk to
// the tool that runs them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace swai::common {

// What the user gave cannot be used. what() is one line that names cause and cure; tools print it and exit
// with 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr int kExitBadInput = 2;

struct ElfSegment {
  uint64_t address = 0;  // physical
  uint64_t bytes = 0;    // in memory; what the file does not fill is zero
  std::vector<uint8_t> data;
};

struct Elf {
  std::string path;
  uint64_t entry = 0;
  std::vector<ElfSegment> segments;  // only those that occupy memory
  std::map<std::string, uint64_t, std::less<>> symbols;

  std::optional<uint64_t> symbol(std::string_view name) const;
  // The name of the nearest symbol at or below an address, with offset ("main+0x12"); empty if there is none.
  std::string describe(uint64_t address) const;
};

// Reads a 64-bit little-endian RISC-V executable. Throws InputError.
Elf load_elf(const std::string& path);

// A range of memory that programs may be loaded to, at a host address.
struct LoadArea {
  uint64_t base = 0;
  std::span<uint8_t> memory;
};

// Copies the segments into memory. Throws InputError if one does not fit into any of the areas.
void place(const Elf& elf, std::span<const LoadArea> areas);

}  // namespace swai::common
