// SPDX-License-Identifier: Apache-2.0
#include "host/lib/elf.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace swai::common {

namespace {

// The file as bytes, with reads that know where it ends.
class Image {
 public:
  explicit Image(const std::string& path) : path_(path) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
    if (!file) throw InputError(fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
    uint8_t block[1 << 16];
    while (const size_t got = std::fread(block, 1, sizeof block, file.get())) {
      bytes_.insert(bytes_.end(), block, block + got);
    }
    if (std::ferror(file.get()))
      throw InputError(fmt::format("{}: cannot read: {}", path, std::strerror(errno)));
  }

  size_t size() const { return bytes_.size(); }

  template <typename T>
  T get(uint64_t offset, const char* what) const {
    T value;
    std::memcpy(&value, range(offset, sizeof value, what).data(), sizeof value);
    return value;
  }

  std::span<const uint8_t> range(uint64_t offset, uint64_t length, const char* what) const {
    if (offset > bytes_.size() || length > bytes_.size() - offset) {
      throw InputError(
          fmt::format("{}: damaged ELF file: its {} lies beyond the end of the file", path_, what));
    }
    return std::span(bytes_).subspan(offset, length);
  }

  // A zero-terminated string inside a table; empty if the index is wild.
  std::string text(std::span<const uint8_t> table, uint64_t index) const {
    if (index >= table.size()) return {};
    const auto* begin = reinterpret_cast<const char*>(table.data()) + index;
    return {begin, strnlen(begin, table.size() - index)};
  }

 private:
  std::string path_;
  std::vector<uint8_t> bytes_;
};

void check_header(const std::string& path, const Image& image, const Elf64_Ehdr& header) {
  const auto reject = [&](const std::string& why) { throw InputError(fmt::format("{}: {}", path, why)); };
  if (header.e_ident[EI_CLASS] != ELFCLASS64) reject("not a 64-bit ELF file; build the program for rv64");
  if (header.e_ident[EI_DATA] != ELFDATA2LSB) reject("not a little-endian ELF file");
  if (header.e_machine != EM_RISCV) {
    reject(fmt::format("made for another machine (ELF machine number {}, RISC-V is {})", header.e_machine,
                       EM_RISCV));
  }
  if (header.e_type != ET_EXEC && header.e_type != ET_DYN) {
    reject("not an executable; link the program to an address first");
  }
  if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum == 0) reject("has no segments to load");
  image.range(header.e_phoff, uint64_t{header.e_phnum} * sizeof(Elf64_Phdr), "program header table");
}

void read_segments(const Image& image, const Elf64_Ehdr& header, Elf& elf) {
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto program =
        image.get<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr), "program header table");
    if (program.p_type != PT_LOAD || program.p_memsz == 0) continue;
    if (program.p_filesz > program.p_memsz) {
      throw InputError(
          fmt::format("{}: damaged ELF file: segment {} is larger in the file than in memory", elf.path, i));
    }
    const auto data = image.range(program.p_offset, program.p_filesz, "segment");
    elf.segments.push_back({program.p_paddr, program.p_memsz, {data.begin(), data.end()}});
  }
  if (elf.segments.empty()) throw InputError(fmt::format("{}: has no segments to load", elf.path));
}

void read_symbols(const Image& image, const Elf64_Ehdr& header, Elf& elf) {
  const auto section = [&](unsigned index) {
    return image.get<Elf64_Shdr>(header.e_shoff + uint64_t{index} * sizeof(Elf64_Shdr),
                                 "section header table");
  };
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr table = section(i);
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= header.e_shnum) continue;
    const Elf64_Shdr names = section(table.sh_link);
    const auto strings = image.range(names.sh_offset, names.sh_size, "string table");
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
      const auto symbol = image.get<Elf64_Sym>(table.sh_offset + at, "symbol table");
      const auto type = ELF64_ST_TYPE(symbol.st_info);
      if (symbol.st_shndx == SHN_UNDEF || type == STT_SECTION || type == STT_FILE) continue;
      std::string name = image.text(strings, symbol.st_name);
      // Compilers mark every local label and mapping point; they would hide the names of functions.
      if (name.empty() || name[0] == '$' || name.starts_with(".L")) continue;
      elf.symbols.emplace(std::move(name), symbol.st_value);
    }
  }
}

}  // namespace

std::optional<uint64_t> Elf::symbol(std::string_view name) const {
  const auto found = symbols.find(name);
  if (found == symbols.end()) return std::nullopt;
  return found->second;
}

std::string Elf::describe(uint64_t address) const {
  const std::pair<const std::string, uint64_t>* best = nullptr;
  for (const auto& symbol : symbols) {
    if (symbol.second <= address && (best == nullptr || symbol.second > best->second)) best = &symbol;
  }
  if (best == nullptr) return {};
  if (best->second == address) return best->first;
  return fmt::format("{}+{:#x}", best->first, address - best->second);
}

Elf load_elf(const std::string& path) {
  const Image image(path);
  if (image.size() < EI_NIDENT ||
      std::memcmp(image.range(0, SELFMAG, "header").data(), ELFMAG, SELFMAG) != 0) {
    throw InputError(fmt::format("{}: not an ELF file", path));
  }
  // The class is checked before the rest of the header is read: a 32-bit header is shorter.
  if (image.range(0, EI_NIDENT, "header")[EI_CLASS] != ELFCLASS64) {
    throw InputError(fmt::format("{}: not a 64-bit ELF file; build the program for rv64", path));
  }
  const auto header = image.get<Elf64_Ehdr>(0, "header");
  check_header(path, image, header);
  Elf elf;
  elf.path = path;
  elf.entry = header.e_entry;
  read_segments(image, header, elf);
  if (header.e_shoff != 0 && header.e_shentsize == sizeof(Elf64_Shdr)) read_symbols(image, header, elf);
  return elf;
}

void place(const Elf& elf, std::span<const LoadArea> areas) {
  for (const ElfSegment& segment : elf.segments) {
    const auto fits = [&](const LoadArea& area) {
      return segment.address >= area.base && segment.address - area.base <= area.memory.size() &&
             segment.bytes <= area.memory.size() - (segment.address - area.base);
    };
    const auto area = std::find_if(areas.begin(), areas.end(), fits);
    if (area == areas.end()) {
      std::string ranges;
      for (const LoadArea& one : areas) {
        ranges += fmt::format("{}{:#x} to {:#x}", ranges.empty() ? "" : ", ", one.base,
                              one.base + one.memory.size() - 1);
      }
      throw InputError(fmt::format("{}: a segment of {} bytes at {:#x} lies outside memory ({})", elf.path,
                                   segment.bytes, segment.address, ranges));
    }
    uint8_t* to = area->memory.data() + (segment.address - area->base);
    std::copy(segment.data.begin(), segment.data.end(), to);
    std::fill(to + segment.data.size(), to + segment.bytes, uint8_t{0});
  }
}

}  // namespace swai::common
