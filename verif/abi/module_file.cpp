// SPDX-License-Identifier: Apache-2.0
#include "verif/abi/module_file.hpp"

#include <algorithm>

namespace swai::module {

ModuleFile::ModuleFile() {
  std::ranges::copy(elf::kIdentity, elf.identity.begin());
  elf.type = elf::kExecutable;
  elf.machine = elf::kRiscv;
  elf.version = 1;
  elf.entry = base(Space::kKernel);
  elf.header_bytes = sizeof(elf::Header);
  elf.program_header_bytes = sizeof(elf::ProgramHeader);
  elf.section_header_bytes = sizeof(elf::SectionHeader);

  header = {kMagic, kModuleAbi, kCardAbi, sizeof(Header), sizeof(Kernel), Space::kKernel, {}};
  std::string_view("test").copy(header.name.data(), header.name.size());
  segments.push_back({.address = base(Space::kKernel), .data = Bytes(256, 0x13), .memory_bytes = 256});
  add_kernel("first", base(Space::kKernel), 16);
  add_kernel("second", base(Space::kKernel) + 0x80);
  symbols = {{"first"}, {"second"}};
}

void ModuleFile::add_kernel(std::string_view name, uint32_t pc, uint32_t argument_bytes) {
  Kernel kernel = {{}, pc, argument_bytes, 0};
  name.copy(kernel.name.data(), kernel.name.size());
  kernels.push_back(kernel);
}

Bytes ModuleFile::make() const {
  Bytes note = other_notes;
  Bytes descriptor;
  append(descriptor, header);
  for (const Kernel& kernel : kernels) append(descriptor, kernel);
  descriptor.insert(descriptor.end(), tail_of_note.begin(), tail_of_note.end());
  append(note, elf::Note{sizeof(kNoteName), static_cast<uint32_t>(descriptor.size()), kNoteType});
  note.insert(note.end(), kNoteName, kNoteName + sizeof(kNoteName));
  note.resize((note.size() + 3) / 4 * 4);
  note.insert(note.end(), descriptor.begin(), descriptor.end());

  std::vector<FileSegment> all = segments;
  if (with_note)
    all.push_back({.type = elf::kNote, .address = 0, .data = note, .memory_bytes = 0, .flags = 4});

  Bytes file(sizeof(elf::Header) + all.size() * sizeof(elf::ProgramHeader));
  elf::Header front = elf;
  front.program_headers = sizeof(elf::Header);
  front.program_header_count = static_cast<uint16_t>(all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    const FileSegment& segment = all[i];
    const auto bytes = static_cast<uint32_t>(segment.data.size());
    poke(file, sizeof(elf::Header) + i * sizeof(elf::ProgramHeader),
         elf::ProgramHeader{segment.type, static_cast<uint32_t>(file.size()), segment.address,
                            segment.address, bytes, segment.memory_bytes, segment.flags, 4});
    file.insert(file.end(), segment.data.begin(), segment.data.end());
  }

  if (with_symbols) {
    Bytes strings(1);
    Bytes table(sizeof(elf::Symbol));
    for (const FileSymbol& symbol : symbols) {
      append(table, elf::Symbol{static_cast<uint32_t>(strings.size()), 0, 0, 0x12, 0, symbol.section});
      strings.insert(strings.end(), symbol.name.begin(), symbol.name.end());
      strings.push_back(0);
    }
    const auto table_at = static_cast<uint32_t>(file.size());
    file.insert(file.end(), table.begin(), table.end());
    const auto names_at = static_cast<uint32_t>(strings.size());
    std::vector<uint32_t> sections_at;
    for (const FileSection& section : sections) {
      strings.insert(strings.end(), section.name.begin(), section.name.end());
      strings.push_back(0);
      sections_at.push_back(static_cast<uint32_t>(file.size()));
      file.insert(file.end(), section.data.begin(), section.data.end());
    }
    const auto strings_at = static_cast<uint32_t>(file.size());
    file.insert(file.end(), strings.begin(), strings.end());
    front.section_headers = static_cast<uint32_t>(file.size());
    front.section_header_count = static_cast<uint16_t>(3 + sections.size());
    if (!sections.empty()) front.section_names = 2;
    append(file, elf::SectionHeader{});
    append(file, elf::SectionHeader{.name = 0,
                                    .type = elf::kSymbolTable,
                                    .flags = 0,
                                    .address = 0,
                                    .offset = table_at,
                                    .bytes = static_cast<uint32_t>(table.size()),
                                    .link = 2,
                                    .info = 1,
                                    .alignment = 4,
                                    .entry_bytes = sizeof(elf::Symbol)});
    append(file, elf::SectionHeader{.name = 0,
                                    .type = elf::kStringTable,
                                    .flags = 0,
                                    .address = 0,
                                    .offset = strings_at,
                                    .bytes = static_cast<uint32_t>(strings.size()),
                                    .link = 0,
                                    .info = 0,
                                    .alignment = 1,
                                    .entry_bytes = 0});
    uint32_t name = names_at;
    for (size_t i = 0; i < sections.size(); ++i) {
      append(file, elf::SectionHeader{.name = name,
                                      .type = 1,
                                      .flags = 0,
                                      .address = 0,
                                      .offset = sections_at[i],
                                      .bytes = static_cast<uint32_t>(sections[i].data.size()),
                                      .link = 0,
                                      .info = 0,
                                      .alignment = 1,
                                      .entry_bytes = 0});
      name += static_cast<uint32_t>(sections[i].name.size()) + 1;
    }
  }
  poke(file, 0, front);
  return file;
}

}  // namespace swai::module
