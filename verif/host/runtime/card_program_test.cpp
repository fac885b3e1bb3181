// SPDX-License-Identifier: Apache-2.0
// Model programs on the simulated card: what they are for, and what they must not be able to do.
#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "abi/count.hpp"
#include "abi/program.hpp"
#include "card_regs.hpp"
#include "host/runtime/runtime.hpp"
#include "verif/host/runtime/bench/kernels.hpp"
#include "verif/host/runtime/kernels.hpp"
#include "verif/host/runtime/on_card.hpp"
#include "verif/host/runtime/programs/hostile.hpp"
#include "verif/host/runtime/programs/timed.hpp"
#include "verif/host/runtime/tested_program.hpp"
#include "verif/host/runtime/tools.hpp"

namespace {

using namespace swai;
using hostile::Deed;
using swai::sdaa::bits;
using swai::sdaa::global;
using swai::sdaa::kModule;
using swai::sdaa::OnCard;
using swai::sdaa::TestedProgram;

constexpr uint32_t kCount = 64;

program::Kernel kernel_of(sdaaFunction_t function) {
  sdaaProgramKernel_t kernel;
  REQUIRE_OK(sdaaProgramGetKernel(&kernel, function, nullptr));
  return std::bit_cast<program::Kernel>(kernel);
}

// Two rows of numbers and a kernel that adds one to the other.
struct Sum {
  Sum() {
    REQUIRE_OK(sdaaModuleLoad(&module, kModule));
    const std::vector<int32_t> ones(kCount, 1);
    for (void** row : {&x, &y}) {
      *row = swai::sdaa::allocate(kCount * sizeof(int32_t));
      REQUIRE_OK(sdaaMemcpy(*row, ones.data(), kCount * sizeof(int32_t), sdaaMemcpyHostToDevice));
    }
  }
  std::array<uint64_t, 5> arguments() const {
    const swai::sdaa::AxpyIntArgs args = {global<int32_t>(y), global<const int32_t>(x), kCount, 1};
    std::array<uint64_t, 5> words = {};
    std::memcpy(words.data(), &args, sizeof args);
    return words;
  }
  int32_t result() const {
    std::vector<int32_t> row(kCount);
    REQUIRE_OK(sdaaMemcpy(row.data(), y, kCount * sizeof(int32_t), sdaaMemcpyDeviceToHost));
    CHECK(std::ranges::count(row, row.front()) == kCount);
    return row.front();
  }
  sdaaModule_t module = nullptr;
  void* x = nullptr;
  void* y = nullptr;
};

hostile::Wish wish(Deed deed, uint64_t word = 0) { return {deed, 0, word, {}, {}}; }

// Cycles of the card that something takes, as the host sees it.
template <typename Action>
uint64_t cycles_of(Action action) {
  const auto device = swai::sdaa::Runtime::get().current();
  const auto now = [&] {
    const swai::sdaa::Device::Lock lock = device->enter();
    return device->connection().card().cycle();
  };
  const uint64_t before = now();
  action();
  return now() - before;
}

// So many launches, each waited for, and nothing between them.
uint64_t cycles_of_launches(const Sum& sum, unsigned times) {
  const auto words = sum.arguments();
  return cycles_of([&] {
    for (unsigned i = 0; i < times; ++i) {
      REQUIRE_OK(sdaaLaunchKernel(swai::sdaa::kernel(sum.module, "axpy_int"), words.data(), 0, nullptr));
      REQUIRE_OK(sdaaStreamSynchronize(nullptr));
    }
  });
}

// Somebody else's work goes on as if nothing had been.
void check_others(const Sum& sum) {
  const int32_t before = sum.result();
  const auto words = sum.arguments();
  for (unsigned i = 0; i < 3; ++i)
    REQUIRE_OK(sdaaLaunchKernel(swai::sdaa::kernel(sum.module, "axpy_int"), words.data(), 0, nullptr));
  REQUIRE_OK(sdaaDeviceSynchronize());
  CHECK(sum.result() == before + 3);
}

}  // namespace

TEST_CASE("on the card: a program launches a kernel some times and sends a number for each") {
  const OnCard card;
  const Sum sum;
  TestedProgram program("build/programs/count.elf");
  constexpr uint32_t kTimes = program::kRecords + 20;
  program.start(count::Wish{kernel_of(swai::sdaa::kernel(sum.module, "axpy_int")), sum.arguments(), kTimes});
  for (uint32_t i = 0; i < kTimes; ++i) REQUIRE(program.read<uint32_t>() == i);
  program.read_end();
  CHECK(program.code() == count::kAll);
  CHECK(sum.result() == 1 + int32_t{kTimes});

  // Once more, and nobody reads before the end.
  program.start(count::Wish{kernel_of(swai::sdaa::kernel(sum.module, "axpy_int")), sum.arguments(), kTimes});
  CHECK_ERROR(sdaaProgramStart(program, nullptr, 0), sdaaErrorIllegalState);
  CHECK(program.code() == count::kAll);
  CHECK(program.read<uint32_t>() == 0);
}

TEST_CASE("on the card: a program hands lines over, its kernel's argument is a word, and a line comes back") {
  namespace timed = swai::timed;
  const OnCard card;
  sdaaModule_t module = nullptr;
  REQUIRE_OK(sdaaModuleLoad(&module, "build/cpe-kernels/sdaa-bench.elf"));
  void* data = nullptr;
  REQUIRE_OK(sdaaMallocWithFlags(&data, timed::kLarge, sdaaMallocShared, sdaaAnyGroup));
  const auto& info = swai::sdaa::Runtime::get().current()->info();
  const swai::sdaa::SharesWord word(bits(data) + timed::kFirst, timed::kHandedOver, info.rows, info.columns);
  REQUIRE(word.pointer() == bits(data) + timed::kFirst);
  TestedProgram program("build/programs/timed.elf");
  program.start(timed::Wish{kernel_of(swai::sdaa::kernel(module, "idle")),
                            {},
                            kernel_of(swai::sdaa::kernel(module, "take_shares")),
                            word.word(),
                            word.beside().word(),
                            bits(data)});
  for (uint32_t i = 0; i < timed::kRounds; ++i) REQUIRE(program.read<uint32_t>() == i);
  const auto report = program.read<timed::Report>();
  CHECK(std::ranges::count(report.handover, 0U, &timed::Handover::cycles) == 0);
  CHECK(program.code() == 0);
  // What came back beside the processor is nothing for others.
  TestedProgram other("build/programs/hostile.elf");
  other.start(wish(Deed::kAnswers));
  CHECK(other.code() == 0);
  CHECK_OK(sdaaFree(data));
  CHECK_OK(sdaaModuleUnload(module));
}

TEST_CASE("on the card: a program is told words, wakes by them, and is cancelled") {
  const OnCard card;
  const Sum sum;
  TestedProgram program("build/programs/hostile.elf");
  program.start(wish(Deed::kEcho));
  for (uint64_t i = 1; i < 5; ++i) {
    REQUIRE_OK(sdaaProgramTell(program, program::kInput, i * i));
    CHECK(program.read<uint64_t>() == i * i);
  }
  check_others(sum);
  REQUIRE_OK(sdaaProgramCancel(program));
  CHECK(program.code() == 0);
  program.read_end();

  TestedProgram counter("build/programs/count.elf");
  counter.start(
      count::Wish{kernel_of(swai::sdaa::kernel(sum.module, "axpy_int")), sum.arguments(), 1'000'000});
  CHECK(counter.read<uint32_t>() == 0);
  REQUIRE_OK(sdaaProgramCancel(counter));
  CHECK(counter.code() == count::kCancelled);
}

TEST_CASE("on the card: what a program must not do ends it, with cause and pc, and nobody else") {
  const OnCard card;
  const Sum sum;
  TestedProgram program("build/programs/hostile.elf");
  constexpr uint64_t kKernel = 0x8000'0000, kPrivate = ~uint64_t{0} << 38, kNull = 0;
  struct Case {
    Deed deed;
    uint64_t word;
    sdaaError_t error;
  };
  for (const Case& one :
       std::vector<Case>{{Deed::kRecurse, 0, sdaaErrorIllegalAddress},
                         {Deed::kLoad, kNull, sdaaErrorIllegalAddress},
                         {Deed::kLoad, kKernel, sdaaErrorIllegalAddress},
                         {Deed::kLoad, kPrivate, sdaaErrorIllegalAddress},
                         {Deed::kLoad, regs::inbox::work::kAddr, sdaaErrorIllegalAddress},
                         {Deed::kLoad, program::kNotes + 4096, sdaaErrorIllegalAddress},
                         {Deed::kLoad, program::kData + program::kPageBytes, sdaaErrorIllegalAddress},
                         {Deed::kStore, program::kNotes, sdaaErrorIllegalAddress},
                         {Deed::kStore, program::kCode, sdaaErrorIllegalAddress},
                         {Deed::kStore, kPrivate, sdaaErrorIllegalAddress},
                         {Deed::kJump, program::kData, sdaaErrorIllegalAddress},
                         {Deed::kJump, kKernel, sdaaErrorIllegalAddress},
                         {Deed::kClean, kKernel, sdaaErrorIllegalAddress},
                         {Deed::kZero, program::kNotes, sdaaErrorIllegalAddress},
                         {Deed::kAnswers, 1, sdaaErrorIllegalAddress},
                         {Deed::kZero, program::kCode, sdaaErrorIllegalAddress},
                         {Deed::kZero, kKernel, sdaaErrorIllegalAddress},
                         {Deed::kPrivileged, 0, sdaaErrorLaunchFailure},
                         {Deed::kBreak, 0, sdaaErrorAssert}}) {
    CAPTURE(static_cast<int>(one.deed));
    CAPTURE(one.word);
    program.start(wish(one.deed, one.word));
    program.fails(one.error);
  }
  sdaaFaultRecord_t faults[64];
  unsigned count = 0;
  uint64_t position = 0, lost = 0;
  REQUIRE_OK(sdaaDeviceReadFaults(faults, 64, &count, &position, &lost, 0));
  REQUIRE(count > 0);
  const auto& last = faults[count - 1];
  CHECK(last.kind == sdaaFaultProgram);
  CHECK(std::string(last.causeText) == "breakpoint");
  CHECK(last.pc - program::kCode < program::kPageBytes);
  check_others(sum);
  program.start(wish(Deed::kReturn, 7));
  CHECK(program.code() == 7);
}

TEST_CASE("on the card: a call keeps what a function keeps, whatever that is, and the rest comes back as 0") {
  const OnCard card;
  const Sum sum;
  TestedProgram program("build/programs/hostile.elf");
  constexpr uint64_t kKernel = 0x8000'0000;
  for (const uint64_t hostile : {uint64_t{0}, kKernel, ~uint64_t{0}}) {
    CAPTURE(hostile);
    program.start(wish(Deed::kKeep, hostile));
    CHECK(program.code() == 0);
    program.start(wish(Deed::kKeepLong, hostile));
    check_others(sum);
    CHECK(program.code() == 0);
  }
  check_others(sum);
}

TEST_CASE(
    "on the card: a program that spins or calls on keeps nobody waiting, and ends when it is destroyed") {
  const OnCard card;
  const Sum sum;
  for (const Deed deed : {Deed::kSpin, Deed::kCallOn}) {
    CAPTURE(static_cast<int>(deed));
    TestedProgram program("build/programs/hostile.elf");
    program.start(wish(deed));
    check_others(sum);
    TestedProgram other("build/programs/hostile.elf");
    other.start(wish(Deed::kReturn, 3));
    CHECK(other.code() == 3);
    check_others(sum);
  }
  check_others(sum);
}

TEST_CASE("on the card: calls and commands with garbage, launches that fail, an early end") {
  const OnCard card;
  const Sum sum;
  TestedProgram program("build/programs/hostile.elf");
  // Some of the garbage fails the queue, which the code's owner hears.
  program.start(wish(Deed::kCall, 2000));
  static_cast<void>(sdaaProgramWait(program, nullptr));
  check_others(sum);

  auto one = wish(Deed::kLaunch);
  one.kernel = kernel_of(swai::sdaa::kernel(sum.module, "axpy_int"));
  one.words = sum.arguments();
  program.start(one);
  CHECK(program.code() == static_cast<uint32_t>(protocol::Status::kOk));
  one.words[0] += uint64_t{1} << 40;
  program.start(one);
  program.fails(sdaaErrorIllegalAddress);
  check_others(sum);
  one.kernel.words[0] ^= 63;  // another module
  program.start(one);
  program.fails(sdaaErrorInvalidHandle);

  one = wish(Deed::kExit);
  one.kernel = kernel_of(swai::sdaa::kernel(sum.module, "axpy_int"));
  one.words = sum.arguments();
  program.start(one);
  CHECK(program.code() == 5);
  check_others(sum);

  auto copy = wish(Deed::kSubmit, static_cast<uint64_t>(command::Type::kFill));
  copy.words = {bits(sum.y) + (uint64_t{1} << 40), 64, 1, 0, 0};
  program.start(copy);
  program.fails(sdaaErrorInvalidDevicePointer);
}

TEST_CASE("on the card: a program that floods its stream waits until the host has read") {
  const OnCard card;
  const Sum sum;
  void* counter = nullptr;
  uint64_t sent = 0;
  REQUIRE_OK(sdaaMallocWithFlags(&counter, 64, sdaaMallocShared, sdaaAnyGroup));
  REQUIRE_OK(sdaaMemcpy(counter, &sent, sizeof sent, sdaaMemcpyHostToDevice));
  const auto look = [&] { REQUIRE_OK(sdaaMemcpy(&sent, counter, sizeof sent, sdaaMemcpyDeviceToHost)); };
  TestedProgram program("build/programs/hostile.elf");
  program.start(wish(Deed::kFlood, bits(counter)));
  // The processor has nothing to do while the cores fill memory.
  constexpr unsigned kLooks = 2000;
  constexpr size_t kLarge = 4 << 20;
  void* large = swai::sdaa::allocate(kLarge);
  for (unsigned i = 0; i < kLooks && sent < program::kRecords; ++i) {
    REQUIRE_OK(sdaaMemset(large, 0, kLarge));
    look();
  }
  REQUIRE_OK(sdaaMemset(large, 0, kLarge));
  check_others(sum);
  look();
  CHECK(sent == program::kRecords);
  for (uint64_t i = 0; i < program::kRecords + 50; ++i) REQUIRE(program.read<uint64_t>() == i);
  check_others(sum);
  REQUIRE_OK(sdaaProgramCancel(program));
  CHECK(program.code() == 0);
  REQUIRE_OK(sdaaFree(counter));
  REQUIRE_OK(sdaaFree(large));
}

TEST_CASE(
    "on the card: hosts that never pause leave a program time, and wait no longer than twice as usual") {
  const OnCard card;
  const Sum sum;
  constexpr unsigned kLaunches = 200;
  const uint64_t usual = cycles_of_launches(sum, kLaunches);
  for (const Deed deed : {Deed::kSpin, Deed::kCallOn}) {
    CAPTURE(static_cast<int>(deed));
    TestedProgram spins("build/programs/hostile.elf");
    spins.start(wish(deed));
    const uint64_t beside = cycles_of_launches(sum, kLaunches);
    CAPTURE(usual);
    CAPTURE(beside);
    CHECK(beside <= 2 * usual);
  }

  void* counter = nullptr;
  uint64_t sent = 0;
  REQUIRE_OK(sdaaMallocWithFlags(&counter, 64, sdaaMallocShared, sdaaAnyGroup));
  REQUIRE_OK(sdaaMemcpy(counter, &sent, sizeof sent, sdaaMemcpyHostToDevice));
  const auto look = [&] { REQUIRE_OK(sdaaMemcpy(&sent, counter, sizeof sent, sdaaMemcpyDeviceToHost)); };
  TestedProgram program("build/programs/hostile.elf");
  program.start(wish(Deed::kFlood, bits(counter)));
  // One that polls.
  constexpr uint64_t kEnough = 50, kLooks = 1000;
  for (unsigned i = 0; i < kLooks && sent < kEnough; ++i) look();
  CHECK(sent >= kEnough);
  // One that has always something to launch.
  const uint64_t before = sent;
  const auto words = sum.arguments();
  for (unsigned i = 0; i < 6 * kLaunches; ++i)
    REQUIRE_OK(sdaaLaunchKernel(swai::sdaa::kernel(sum.module, "axpy_int"), words.data(), 0, nullptr));
  REQUIRE_OK(sdaaDeviceSynchronize());
  look();
  CHECK(sent >= before + 10);
  REQUIRE_OK(sdaaProgramCancel(program));
  CHECK(program.code() == 0);
  REQUIRE_OK(sdaaFree(counter));
}

TEST_CASE(
    "on the card: a program sees memory of its client that the processor reaches, until that is freed") {
  const OnCard card;
  TestedProgram program("build/programs/hostile.elf");
  void* shared = nullptr;
  void* cores = nullptr;
  REQUIRE_OK(sdaaMallocWithFlags(&shared, 4096, sdaaMallocShared, sdaaAnyGroup));
  REQUIRE_OK(sdaaMallocWithFlags(&cores, 4096, sdaaMallocCores, sdaaAnyGroup));
  const uint64_t number = 42;
  REQUIRE_OK(sdaaMemcpy(swai::sdaa::beyond(shared, 64), &number, sizeof number, sdaaMemcpyHostToDevice));
  program.start(wish(Deed::kShow, bits(shared) + 64));
  CHECK(program.code() == 42);
  program.start(wish(Deed::kShow, bits(cores)));
  CHECK(program.code() == ~uint32_t{0});
  REQUIRE_OK(sdaaFree(shared));
  program.start(wish(Deed::kShow, uint64_t{1} << 48));
  CHECK(program.code() == ~uint32_t{0});
  REQUIRE_OK(sdaaFree(cores));
}
