// SPDX-License-Identifier: Apache-2.0
// The parts of the ELF format that modules use, as they lie in the file.
#pragma once

#include <array>
#include <cstdint>

namespace swai::module::elf {

inline constexpr std::array<uint8_t, 7> kIdentity = {
    0x7f, 'E', 'L', 'F', 1 /* 32 bits */, 1 /* little-endian */, 1 /* version */};
inline constexpr uint16_t kExecutable = 2;
inline constexpr uint16_t kRiscv = 243;

struct Header {
  std::array<uint8_t, 16> identity;
  uint16_t type;
  uint16_t machine;
  uint32_t version;
  uint32_t entry;
  uint32_t program_headers;
  uint32_t section_headers;
  uint32_t flags;
  uint16_t header_bytes;
  uint16_t program_header_bytes;
  uint16_t program_header_count;
  uint16_t section_header_bytes;
  uint16_t section_header_count;
  uint16_t section_names;
};
static_assert(sizeof(Header) == 52);

inline constexpr uint32_t kLoad = 1;
inline constexpr uint32_t kDynamic = 2;
inline constexpr uint32_t kInterpreter = 3;
inline constexpr uint32_t kNote = 4;
inline constexpr uint32_t kThreadLocal = 7;
inline constexpr uint32_t kWritable = 2;

struct ProgramHeader {
  uint32_t type;
  uint32_t offset;
  uint32_t address;
  uint32_t physical_address;
  uint32_t file_bytes;
  uint32_t memory_bytes;
  uint32_t flags;
  uint32_t alignment;
};
static_assert(sizeof(ProgramHeader) == 32);

inline constexpr uint32_t kSymbolTable = 2;
inline constexpr uint32_t kStringTable = 3;

struct SectionHeader {
  uint32_t name;
  uint32_t type;
  uint32_t flags;
  uint32_t address;
  uint32_t offset;
  uint32_t bytes;
  uint32_t link;
  uint32_t info;
  uint32_t alignment;
  uint32_t entry_bytes;
};
static_assert(sizeof(SectionHeader) == 40);

inline constexpr uint16_t kUndefined = 0;

struct Symbol {
  uint32_t name;
  uint32_t value;
  uint32_t bytes;
  uint8_t info;
  uint8_t other;
  uint16_t section;
};
static_assert(sizeof(Symbol) == 16);

struct Note {
  uint32_t name_bytes;
  uint32_t descriptor_bytes;
  uint32_t type;
};
static_assert(sizeof(Note) == 12);

}  // namespace swai::module::elf
