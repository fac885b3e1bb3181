// SPDX-License-Identifier: Apache-2.0
// Files of model programs, which may be anything, and what the library refuses before the card hears of it.
// What programs do is tested on the card (card_program_test.cpp).
#include "abi/program.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "abi/command.hpp"
#include "host/runtime/program_file.hpp"
#include "verif/host/runtime/tools.hpp"

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

// What the played card can run: it sets registers and calls.
class Code {
 public:
  Code& set(unsigned number, uint32_t value) { return put(value << 20 | number << 7 | 0x13); }
  Code& call(uint64_t function) { return set(kA7, static_cast<uint32_t>(function)).put(0x73); }
  Code& exit(uint32_t code) { return set(kA0, code).call(static_cast<uint64_t>(program::Call::kExit)); }
  // Nobody records that event so often.
  Code& wait_for_event() {
    constexpr auto kWait = static_cast<uint8_t>(command::Type::kEventWait);
    return set(kA0, 1).set(kA1, 1000).call(program::submit_word(kWait, 0));
  }
  std::vector<uint8_t> file() const {
    File file;
    std::memcpy(file.code_bytes.data() + 4, words_.data(), words_.size() * sizeof(uint32_t));
    return file.bytes();
  }

 private:
  static constexpr unsigned kA0 = 10, kA1 = 11, kA7 = 17;
  Code& put(uint32_t word) {
    REQUIRE(words_.size() < kCodeBytes / sizeof(uint32_t) - 1);
    words_.push_back(word);
    return *this;
  }
  std::vector<uint32_t> words_;
};

FakeOptions with_programs() {
  FakeOptions options;
  options.runs_programs = true;
  return options;
}
sdaaProgram_t load(const Code& code) {
  const auto file = code.file();
  sdaaProgram_t program = nullptr;
  REQUIRE_OK(sdaaProgramLoadBytes(&program, file.data(), file.size()));
  return program;
}
void check_run(sdaaProgram_t program, uint32_t code) {
  REQUIRE_OK(sdaaProgramStart(program, nullptr, 0));
  uint32_t got = ~code;
  CHECK_OK(sdaaProgramWait(program, &got));
  CHECK(got == code);
}
void check_stream(sdaaStream_t stream, void* memory) {
  CHECK_OK(sdaaMemsetAsync(memory, 1, 64, stream));
  CHECK_OK(sdaaStreamSynchronize(stream));
}
// More than the card has queues.
std::vector<sdaaStream_t> many_streams() {
  std::vector<sdaaStream_t> streams(protocol::kQueues + 5);
  std::ranges::generate(streams, [] { return new_stream(); });
  return streams;
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

TEST_CASE("programs: a stream never has the queue of one, be that loaded, at work or over") {
  const Fakes fakes(1, with_programs());
  void* memory = allocate(64);
  const sdaaProgram_t program = load(Code().exit(3));
  std::vector<sdaaStream_t> streams = {new_stream()};
  for (int i = 0; i < 3; ++i) {
    check_run(program, 3);
    streams.push_back(new_stream());
    for (const sdaaStream_t stream : streams) check_stream(stream, memory);
  }
  REQUIRE_OK(sdaaProgramDestroy(program));
}

TEST_CASE("programs: streams share queues before they take the one that is kept for a program") {
  const Fakes fakes(1, with_programs());
  void* memory = allocate(64);
  const sdaaProgram_t program = load(Code().exit(3));
  std::vector<sdaaStream_t> streams;
  SUBCASE("before its first run") {
    streams = many_streams();
    for (const sdaaStream_t stream : streams) check_stream(stream, memory);
  }
  SUBCASE("between its runs") {
    check_run(program, 3);
    streams = many_streams();
  }
  SUBCASE("when they share queues already") {
    REQUIRE_OK(sdaaProgramStart(program, nullptr, 0));
    streams = many_streams();
    CHECK_OK(sdaaProgramWait(program, nullptr));
    check_run(program, 3);
    streams.push_back(new_stream());
  }
  check_run(program, 3);
  for (const sdaaStream_t stream : streams) check_stream(stream, memory);
  REQUIRE_OK(sdaaProgramDestroy(program));
}

TEST_CASE("programs: one that ends with a command under way runs again, as often as one likes") {
  const Fakes fakes(1, with_programs());
  const sdaaProgram_t program = load(Code().wait_for_event().exit(4));
  for (unsigned i = 0; i < 2 * protocol::kQueues; ++i) check_run(program, 4);
  REQUIRE_OK(sdaaProgramDestroy(program));
}

TEST_CASE("programs: the queue that is kept for them goes with the last one") {
  const Fakes fakes(1, with_programs());
  const auto queues_in_use = [] {
    const auto device = Runtime::get().current();
    const Device::Lock lock = device->enter();
    Connection& connection = device->connection();
    const uint64_t first_free = connection.ask(protocol::Operation::kQueueOpen, {})[0];
    connection.ask(protocol::Operation::kQueueClose, {first_free});
    return first_free;
  };
  const sdaaProgram_t first = load(Code().exit(1)), second = load(Code().exit(2));
  const uint64_t loaded = queues_in_use();
  check_run(first, 1);
  REQUIRE_OK(sdaaProgramDestroy(first));
  CHECK(queues_in_use() == loaded);
  check_run(second, 2);
  REQUIRE_OK(sdaaProgramDestroy(second));
  CHECK(queues_in_use() == loaded - 1);
  const sdaaProgram_t third = load(Code().exit(3));
  CHECK(queues_in_use() == loaded);
  check_run(third, 3);
  REQUIRE_OK(sdaaProgramDestroy(third));
}

TEST_CASE("programs: a run finds zeros where its messages come, and nothing of an earlier run comes there") {
  const Fakes fakes(1, with_programs());
  const auto device = Runtime::get().current();
  Device::Lock lock = device->enter();
  Queue* queue = &device->program_queues().take();
  program::Record* const ring = queue->ring;
  ring->number = 1;
  device->program_queues().give_back(*queue, true);
  queue = &device->program_queues().take();
  CHECK(queue->ring == ring);
  CHECK(ring->number == 0);

  command::Event wait = {};
  wait.event = 1;
  wait.count = 1000;
  device->queue_writer(lock, *queue).send(command::Type::kEventWait, wait);
  device->program_queues().give_back(*queue, true);
  queue = &device->program_queues().take();
  CHECK(queue->ring != ring);
  CHECK(queue->ring->number == 0);
  // What it had under way still finds its own.
  CHECK(device->host_memory().find(ring, Queue::kRingBytes) != nullptr);
}
