// SPDX-License-Identifier: Apache-2.0
// The module loader: what is accepted, what is refused, and why; with modules as the compiler driver makes
// them and with made-up ones.
#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <span>
#include <string_view>

#include "verif/abi/module_check.hpp"
#include "verif/abi/module_file.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::module {
namespace {

Bytes read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  REQUIRE_MESSAGE(in, path);
  return {std::istreambuf_iterator<char>(in), {}};
}

Error open(const Bytes& file, Space space = Space::kKernel) {
  bool broken = false;
  const Error error = open_and_use(file, space, broken);
  CHECK_FALSE(broken);
  return error;
}

template <typename Change>
Error after(Change change) {
  ModuleFile file;
  change(file);
  return open(file.make());
}

TEST_CASE("modules as they are built") {
  struct Expected {
    const char* file;
    const char* kernel;
    uint32_t argument_bytes;
  };
  for (const Expected& expected :
       {Expected{"empty", "empty", 0}, Expected{"memset", "fill", 16}, Expected{"copy", "copy", 24},
        Expected{"broadcast", "broadcast", 32}, Expected{"sync", "sync_loop", 8},
        Expected{"stream", "stream", 24}, Expected{"scalar", "scalar", 16}}) {
    CAPTURE(expected.file);
    const Bytes file = read_file(std::string("build/cpe-kernels/") + expected.file + ".elf");
    Module module;
    const Verdict verdict = module.open(file);
    REQUIRE(text(verdict.error) == std::string("good"));
    CHECK(module.name() == expected.file);
    CHECK(module.kernel_count() == 1);
    const auto kernel = module.find(expected.kernel);
    REQUIRE(kernel);
    CHECK(kernel->argument_bytes == expected.argument_bytes);
    CHECK(kernel->pc % 64 == 0);
    CHECK_FALSE(module.find("another"));
    REQUIRE(module.pieces().size() == 1);
    CHECK(module.pieces()[0].offset == 0);
    CHECK(module.pieces()[0].data.size() == module.code_bytes());
    CHECK(module.ldm_bytes() == (expected.file == std::string("scalar") ? 1024 : 0));
    CHECK(open(file, Space::kDaemon) == Error::kWrongSpace);
  }
}

TEST_CASE("the empty kernel is one instruction") {
  const Bytes file = read_file("build/cpe-kernels/empty.elf");
  Module module;
  REQUIRE(module.open(file).ok());
  uint16_t instruction = 0;
  std::memcpy(&instruction, module.pieces()[0].data.data(), sizeof(instruction));
  CHECK(instruction == 0x8082);  // ret
}

TEST_CASE("the daemon: nothing between waking and kernel, or return and end, that need not be") {
  const Bytes file = read_file("build/cpe-kernels/daemon.elf");
  Module module;
  REQUIRE(module.open(file, Space::kDaemon).ok());
  const auto entry = module.find("daemon");
  REQUIRE(entry);
  CHECK(entry->pc == 0x4000'0004);
  std::array<uint32_t, 6> code = {};
  REQUIRE(module.pieces()[0].data.size() >= sizeof(code));
  std::memcpy(code.data(), module.pieces()[0].data.data(), sizeof(code));
  const auto control = [](uint32_t op, uint32_t rd) { return op << 25 | rd << 7 | 0x0b; };
  CHECK(code[0] == control(2, 0));   // done: where kernels return to
  CHECK(code[1] == 0x1002'0137);     // lui sp, 0x10020
  CHECK(code[2] == 0x4000'00b7);     // lui ra, 0x40000
  CHECK(code[3] == control(0, 5));   // launch t0
  CHECK(code[4] == control(1, 10));  // argument a0
  CHECK(code[5] == 0x0002'8067);     // jr t0
}

TEST_CASE("headers that name the same bytes again and again are refused before these are gone through") {
  ModuleFile file;
  file.add_kernel("one", base(Space::kKernel));
  const Bytes good = file.make();
  REQUIRE(module::Module().open(good).ok());
  constexpr uint16_t kMany = 50'000;
  const auto header = [&] {
    elf::Header copy;
    std::memcpy(&copy, good.data(), sizeof copy);
    return copy;
  }();
  const auto of_good = [&](auto kind, uint32_t at, unsigned number) {
    decltype(kind) copy;
    std::memcpy(&copy, good.data() + at + number * sizeof copy, sizeof copy);
    return copy;
  };
  SUBCASE("symbols") {
    Bytes bytes = good;
    auto changed = header;
    changed.section_headers = static_cast<uint32_t>(bytes.size());
    changed.section_header_count = kMany;
    auto table = elf::SectionHeader{};
    for (unsigned i = 0; i < header.section_header_count; ++i) {
      const auto section = of_good(elf::SectionHeader{}, header.section_headers, i);
      if (section.type == elf::kSymbolTable) table = section;
      append(bytes, section);
    }
    REQUIRE(table.type == elf::kSymbolTable);
    constexpr unsigned kSymbols = 100'000;
    elf::Symbol defined = {};
    defined.section = 1;
    table.offset = static_cast<uint32_t>(bytes.size() + (kMany - header.section_header_count) * sizeof table);
    table.bytes = kSymbols * sizeof defined;
    for (unsigned i = header.section_header_count; i < kMany; ++i) append(bytes, table);
    for (unsigned i = 0; i < kSymbols; ++i) append(bytes, defined);
    poke(bytes, 0, changed);
    CHECK(module::Module().open(bytes).error == Error::kBadElf);
  }
  SUBCASE("notes") {
    Bytes bytes = good;
    auto changed = header;
    const auto notes = static_cast<uint32_t>(bytes.size());
    constexpr unsigned kNotes = 100'000;
    for (unsigned i = 0; i < kNotes; ++i) append(bytes, elf::Note{0, 0, 99});
    changed.program_headers = static_cast<uint32_t>(bytes.size());
    changed.program_header_count = kMany;
    for (unsigned i = 0; i + header.program_header_count < kMany; ++i) {
      elf::ProgramHeader program = {};
      program.type = elf::kNote;
      program.offset = notes;
      program.file_bytes = kNotes * sizeof(elf::Note);
      append(bytes, program);
    }
    for (unsigned i = 0; i < header.program_header_count; ++i)
      append(bytes, of_good(elf::ProgramHeader{}, header.program_headers, i));
    poke(bytes, 0, changed);
    CHECK(module::Module().open(bytes).error == Error::kBadElf);
  }
}

TEST_CASE("a module with an undefined symbol is refused by its name") {
  const Bytes file = read_file("build/cpe-kernels/undefined.elf");
  Module module;
  const Verdict verdict = module.open(file);
  CHECK(verdict.error == Error::kUndefinedSymbol);
  CHECK(verdict.name == "function_that_is_nowhere");
}

TEST_CASE("versions come before everything that may differ between them") {
  CHECK(after([](ModuleFile&) {}) == Error::kNone);
  const auto other_format = [](ModuleFile& f) {
    f.header.module_abi = kModuleAbi + 1;
    f.header.header_bytes = 80;
    f.segments[0].address = 0;
    f.symbols[0].section = 0;
  };
  CHECK(after(other_format) == Error::kWrongModuleAbi);
  ModuleFile file;
  file.header.card_abi = kCardAbi + 1;
  file.symbols[0].section = 0;
  const Bytes bytes = file.make();
  Module module;
  const Verdict verdict = module.open(bytes);
  CHECK(verdict.error == Error::kWrongCardAbi);
  CHECK(verdict.value == kCardAbi + 1);
}

TEST_CASE("every reason to refuse a module") {
  CHECK(open({}) == Error::kTruncated);
  CHECK(open(Bytes(100, 'x')) == Error::kNotElf);
  CHECK(after([](ModuleFile& f) { f.elf.identity[4] = 2; }) == Error::kNotElf);
  CHECK(after([](ModuleFile& f) { f.elf.machine = 62; }) == Error::kWrongMachine);
  CHECK(after([](ModuleFile& f) { f.elf.type = 1; }) == Error::kNotLinked);
  CHECK(after([](ModuleFile& f) { f.segments.push_back({.type = elf::kDynamic}); }) == Error::kNotLinked);
  CHECK(after([](ModuleFile& f) { f.segments.push_back({.type = elf::kInterpreter}); }) == Error::kNotLinked);
  CHECK(after([](ModuleFile& f) { f.elf.program_header_bytes = 56; }) == Error::kBadElf);
  CHECK(after([](ModuleFile& f) { f.elf.section_header_bytes = 64; }) == Error::kBadElf);
  CHECK(after([](ModuleFile& f) { f.with_note = false; }) == Error::kNoNote);
  CHECK(after([](ModuleFile& f) { f.header.magic ^= 1; }) == Error::kBadNote);
  CHECK(after([](ModuleFile& f) { f.header.header_bytes = 60; }) == Error::kBadNote);
  CHECK(after([](ModuleFile& f) { f.header.kernel_bytes = 32; }) == Error::kBadNote);
  CHECK(after([](ModuleFile& f) { f.tail_of_note = Bytes(4); }) == Error::kBadNote);
  CHECK(after([](ModuleFile& f) { f.header.space = Space::kDaemon; }) == Error::kWrongSpace);
  CHECK(after([](ModuleFile& f) { f.symbols.push_back({"missing", 0}); }) == Error::kUndefinedSymbol);
  CHECK(after([](ModuleFile& f) { f.segments[0].flags = 7; }) == Error::kSegmentWritable);
  CHECK(after([](ModuleFile& f) { f.segments.push_back(f.segments[0]); }) == Error::kSegmentsOverlap);
  CHECK(after([](ModuleFile& f) { f.segments[0].memory_bytes = 255; }) == Error::kBadElf);
  CHECK(after([](ModuleFile& f) { f.segments.erase(f.segments.begin()); }) == Error::kNoCode);
  CHECK(after([](ModuleFile& f) {
          for (uint32_t i = 1; i < 9; ++i)
            f.segments.push_back({.address = 0x5000'1000 + i * 16, .data = Bytes(4), .memory_bytes = 4});
        }) == Error::kTooManySegments);
  CHECK(after([](ModuleFile& f) { f.add_kernel("", 0x5000'0000); }) == Error::kBadKernel);
  CHECK(after([](ModuleFile& f) { f.add_kernel("odd", 0x5000'0001); }) == Error::kBadKernel);
  CHECK(after([](ModuleFile& f) { f.add_kernel("beyond", 0x5000'0100); }) == Error::kBadKernel);
  CHECK(after([](ModuleFile& f) { f.add_kernel("below", 0x4fff'fffe); }) == Error::kBadKernel);
  const auto with_parameters = [&](uint64_t bits, uint32_t bytes) {
    return after([&](ModuleFile& f) {
      f.kernels[1].parameters = bits;
      f.kernels[1].argument_bytes = bytes;
    });
  };
  CHECK(with_parameters(0x3'4441, 40) == Error::kNone);
  CHECK(with_parameters(0x3'4441, 36) == Error::kBadKernel);
  CHECK(with_parameters(0x3'4401, 40) == Error::kBadKernel);
  CHECK(with_parameters(0x5, 16) == Error::kBadKernel);
  CHECK(with_parameters(UINT64_MAX, 128) == Error::kBadKernel);
  // Behind the values of a kernel with threads, and nowhere else: a grid.
  CHECK(with_parameters(0x634, 48) == Error::kNone);
  CHECK(with_parameters(0x6, 32) == Error::kNone);
  CHECK(with_parameters(0x634, 64) == Error::kBadKernel);
  CHECK(with_parameters(0x463, 48) == Error::kBadKernel);
  CHECK(with_parameters(0x664, 72) == Error::kBadKernel);
  CHECK(after([](ModuleFile& f) { f.add_kernel("first", 0x5000'0010); }) == Error::kDuplicateKernel);
  CHECK(after([](ModuleFile& f) {
          for (uint32_t i = 2; i <= kMaxKernels; ++i) f.add_kernel("k" + std::to_string(i), 0x5000'0000);
        }) == Error::kTooManyKernels);
}

TEST_CASE(
    "as many kernels as there can be: each step is short, and the last name that is there twice is found") {
  ModuleFile file;
  file.kernels.clear();
  for (uint32_t i = 0; i < kMaxKernels; ++i)
    file.add_kernel("k" + std::to_string(i * 7919 % 1000), 0x5000'0000);
  Module module;
  const Bytes good = file.make();
  unsigned steps = 0;
  for (module.begin(good); !module.step();) ++steps;
  CHECK(module.verdict().ok());
  CHECK(steps > kMaxKernels / 4);
  for (const uint32_t twin : {0u, 1u, kMaxKernels / 2, kMaxKernels - 2}) {
    ModuleFile twins = file;
    twins.kernels.back().name = twins.kernels[twin].name;
    const Bytes bytes = twins.make();
    const Verdict verdict = module.open(bytes);
    CHECK(verdict.error == Error::kDuplicateKernel);
    CHECK(verdict.name == std::string_view(twins.kernels[twin].name.data()));
  }
}

TEST_CASE("bounds of segments, with no way around through overflow") {
  const auto code_at = [](uint32_t address, uint32_t memory_bytes) {
    return after([&](ModuleFile& f) {
      f.kernels.clear();
      f.segments[0].address = address;
      f.segments[0].memory_bytes = memory_bytes;
    });
  };
  CHECK(code_at(0x5000'0000, 256) == Error::kNone);
  CHECK(code_at(0x5000'0000, kMaxCodeBytes) == Error::kNone);
  CHECK(code_at(0x5000'0000, kMaxCodeBytes + 1) == Error::kSegmentOutside);
  CHECK(code_at(0x5000'0000 + kMaxCodeBytes - 256, 256) == Error::kNone);
  CHECK(code_at(0x5000'0000 + kMaxCodeBytes - 255, 256) == Error::kSegmentOutside);
  CHECK(code_at(0x4fff'ff00, 256) == Error::kSegmentOutside);
  CHECK(code_at(0x4000'0000, 256) == Error::kSegmentOutside);
  CHECK(code_at(0, 256) == Error::kSegmentOutside);
  CHECK(code_at(0xffff'ff00, 0xffff'ffff) == Error::kSegmentOutside);
  CHECK(code_at(0x5000'0100, 0xffff'ff00) == Error::kSegmentOutside);

  const auto ldm_at = [](uint32_t address, uint32_t memory_bytes, size_t file_bytes) {
    return after([&](ModuleFile& f) {
      f.segments.push_back(
          {.address = address, .data = Bytes(file_bytes), .memory_bytes = memory_bytes, .flags = 6});
    });
  };
  CHECK(ldm_at(kLdmBase, kLdmBytes, 0) == Error::kNone);
  CHECK(ldm_at(kLdmBase, kLdmBytes + 1, 0) == Error::kTooMuchLdm);
  CHECK(ldm_at(kLdmBase + 16, kLdmBytes, 0) == Error::kTooMuchLdm);
  CHECK(ldm_at(kLdmBase + 16, 0xffff'ffff, 0) == Error::kTooMuchLdm);
  CHECK(ldm_at(kLdmBase, 64, 64) == Error::kTooMuchLdm);
  CHECK(ldm_at(kLdmBase + kLdmBytes, 64, 0) == Error::kSegmentOutside);
  // Nothing of it: as if it were not there.
  CHECK(ldm_at(0, 0, 0) == Error::kNone);
}

TEST_CASE("what is zero in code space belongs to the module, too") {
  ModuleFile file;
  file.segments.push_back({.address = 0x5000'1000, .data = {}, .memory_bytes = 0x234});
  const Bytes bytes = file.make();
  Module module;
  REQUIRE(module.open(bytes).ok());
  CHECK(module.code_bytes() == 0x1234);
  CHECK(module.pieces().size() == 1);
}

TEST_CASE("notes of others, and a stripped module") {
  ModuleFile file;
  append(file.other_notes, elf::Note{4, 6, 3});
  for (const char character : std::string_view("GNU\0abcdef\0\0", 12))
    file.other_notes.push_back(static_cast<uint8_t>(character));
  file.with_symbols = false;
  CHECK(open(file.make()) == Error::kNone);
  poke(file.other_notes, 4, uint32_t{0xffff'fff0});
  CHECK(open(file.make()) == Error::kBadNote);
  poke(file.other_notes, 0, uint32_t{0xffff'ffff});
  CHECK(open(file.make()) == Error::kBadNote);
}

TEST_CASE("names may fill their fields") {
  ModuleFile file;
  file.header.name.fill('n');
  file.kernels[0].name.fill('k');
  const Bytes bytes = file.make();
  Module module;
  REQUIRE(module.open(bytes).ok());
  CHECK(module.name() == std::string(file.header.name.size(), 'n'));
  CHECK(module.kernel(0).name == std::string(file.kernels[0].name.size(), 'k'));
  CHECK(module.find(std::string(file.kernels[0].name.size(), 'k')));
}

TEST_CASE("truncated at every length: refused, or all there") {
  for (const bool with_symbols : {false, true}) {
    ModuleFile file;
    file.with_symbols = with_symbols;
    const Bytes good = file.make();
    for (size_t length = 0; length < good.size(); ++length) {
      CAPTURE(length);
      CHECK(open(Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length))) != Error::kNone);
    }
  }
}

TEST_CASE("every flipped bit of a module: no access outside, no nonsense accepted") {
  const Bytes good = ModuleFile().make();
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    Bytes bad = good;
    bad[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    CAPTURE(bit);
    open(bad);
  }
}

TEST_CASE("random damage") {
  std::mt19937_64 random(test_seed());
  const Bytes good = ModuleFile().make();
  for (unsigned round = 0; round < 50'000; ++round) {
    Bytes bad = good;
    for (unsigned changes = 1 + random() % 4; changes != 0; --changes) {
      const size_t at = random() % (bad.size() - 3);
      const uint32_t values[] = {
          0, 1, 0xffff'ffff, 0x8000'0000, static_cast<uint32_t>(random()), static_cast<uint32_t>(bad.size())};
      poke(bad, random() % 2 == 0 ? at : at / 4 * 4, values[random() % std::size(values)]);
    }
    if (random() % 4 == 0) bad.resize(random() % bad.size());
    CAPTURE(round);
    open(bad);
  }
}

// A file whose header changes when something behind it is read for the first time.
class Changing {
 public:
  Changing(const Bytes& file, size_t offset, uint32_t bits) : offset_(offset), bits_(bits) {
    const size_t rest = (file.size() / kPage + 1) * kPage;
    bytes_ = kPage + rest;
    memory_ = static_cast<uint8_t*>(
        ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    REQUIRE(memory_ != MAP_FAILED);
    file_ = {memory_ + kPage - sizeof(elf::Header), file.size()};
    std::ranges::copy(file, memory_ + kPage - sizeof(elf::Header));
    protect(PROT_NONE);
    current_ = this;
    struct sigaction action = {};
    action.sa_handler = [](int) { current_->change(); };
    ::sigaction(SIGSEGV, &action, &before_);
  }
  ~Changing() {
    ::sigaction(SIGSEGV, &before_, nullptr);
    ::munmap(memory_, bytes_);
  }
  Changing(const Changing&) = delete;
  Changing& operator=(const Changing&) = delete;

  std::span<const uint8_t> file() const { return file_; }
  bool changed() const { return changed_; }

 private:
  static constexpr size_t kPage = 4096;
  void protect(int access) const { ::mprotect(memory_ + kPage, bytes_ - kPage, access); }
  void change() {
    if (changed_) {
      constexpr std::string_view kWords = "memory beyond the file was read\n";
      std::_Exit(::write(STDERR_FILENO, kWords.data(), kWords.size()) < 0 ? 3 : 4);
    }
    changed_ = true;
    protect(PROT_READ);
    uint32_t word = 0;
    uint8_t* const at = memory_ + kPage - sizeof(elf::Header) + offset_;
    std::memcpy(&word, at, sizeof word);
    word |= bits_;
    std::memcpy(at, &word, sizeof word);
  }

  static inline Changing* current_ = nullptr;
  size_t offset_;
  uint32_t bits_;
  uint8_t* memory_ = nullptr;
  size_t bytes_ = 0;
  std::span<const uint8_t> file_;
  bool changed_ = false;
  struct sigaction before_ = {};
};

TEST_CASE("a file that somebody changes while it is judged: what was checked counts") {
  struct Change {
    size_t offset;
    uint32_t bits;
  };
  for (const Change& change : {Change{offsetof(elf::Header, program_headers), 0x7000'0000},
                               Change{offsetof(elf::Header, section_headers), 0x7000'0000},
                               // and of the halves of words, the counts
                               Change{offsetof(elf::Header, program_header_count), 0xf000},
                               Change{offsetof(elf::Header, section_header_count), 0xf000}}) {
    CAPTURE(change.offset);
    const Changing changing(ModuleFile().make(), change.offset, change.bits);
    Module module;
    CHECK(module.open(changing.file()).ok());
    CHECK(changing.changed());
  }
}

TEST_CASE("every reason has a text of its own") {
  std::vector<std::string> texts;
  for (unsigned error = 0; error <= static_cast<unsigned>(Error::kDuplicateKernel); ++error) {
    texts.emplace_back(text(static_cast<Error>(error)));
    CHECK(texts.back() != "unknown reason");
  }
  std::ranges::sort(texts);
  CHECK(std::ranges::adjacent_find(texts) == texts.end());
}

}  // namespace
}  // namespace swai::module
