// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/program_file.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "abi/program.hpp"
#include "host/runtime/error.hpp"

namespace swai::sdaa {
namespace {

constexpr unsigned kMostSegments = 16;
constexpr uint64_t kMostData = (program::kMostPages - 2) * program::kPageBytes;

template <typename T>
T read(std::span<const uint8_t> file, uint64_t at) {
  T value;
  require(at <= file.size() && sizeof value <= file.size() - at, "the program's file is cut off",
          sdaaErrorInvalidImage);
  std::memcpy(&value, file.data() + at, sizeof value);
  return value;
}

// Puts a segment to its place behind `base`, where `most` bytes fit.
void place(std::vector<uint8_t>& memory, uint64_t base, uint64_t most, const Elf64_Phdr& segment,
           std::span<const uint8_t> file) {
  require(segment.p_filesz <= segment.p_memsz && segment.p_offset <= file.size() &&
              segment.p_filesz <= file.size() - segment.p_offset,
          "the program's file is cut off", sdaaErrorInvalidImage);
  const uint64_t offset = segment.p_vaddr - base;
  if (offset > most || segment.p_memsz > most - offset) {
    fail(sdaaErrorInvalidImage,
         fmt::format("the program wants {} bytes at {:#x}, where there is no memory for it", segment.p_memsz,
                     segment.p_vaddr));
  }
  if (memory.size() < offset + segment.p_memsz) memory.resize(offset + segment.p_memsz);
  std::copy_n(file.begin() + static_cast<ptrdiff_t>(segment.p_offset), segment.p_filesz,
              memory.begin() + static_cast<ptrdiff_t>(offset));
}

}  // namespace

ProgramFile read_program(std::span<const uint8_t> file) {
  if (file.size() < sizeof(Elf64_Ehdr) || std::memcmp(file.data(), ELFMAG, SELFMAG) != 0)
    fail(sdaaErrorInvalidKernelFile, "the program is no ELF file");
  const auto header = read<Elf64_Ehdr>(file, 0);
  require(header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB &&
              header.e_machine == EM_RISCV && header.e_type == ET_EXEC,
          "not a program for the management processor: `sdaacc --mpe` makes one", sdaaErrorNoBinaryForDevice);
  require(header.e_phentsize == sizeof(Elf64_Phdr) && header.e_phnum <= kMostSegments,
          "the program's file is damaged", sdaaErrorInvalidImage);
  ProgramFile program;
  program.entry = header.e_entry;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto segment = read<Elf64_Phdr>(file, header.e_phoff + i * sizeof(Elf64_Phdr));
    if (segment.p_type != PT_LOAD || segment.p_memsz == 0) continue;
    require((segment.p_flags & PF_W) == 0 || (segment.p_flags & PF_X) == 0,
            "the program wants memory that it can both write and execute", sdaaErrorInvalidImage);
    if ((segment.p_flags & PF_W) == 0) {
      place(program.code, program::kCode, program::kPageBytes, segment, file);
    } else {
      place(program.data, program::kData, kMostData, segment, file);
      // The linker script puts the stack there, a segment of its own.
      if (segment.p_vaddr == program::kData && segment.p_filesz == 0) program.stack_bytes = segment.p_memsz;
    }
  }
  require(header.e_entry - program::kCode < program.code.size(), "the program begins outside of its code",
          sdaaErrorInvalidImage);
  return program;
}

}  // namespace swai::sdaa
