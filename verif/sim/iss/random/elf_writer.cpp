// SPDX-License-Identifier: Apache-2.0
// A minimal ELF file: one segment, and symbols.

#include <array>
#include <utility>

#include "verif/sim/iss/random/random_program.hpp"

namespace swai::random_program {
namespace {

constexpr uint64_t kHeaderBytes = 64, kSegmentBytes = 56, kSectionBytes = 64, kSymbolBytes = 24;
constexpr uint16_t kExecutable = 2, kRiscv = 243;
constexpr uint32_t kCompressedFlag = 1;
constexpr uint32_t kLoad = 1, kReadWriteExecute = 7;
constexpr uint32_t kProgbits = 1, kSymtab = 2, kStrtab = 3;
constexpr uint64_t kAllocWriteExecute = 7;
constexpr uint8_t kGlobal = 1 << 4;
constexpr uint64_t kImageAlign = 4096;

class Writer {
 public:
  template <typename T>
  void put(T value) {
    for (size_t i = 0; i < sizeof(T); ++i)
      bytes_.push_back(static_cast<uint8_t>(static_cast<uint64_t>(value) >> (8 * i)));
  }
  void put_bytes(const void* from, size_t count) {
    const auto* bytes = static_cast<const uint8_t*>(from);
    bytes_.insert(bytes_.end(), bytes, bytes + count);
  }
  void align(uint64_t to) {
    while (bytes_.size() % to != 0) bytes_.push_back(0);
  }
  uint64_t size() const { return bytes_.size(); }
  std::vector<uint8_t> take() { return std::move(bytes_); }

 private:
  std::vector<uint8_t> bytes_;
};

struct Section {
  uint32_t name = 0;
  uint32_t type = 0;
  uint64_t flags = 0, address = 0, offset = 0, bytes = 0;
  uint32_t link = 0, info = 0;
  uint64_t align = 0, entry_bytes = 0;
};

void put_section(Writer& out, const Section& s) {
  out.put(s.name);
  out.put(s.type);
  out.put(s.flags);
  out.put(s.address);
  out.put(s.offset);
  out.put(s.bytes);
  out.put(s.link);
  out.put(s.info);
  out.put(s.align);
  out.put(s.entry_bytes);
}

}  // namespace

std::vector<uint8_t> to_elf(const Program& program) {
  const std::string_view section_names{"\0.text\0.symtab\0.strtab\0", 23};
  std::string names(1, '\0');
  Writer symbols;
  symbols.put_bytes(std::array<uint8_t, kSymbolBytes>{}.data(), kSymbolBytes);
  for (const auto& [name, address] : program.symbols()) {
    symbols.put(static_cast<uint32_t>(names.size()));
    symbols.put(kGlobal);
    symbols.put(uint8_t{0});
    symbols.put(uint16_t{1});
    symbols.put(address);
    symbols.put(uint64_t{0});
    names += name + '\0';
  }
  const std::vector<uint8_t> symbol_bytes = symbols.take();
  const uint64_t symbols_at = kImageAlign + (program.image.size() + 7) / 8 * 8;
  const uint64_t names_at = symbols_at + symbol_bytes.size();
  const uint64_t section_names_at = names_at + names.size();
  const uint64_t sections_at = (section_names_at + section_names.size() + 7) / 8 * 8;

  Writer out;
  constexpr std::array<uint8_t, 16> kIdentity = {0x7F, 'E', 'L', 'F', 2, 1, 1};
  out.put_bytes(kIdentity.data(), kIdentity.size());
  out.put(kExecutable);
  out.put(kRiscv);
  out.put(uint32_t{1});
  out.put(program.entry);
  out.put(kHeaderBytes);
  out.put(sections_at);
  out.put(kCompressedFlag);
  out.put(static_cast<uint16_t>(kHeaderBytes));
  out.put(static_cast<uint16_t>(kSegmentBytes));
  out.put(uint16_t{1});
  out.put(static_cast<uint16_t>(kSectionBytes));
  out.put(uint16_t{5});
  out.put(uint16_t{4});  // the section with the sections' names
  out.put(kLoad);
  out.put(kReadWriteExecute);
  out.put(kImageAlign);
  out.put(program.base);
  out.put(program.base);
  out.put(static_cast<uint64_t>(program.image.size()));
  out.put(static_cast<uint64_t>(program.image.size()));
  out.put(kImageAlign);
  out.align(kImageAlign);
  out.put_bytes(program.image.data(), program.image.size());
  out.align(8);
  out.put_bytes(symbol_bytes.data(), symbol_bytes.size());
  out.put_bytes(names.data(), names.size());
  out.put_bytes(section_names.data(), section_names.size());
  out.align(8);
  put_section(out, {});
  put_section(
      out, {1, kProgbits, kAllocWriteExecute, program.base, kImageAlign, program.image.size(), 0, 0, 4, 0});
  put_section(out, {7, kSymtab, 0, 0, symbols_at, symbol_bytes.size(), 3, 1, 8, kSymbolBytes});
  put_section(out, {15, kStrtab, 0, 0, names_at, names.size(), 0, 0, 1, 0});
  put_section(out, {15, kStrtab, 0, 0, section_names_at, section_names.size(), 0, 0, 1, 0});
  return out.take();
}

}  // namespace swai::random_program
