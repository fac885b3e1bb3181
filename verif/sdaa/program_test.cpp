// Files of model programs, which may be anything, and what the library refuses before the card hears of it.
// What programs do is tested on the card (card_program_test.cpp).
#include "abi/program.hpp"

#include <elf.h>

#include <cstring>
#include <vector>

#include "host/sdaa/program_file.hpp"
#include "verif/sdaa/tools.hpp"

namespace {

using namespace swai;
using namespace swai::sdaa;

constexpr uint32_t kCodeBytes = 32, kDataBytes = 16, kMemoryBytes = 4096;

struct File {
  Elf64_Ehdr header = {};
  Elf64_Phdr code = {};
  Elf64_Phdr data = {};
  std::array<uint8_t, kCodeBytes> code_bytes = {};
  std::array<uint8_t, kDataBytes> data_bytes = {};

  File() {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = ET_EXEC;
    header.e_machine = EM_RISCV;
    header.e_entry = program::kCode + 4;
    header.e_phoff = offsetof(File, code);
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = 2;
    code = {PT_LOAD, PF_R | PF_X, offsetof(File, code_bytes), program::kCode, 0, kCodeBytes, kCodeBytes, 64};
    data = {PT_LOAD,      PF_R | PF_W, offsetof(File, data_bytes), program::kData + 64, 0, kDataBytes,
            kMemoryBytes, 64};
    code_bytes.fill(0x13);
    data_bytes.fill(0x55);
  }
  std::vector<uint8_t> bytes() const {
    const auto* first = reinterpret_cast<const uint8_t*>(this);
    return {first, first + sizeof *this};
  }
};

// Success: it was read.
sdaaError_t reads(const std::vector<uint8_t>& bytes) {
  try {
    static_cast<void>(read_program(bytes));
    return sdaaSuccess;
  } catch (const Failure& failure) {
    return failure.code();
  }
}
template <typename Change>
sdaaError_t with(Change change) {
  File file;
  change(file);
  return reads(file.bytes());
}

}  // namespace

TEST_CASE("programs: a file becomes pages of code and data") {
  const ProgramFile program = read_program(File().bytes());
  CHECK(program.entry == program::kCode + 4);
  CHECK(program.code == std::vector<uint8_t>(kCodeBytes, 0x13));
  REQUIRE(program.data.size() == 64 + kMemoryBytes);
  CHECK(program.data[63] == 0);
  CHECK(program.data[64] == 0x55);
  CHECK(program.data[64 + kDataBytes] == 0);
}

TEST_CASE("programs: files that are none") {
  CHECK(with([](File& file) { file.header.e_ident[0] = 0; }) == sdaaErrorInvalidKernelFile);
  CHECK(reads({}) == sdaaErrorInvalidKernelFile);
  CHECK(with([](File& file) { file.header.e_ident[EI_CLASS] = ELFCLASS32; }) == sdaaErrorNoBinaryForDevice);
  CHECK(with([](File& file) { file.header.e_machine = EM_X86_64; }) == sdaaErrorNoBinaryForDevice);
  CHECK(with([](File& file) { file.header.e_type = ET_DYN; }) == sdaaErrorNoBinaryForDevice);
  const std::vector<std::function<void(File&)>> changes = {
      [](File& file) { file.header.e_phnum = 60000; },
      [](File& file) { file.header.e_phentsize = 8; },
      [](File& file) { file.header.e_phoff = sizeof(File) - 8; },
      [](File& file) { file.header.e_phoff = ~uint64_t{0} - 64; },
      [](File& file) { file.header.e_entry = program::kCode + kCodeBytes; },
      [](File& file) { file.header.e_entry = program::kCode - 1; },
      [](File& file) { file.header.e_entry = program::kData; },
      [](File& file) { file.code.p_flags |= PF_W; },
      [](File& file) { file.code.p_vaddr = 0x8000'0000; },
      [](File& file) { file.code.p_vaddr += program::kPageBytes - 16; },
      [](File& file) { file.code.p_memsz = program::kPageBytes + 1; },
      [](File& file) { file.code.p_filesz = kCodeBytes + 1; },
      [](File& file) { file.code.p_offset = sizeof(File) - 1; },
      [](File& file) { file.code.p_offset = ~uint64_t{0} - 8; },
      [](File& file) { file.data.p_vaddr = program::kCode; },
      [](File& file) { file.data.p_memsz = ~uint64_t{0}; },
      [](File& file) { file.data.p_memsz = program::kMostPages * program::kPageBytes; }};
  for (const auto& change : changes) CHECK(with(change) == sdaaErrorInvalidImage);
}

TEST_CASE("programs: a file that is cut off anywhere is refused; with bits turned it is refused or read") {
  const auto whole = File().bytes();
  for (size_t bytes = 0; bytes < whole.size(); ++bytes)
    CHECK(reads({whole.begin(), whole.begin() + static_cast<ptrdiff_t>(bytes)}) != sdaaSuccess);
  unsigned refused = 0;
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    auto turned = whole;
    turned[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    refused += reads(turned) == sdaaSuccess ? 0 : 1;
  }
  CHECK(refused > 100);
}

TEST_CASE("programs: what the library refuses by itself") {
  const Fakes fakes;
  const auto file = File().bytes();
  sdaaProgram_t program = nullptr;
  CHECK_ERROR(sdaaProgramLoad(nullptr, "x"), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaProgramLoad(&program, nullptr), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaProgramLoad(&program, "/nowhere/program.elf"), sdaaErrorFileNotFound);
  CHECK_ERROR(sdaaProgramLoadBytes(nullptr, file.data(), file.size()), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaProgramLoadBytes(&program, nullptr, 1), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaProgramLoadBytes(&program, file.data(), 5), sdaaErrorInvalidKernelFile);
  REQUIRE_OK(sdaaProgramLoadBytes(&program, file.data(), file.size()));
  uint32_t code = 0;
  size_t bytes = 4;
  CHECK_ERROR(sdaaProgramRead(program, nullptr, &bytes), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaProgramRead(program, &code, nullptr), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaProgramRead(program, &code, &bytes), sdaaErrorNotFound);
  CHECK_ERROR(sdaaProgramTell(program, program::kTaken, 1), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaProgramTell(program, program::kWords, 1), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaProgramTell(program, program::kInput, 1), sdaaErrorIllegalState);
  CHECK_ERROR(sdaaProgramCancel(program), sdaaErrorIllegalState);
  CHECK_ERROR(sdaaProgramStart(program, nullptr, 1), sdaaErrorInvalidValue);
  // The played card's processor cannot run it.
  CHECK_ERROR(sdaaProgramStart(program, nullptr, 0), sdaaErrorNotSupported);
  sdaaProgramKernel_t kernel_words;
  const sdaaFunction_t axpy = kernel(load_fake_module(), "axpy_int");
  CHECK_ERROR(sdaaProgramGetKernel(nullptr, axpy, nullptr), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaProgramGetKernel(&kernel_words, nullptr, nullptr), sdaaErrorInvalidDeviceFunction);
  REQUIRE_OK(sdaaProgramGetKernel(&kernel_words, axpy, nullptr));
  REQUIRE_OK(sdaaProgramDestroy(program));
  CHECK_ERROR(sdaaProgramDestroy(program), sdaaErrorInvalidHandle);
  CHECK_ERROR(sdaaProgramStart(program, nullptr, 0), sdaaErrorInvalidHandle);
  CHECK_ERROR(sdaaProgramWait(program, &code), sdaaErrorInvalidHandle);
  REQUIRE_OK(sdaaProgramLoadBytes(&program, file.data(), file.size()));
  REQUIRE_OK(sdaaDeviceReset());
  CHECK_ERROR(sdaaProgramWait(program, &code), sdaaErrorInvalidHandle);
}
