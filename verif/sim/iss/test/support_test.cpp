// SPDX-License-Identifier: Apache-2.0
// ELF loading, the tohost protocol, signatures: what the tools that run programs share.
#include <doctest/doctest.h>
#include <elf.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "host/lib/elf.hpp"
#include "sim/common/tohost.hpp"
#include "verif/kit/doctest_main.hpp"
#include "verif/sim/iss/random/random_program.hpp"

namespace swai::common {
namespace {

constexpr uint64_t kBase = 0x8000'0000;

// A file that goes away with the object.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::vector<uint8_t>& bytes = {}) {
    const int fd = mkstemp(path_.data());
    REQUIRE(fd >= 0);
    REQUIRE(write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    close(fd);
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }
  std::string text() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::string path_ = (std::filesystem::temp_directory_path() / "swai-test-XXXXXX").string();
};

std::vector<uint8_t> sample_elf() {
  random_program::Program program;
  program.base = kBase;
  program.entry = kBase + 4;
  program.tohost = kBase + 0x40;
  program.begin_signature = kBase + 0x80;
  program.end_signature = kBase + 0x90;
  program.image.resize(256);
  for (size_t i = 0; i < program.image.size(); ++i) program.image[i] = static_cast<uint8_t>(i);
  return random_program::to_elf(program);
}

Elf load(const std::vector<uint8_t>& bytes) { return load_elf(TemporaryFile(bytes).path()); }

std::string complaint(const std::vector<uint8_t>& bytes) {
  try {
    load(bytes);
  } catch (const InputError& error) {
    const std::string what = error.what();
    CHECK(what.find('\n') == std::string::npos);
    return what.substr(what.find(": ") + 2);
  }
  return {};
}

template <typename T>
std::vector<uint8_t> patched(size_t offset, T value) {
  auto bytes = sample_elf();
  std::memcpy(&bytes.at(offset), &value, sizeof value);
  return bytes;
}

TEST_CASE("a good file") {
  const Elf elf = load(sample_elf());
  CHECK(elf.entry == kBase + 4);
  CHECK(elf.symbol("tohost") == kBase + 0x40);
  CHECK_FALSE(elf.symbol("nothing"));
  REQUIRE(elf.segments.size() == 1);
  CHECK(elf.segments[0].address == kBase);
  CHECK(elf.describe(kBase + 0x40) == "tohost");
  CHECK(elf.describe(kBase + 0x48) == "tohost+0x8");

  std::vector<uint8_t> memory(4096, 0xee);
  const LoadArea area{kBase - 0x100, memory};
  place(elf, {&area, 1});
  CHECK(memory[0xff] == 0xee);
  CHECK(memory[0x100] == 0);
  CHECK(memory[0x101] == 1);
  CHECK(memory[0x1ff] == 0xff);
  CHECK(memory[0x200] == 0xee);
}

TEST_CASE("what the file does not fill is zero") {
  auto bytes = patched(64 + offsetof(Elf64_Phdr, p_filesz), uint64_t{16});
  std::vector<uint8_t> memory(256, 0xee);
  const LoadArea area{kBase, memory};
  place(load(bytes), {&area, 1});
  CHECK(memory[15] == 15);
  CHECK(memory[16] == 0);
  CHECK(memory[255] == 0);
}

TEST_CASE("bad files are refused, and the message says why") {
  CHECK_THROWS_WITH_AS(load_elf("/nonexistent"), "/nonexistent: cannot open: No such file or directory",
                       InputError);
  CHECK_THROWS_AS(load_elf("/"), InputError);
  CHECK(complaint({}) == "not an ELF file");
  CHECK(complaint({'h', 'e', 'l', 'l', 'o'}) == "not an ELF file");
  CHECK(complaint(patched(EI_CLASS, uint8_t{ELFCLASS32})).starts_with("not a 64-bit ELF file"));
  CHECK(complaint(patched(EI_DATA, uint8_t{ELFDATA2MSB})) == "not a little-endian ELF file");
  CHECK(complaint(patched(offsetof(Elf64_Ehdr, e_machine), uint16_t{EM_X86_64}))
            .starts_with("made for another machine"));
  CHECK(complaint(patched(offsetof(Elf64_Ehdr, e_type), uint16_t{ET_REL})).starts_with("not an executable"));
  CHECK(complaint(patched(offsetof(Elf64_Ehdr, e_phnum), uint16_t{0})) == "has no segments to load");
  CHECK(complaint(patched(64 + offsetof(Elf64_Phdr, p_offset), uint64_t{1} << 40))
            .starts_with("damaged ELF file"));
  CHECK(complaint(patched(64 + offsetof(Elf64_Phdr, p_filesz), uint64_t{1} << 60))
            .starts_with("damaged ELF file"));
  CHECK(complaint(patched(64 + offsetof(Elf64_Phdr, p_memsz), uint64_t{16})).starts_with("damaged ELF file"));
  auto wrapping = patched(64 + offsetof(Elf64_Phdr, p_offset), ~uint64_t{15});
  CHECK(complaint(wrapping).starts_with("damaged ELF file"));
  auto stub = sample_elf();
  stub.resize(20);
  CHECK(complaint(stub).starts_with("damaged ELF file"));
}

TEST_CASE("segments outside memory") {
  std::vector<uint8_t> memory(256);
  const auto fits = [&](uint64_t base, size_t bytes) {
    const LoadArea area{base, std::span(memory).first(bytes)};
    try {
      place(load(sample_elf()), {&area, 1});
    } catch (const InputError& error) {
      CHECK(std::string(error.what()).find("a segment of 256 bytes at 0x80000000 lies outside memory") !=
            std::string::npos);
      return false;
    }
    return true;
  };
  CHECK(fits(kBase, 256));
  CHECK_FALSE(fits(kBase, 255));
  CHECK_FALSE(fits(kBase + 1, 255));
  CHECK_FALSE(fits(0, 256));
  CHECK_FALSE(fits(kBase + (uint64_t{1} << 32), 256));
}

TEST_CASE("damaged files are refused or loaded, but nothing else happens") {
  std::mt19937 random(static_cast<uint32_t>(test_seed()));
  const auto good = sample_elf();
  for (size_t length = 0; length < good.size(); length += 7) {
    CHECK_FALSE(complaint({good.begin(), good.begin() + static_cast<long>(length)}).empty());
  }
  for (int round = 0; round < 2000; ++round) {
    auto bytes = good;
    for (int change = 0; change < 3; ++change)
      bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
    complaint(bytes);
  }
}

// Memory of 4 KiB at kBase, and a program that talks through it.
struct Talk {
  Talk()
      : tohost(elf(),
               {.read = [this](uint64_t at,
                               std::span<uint8_t> to) { return copy(at, to.size(), to.data(), {}); },
                .write =
                    [this](uint64_t at, std::span<const uint8_t> from) {
                      return copy(at, from.size(), nullptr, from.data());
                    }},
               console) {}
  static Elf elf() {
    Elf elf;
    elf.symbols = {{"tohost", kBase}, {"fromhost", kBase + 8}};
    return elf;
  }
  bool copy(uint64_t at, size_t size, uint8_t* to, const uint8_t* from) {
    if (at < kBase || size > memory.size() || at - kBase > memory.size() - size) return false;
    if (to != nullptr) std::memcpy(to, &memory[at - kBase], size);
    if (from != nullptr) std::memcpy(&memory[at - kBase], from, size);
    return true;
  }
  void set(uint64_t offset, uint64_t value) { std::memcpy(&memory[offset], &value, sizeof value); }
  uint64_t get(uint64_t offset) const {
    uint64_t value;
    std::memcpy(&value, &memory[offset], sizeof value);
    return value;
  }
  std::string output() {
    console.flush();
    return file.text();
  }

  std::array<uint8_t, 4096> memory{};
  TemporaryFile file;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> out{std::fopen(file.path().c_str(), "w"), std::fclose};
  Console console{out.get()};
  Tohost tohost;
};

TEST_CASE("tohost: end of the program") {
  Talk talk;
  CHECK_FALSE(talk.tohost.poll());
  talk.set(0, 1);
  CHECK(talk.tohost.poll() == 0);
  talk.set(0, 7 << 1 | 1);
  CHECK(talk.tohost.poll() == 7);
  CHECK(describe_result(0) == "passed");
  CHECK(describe_result(7) == "FAILED: test 7");
}

TEST_CASE("tohost: which stores touch the word") {
  Talk talk;
  CHECK(talk.tohost.touches(kBase, 1));
  CHECK(talk.tohost.touches(kBase + 7, 1));
  CHECK(talk.tohost.touches(kBase - 1, 2));
  CHECK_FALSE(talk.tohost.touches(kBase - 1, 1));
  CHECK_FALSE(talk.tohost.touches(kBase + 8, 8));
}

TEST_CASE("tohost: console characters are taken and acknowledged") {
  Talk talk;
  for (const char c : std::string("ok\n")) {
    talk.set(0, uint64_t{0x0101} << 48 | static_cast<uint8_t>(c));
    CHECK_FALSE(talk.tohost.poll());
    CHECK(talk.get(0) == 0);
  }
  CHECK(talk.output() == "ok\n");
}

TEST_CASE("tohost: calls to write and to exit") {
  Talk talk;
  std::memcpy(&talk.memory[0x200], "hello", 5);
  const auto call = [&](uint64_t number, uint64_t first, uint64_t second, uint64_t third) {
    talk.set(0x100, number);
    talk.set(0x108, first);
    talk.set(0x110, second);
    talk.set(0x118, third);
    talk.set(0, kBase + 0x100);
    talk.set(8, 0);
    return talk.tohost.poll();
  };
  CHECK_FALSE(call(64, 1, kBase + 0x200, 5));
  CHECK(talk.get(0x100) == 5);
  CHECK(talk.get(0) == 0);
  CHECK(talk.get(8) == 1);
  CHECK_FALSE(call(64, 1, kBase + 0x10000, 5));  // text that lies nowhere
  CHECK_FALSE(call(1234, 0, 0, 0));
  CHECK(talk.get(0x100) == static_cast<uint64_t>(-38));
  CHECK(call(93, 3, 0, 0) == 3);
  CHECK(talk.output() == "hello");
  talk.set(0, 0x1000);  // arguments that lie nowhere
  CHECK_FALSE(talk.tohost.poll());
}

TEST_CASE("signature") {
  Talk talk;
  Elf elf = load(sample_elf());
  for (unsigned i = 0; i < 256; ++i) talk.memory[i] = static_cast<uint8_t>(i);
  const ProgramMemory memory{
      .read = [&](uint64_t at, std::span<uint8_t> to) { return talk.copy(at, to.size(), to.data(), {}); },
      .write = {}};
  const TemporaryFile file;
  write_signature(elf, memory, file.path(), 4);
  CHECK(file.text() == "83828180\n87868584\n8b8a8988\n8f8e8d8c\n");
  write_signature(elf, memory, file.path(), 8);
  CHECK(file.text() == "8786858483828180\n8f8e8d8c8b8a8988\n");
  CHECK_THROWS_AS(write_signature(elf, memory, "/nonexistent/file", 4), InputError);
  elf.symbols["end_signature"] = kBase + 0x10000;
  CHECK_THROWS_AS(write_signature(elf, memory, file.path(), 4), InputError);
  elf.symbols.erase("end_signature");
  CHECK_THROWS_AS(write_signature(elf, memory, file.path(), 4), InputError);
}

}  // namespace
}  // namespace swai::common
