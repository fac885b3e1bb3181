// SPDX-License-Identifier: Apache-2.0
// Tests of the scalar core: random programs and instructions in lockstep with the model; what each fault
// records; what instructions cost; sleep.
#include <fmt/format.h>

#include <cstring>
#include <memory>

#include "verif/rtl/cpe/core/core_bench.hpp"
#include "verif/rtl/cpe/core/program.hpp"
#include "verif/rtl/lib/test_main.hpp"

namespace swai::cpe {
namespace {

using verif::check;

constexpr uint32_t kCode = 0x5000'0000;

// kMostCycles: at least twice the mean of an instruction in random programs. kInvalidations: the highest rate
// at which code is declared invalid, in 1,000 cycles. A line that comes during an invalidation is asked for
// again; the small core waits for up to 100 cycles for each, and at a higher rate hardly gets one.
#ifdef SMALL_CORE
constexpr uint64_t kMostCycles = 10;
constexpr unsigned kInvalidations = 8;
#else
constexpr uint64_t kMostCycles = 4;
constexpr unsigned kInvalidations = 50;
#endif

// A few instructions at kCode; the line behind is not there.
CodeLine code(std::vector<uint32_t> words) {
  return [words = std::move(words)](uint32_t address, uint8_t* bytes) {
    if (address < kCode || address - kCode >= words.size() * 4) return Cause::kLimit;
    std::memset(bytes, 0, 64);
    std::memcpy(bytes, &words[(address - kCode) / 4],
                std::min<size_t>(64, words.size() * 4 - (address - kCode)));
    return Cause::kNone;
  };
}

void random_test(uint64_t seed, uint64_t cycles) {
  CoreBench bench(seed);
  auto& random = bench.random();
  uint64_t programs = 0;
  uint64_t halts = 0;
  while (bench.cycle() < cycles) {
    auto program = std::make_shared<Program>(
        random,
        static_cast<unsigned>(random.chance(20) ? random.between(1500, 5000) : random.between(10, 400)));
    bench.disturb(
        random.chance(50) ? 0 : static_cast<unsigned>(random.below(kInvalidations)),
        random.chance(50) ? std::function<void(uint32_t)>{} : [program](uint32_t pc) { program->patch(pc); });
    bench.restart(program->start(),
                  [program](uint32_t address, uint8_t* bytes) { return program->line(address, bytes); });
    ++programs;
    if (random.chance(30)) {
      ++halts;
      bench.steps(random.below(random.chance(50) ? 300 : 5000));
      if (random.chance(80)) bench.halt();
      bench.resynchronise();  // the reset may come in the midst of something
    } else {
      bench.run_to_fault();
    }
  }
  fmt::print("{} programs ({} cut short), {} instructions in {} cycles, {} of them asleep\n", programs, halts,
             bench.instructions(), bench.cycle(), bench.slept());
  check(bench.instructions() >= cycles / kMostCycles, "hardly anything was run in all these cycles");
}

// All registers, with values that are addresses as often as not.
void set_registers(CoreBench& bench) {
  auto& random = bench.random();
  std::vector<uint32_t> words;
  for (uint32_t rd = 1; rd < 32; ++rd) {
    const auto value = random.chance(50) ? static_cast<uint32_t>(random.number())
                                         : 0x1000'0000 + static_cast<uint32_t>(random.below(0x20000) & ~3U);
    words.push_back(((value + 0x800) & 0xffff'f000) | rd << 7 | 0x37);
    words.push_back((value & 0xfff) << 20 | rd << 15 | rd << 7 | 0x13);
  }
  words.push_back(0x0010'0073);
  bench.restart(kCode, code(words));
  bench.run_to_fault();
}

void try_words(CoreBench& bench, std::vector<uint32_t> words) {
  bench.restart(kCode, code(std::move(words)));
  for (unsigned i = 0; i < 1000 && !bench.faulted(); ++i) bench.step();
  if (bench.faulted()) {
    bench.run_to_fault();
  } else {
    bench.halt();  // a jump to itself
  }
}

// Single instructions of any bits, then a breakpoint: what is legal, what each does, and jumps to anywhere.
void words_test(uint64_t seed, uint64_t cycles) {
  static constexpr std::array<uint8_t, 14> kCodes{0x03, 0x0b, 0x0f, 0x13, 0x13, 0x17, 0x23,
                                                  0x2b, 0x33, 0x33, 0x63, 0x67, 0x6f, 0x73};
  CoreBench bench(seed);
  auto& random = bench.random();
  uint64_t count = 0;
  set_registers(bench);
  while (bench.cycle() < cycles) {
    auto word = static_cast<uint32_t>(random.next());
    if (random.chance(70)) word = (word & ~0x7fU) | kCodes[random.below(kCodes.size())];
    if ((word & 0x77) == 0x33 || ((word & 0x7f) == 0x13 && (word & 0x3000) == 0x1000)) {
      if (random.chance(90)) word &= 0x43ff'ffff;
    }
    if ((word & 0x7f) == 0x73 && random.chance(70))
      word = (word & 0x000f'ffff) |
             static_cast<uint32_t>(std::array<uint32_t, 7>{isa::csr::kWindowLow, isa::csr::kWindowHigh,
                                                           isa::csr::kMcycle, isa::csr::kMcycleh,
                                                           isa::csr::kCycle, isa::csr::kMhartid & ~0xfU,
                                                           isa::csr::kCpeConfig}[random.below(7)] +
                                   random.below(16))
                 << 20;
    try_words(bench, {word, 0x0010'0073, 0x0010'0073});
    ++count;
  }
  fmt::print("{} instructions tried\n", count);
  check(count >= cycles / 100, "hardly any instruction was tried in all these cycles");
}

// Every compressed instruction.
void compressed_test(uint64_t seed, uint64_t /*cycles*/) {
  CoreBench bench(seed);
  bench.calm();
  set_registers(bench);
  uint64_t count = 0;
  for (uint32_t word = 0; word < 0x10000; ++word) {
    if ((word & 3) == 3) continue;
    ++count;
    try_words(bench, {word | 0x9002'0000, 0x9002'9002, 0x9002'9002});
  }
  fmt::print("{} instructions tried\n", count);
  check(count == 49'152, "not every compressed instruction was tried");
}

void faults_test(uint64_t seed, uint64_t /*cycles*/) {
  struct Case {
    const char* name;
    std::vector<uint32_t>
        words;    // x5 = 0x10000000, x6 = 0x80000000, x7 = 0x10020000, x28 = 0x8f100010, x29 = 0x3000
    Fault fault;  // pc counts from kCode
  };
  static const std::vector<Case> kCases{
      {"zeros", {0x0000'0000}, {Cause::kIllegal, Access::kNone, false, 0, 0xffff, 0}},
      {"ones", {0xffff'ffff}, {Cause::kIllegal, Access::kNone, false, 0, 0xffff, 0}},
      {"fence.i", {0x0000'100f}, {Cause::kIllegal, Access::kNone, false, 0, 0xffff, 0}},
      {"mret", {0x3020'0073}, {Cause::kIllegal, Access::kNone, false, 0, 0xffff, 0}},
      {"wfi", {0x1050'0073}, {Cause::kIllegal, Access::kNone, false, 0, 0xffff, 0}},
      {"amo", {0x0002'a02f}, {Cause::kIllegal, Access::kNone, false, 0, 0xffff, 0}},
      {"flw", {0x0002'a007}, {Cause::kIllegal, Access::kNone, false, 0, 0xffff, 0}},
      {"csrr mstatus", {0x3000'2073}, {Cause::kIllegal, Access::kNone, false, 0, 0xffff, 0}},
      {"csrw mcycle", {0xb000'1073}, {Cause::kIllegal, Access::kNone, false, 0, 0xffff, 0}},
      {"csrw cpe_config", {0xfc00'1073}, {Cause::kIllegal, Access::kNone, false, 0, 0xffff, 0}},
      {"ebreak", {0x0000'0013, 0x0010'0073}, {Cause::kBreakpoint, Access::kNone, false, 4, 0xffff, 0}},
      {"ecall", {0x0000'0073}, {Cause::kBreakpoint, Access::kNone, false, 0, 0xffff, 0}},
      {"lw misaligned", {0x0022'a003}, {Cause::kMisaligned, Access::kRead, false, 0, 0xffff, 0x1000'0002}},
      {"lh misaligned", {0x0033'1003}, {Cause::kMisaligned, Access::kRead, false, 0, 0xffff, 0x8000'0003}},
      {"sw misaligned", {0x0053'a0a3}, {Cause::kMisaligned, Access::kWrite, false, 0, 0xffff, 0x1002'0001}},
      {"sh misaligned", {0x0052'90a3}, {Cause::kMisaligned, Access::kWrite, false, 0, 0xffff, 0x1000'0001}},
      {"lb beyond local memory",
       {0x0003'8003},
       {Cause::kVacant, Access::kRead, false, 0, 0xffff, 0x1002'0000}},
      {"lb before local memory",
       {0xfff2'8003},
       {Cause::kVacant, Access::kRead, false, 0, 0xffff, 0x0fff'ffff}},
      {"sw vacant", {0x005e'a023}, {Cause::kVacant, Access::kWrite, false, 0, 0xffff, 0x3000}},
      {"lw refused", {0x000e'2003}, {Cause::kLimit, Access::kRead, false, 0, 0x0008, 0x0f10'0010}},
      {"sb refused",
       {0x0050'0023 | 28 << 15},
       {Cause::kLimit, Access::kWrite, false, 0, 0x0008, 0x0f10'0010}},
      {"command", {0xfe00'000b}, {Cause::kCommand, Access::kNone, false, 0, 0xffff, 0}},
      {"jump to local memory",
       {0x0082'8067},
       {Cause::kVacant, Access::kFetch, false, 0x1000'0008 - kCode, 0xffff, 0x1000'0008}},
      {"jump to the window",
       {0x0003'0067},
       {Cause::kVacant, Access::kFetch, false, 0x8000'0000 - kCode, 0xffff, 0x8000'0000}},
      {"jump beyond the code",
       {0x4000'006f},
       {Cause::kLimit, Access::kFetch, false, 0x400, 0xffff, 0x5000'0428}},
  };
  for (const bool calm : {true, false}) {
    CoreBench bench(seed);
    if (calm) bench.calm();
    for (const Case& test : kCases) {
      // Ten words that set the registers.
      std::vector<uint32_t> words{0x1000'02b7, 0x8000'0337, 0x1002'03b7, 0x8f10'0e37, 0x010e'0e13,
                                  0x0000'3eb7, 0x0000'0013, 0x0000'0013, 0x0000'0013, 0x0000'0013};
      const auto start = static_cast<uint32_t>(4 * words.size());
      words.insert(words.end(), test.words.begin(), test.words.end());
      words.resize(32, 0x0000'0013);
      bench.restart(kCode, code(words));
      Fault expected = test.fault;
      expected.pc += kCode;
      if (expected.access != Access::kFetch || expected.cause == Cause::kLimit) expected.pc += start;
      const Fault fault = bench.run_to_fault(2000);
      check(fault == expected,
            fmt::format("{}: cause {} access {} pc {:08x} segment {:04x} offset {:012x}", test.name,
                        static_cast<unsigned>(fault.cause), static_cast<unsigned>(fault.access), fault.pc,
                        fault.segment, fault.offset));
    }
    // An instruction whose second half lies in a line that is not there: the record names that half.
    std::vector<uint32_t> words(16, 0x0000'0013);
    words[15] = 0x0003'0001;
    bench.restart(kCode, code(words));
    check(bench.run_to_fault(2000) ==
              Fault{Cause::kLimit, Access::kFetch, false, kCode + 62, 0xffff, kCode + 64},
          "half an instruction");
  }
}

// Halts at any time: in the midst of accesses, divisions, commands, misses, and of a fault.
void halt_test(uint64_t seed, uint64_t /*cycles*/) {
  CoreBench bench(seed);
  auto& random = bench.random();
  for (unsigned round = 0; round < 1500; ++round) {
    // lui x6, 0x80000; lui x5, 0x10000; sw x5, 0(x6); lw x7, 4(x6); div x7, x5, x6; custom-0 x7; sw x7,
    // 8(x5); sw x7, 8(x6); lw x7, 8(x5); beqz x7, +8; jal x0, +0x100; lh x0, 2(x0) and so on: what is not
    // there reads as ebreak.
    std::vector<uint32_t> words{0x8000'0337, 0x1000'02b7, 0x0053'2023, 0x0043'2383, 0x0262'c3b3, 0x0062'838b,
                                0x0072'a423, 0x0073'2423, 0x0082'a383, 0x0003'8463, 0x0f00'006f, 0x0000'1003};
    words.resize(80, 0x0010'0073);
    words[70] = 0x0000'2183;  // lw x3, 0(x0): vacant
    bench.restart(kCode, code(words));
    bench.steps(random.below(100));
    bench.halt();
  }
}

// What instructions cost, from the cache, when nobody stalls.
void timing_test(uint64_t seed, uint64_t /*cycles*/) {
  CoreBench bench(seed);
  bench.calm();
  // The second of two rounds (x5 counts) is measured, by mcycle before and after.
  const auto cost = [&](const char* name, std::vector<uint32_t> body, uint32_t expected) {
    std::vector<uint32_t> words{0x1000'0337, 0x0020'0293, 0x0020'0393,
                                0xb000'2e73};  // lui x6; li x5, 2; li x7, 2; csrr x28, mcycle
    words.insert(words.end(), body.begin(), body.end());
    words.push_back(0xb000'2ef3);  // csrr x29, mcycle
    words.push_back(0xfff2'8293);  // addi x5, x5, -1
    const auto back = static_cast<uint32_t>(-4 * static_cast<int>(words.size() - 3));
    words.push_back((back >> 12 & 1) << 31 | (back >> 5 & 0x3f) << 25 | 5 << 15 | 1 << 12 |
                    (back >> 1 & 0xf) << 8 | (back >> 11 & 1) << 7 | 0x63);
    words.push_back(0x0010'0073);
    words.resize(words.size() + 16, 0x0000'0013);
    bench.restart(kCode, code(words));
    bench.run_to_fault();
    const uint32_t cycles = bench.hart().x(29) - bench.hart().x(28) - 1;
    fmt::print("  {:32} {}\n", name, cycles);
    check(cycles == expected, fmt::format("{}: {} cycles, not {}", name, cycles, expected));
  };
  cost("nothing", {}, 0);
  cost("addi", {0x0000'0013}, 1);
  cost("two dependent", {0x0013'0f93, 0x001f'8f93}, 2);
  cost("two compressed", {0x0001'0001}, 2);
  cost("mul", {0x0262'8fb3}, 1);
  cost("load, then another", {0x0003'2f83, 0x0000'0013}, 2);
  cost("load and use", {0x0003'2f83, 0x001f'8f93}, 3);
  cost("load, another, use", {0x0003'2f83, 0x0000'0013, 0x001f'8f93}, 3);
  cost("store", {0x0053'2023}, 1);
  cost("store and load", {0x0053'2023, 0x0003'2f83}, 2);
  cost("branch not taken", {0x0000'1463, 0x0000'0013}, 2);
  cost("branch taken", {0x0000'0463, 0x0000'0013}, 2);
  cost("jump", {0x0080'006f, 0x0000'0013}, 2);
  cost("jump to half a word", {0x0060'006f, 0x0001'0001}, 3);
  cost("command", {0x0000'000b}, 1);
  cost("two commands", {0x0000'000b, 0x0000'100b}, 2);
  cost("0 / 1", {0x0250'5fb3}, 3);
  cost("window load", {0x8000'0f37, 0x000f'2f83}, 3);
  // A plain loop: load, three of arithmetic, store, branch.
  bench.restart(
      kCode, code({0x1000'0337, 0x3e80'0293, 0x0003'2f83, 0x0043'0313, 0xfff2'8293, 0x005f'8fb3, 0xfff3'2e23,
                   0xfe02'96e3, 0x0010'0073, 0x13, 0x13, 0x13, 0x13, 0x13, 0x13, 0x13}));
  bench.run_to_fault();
  const double ipc = static_cast<double>(bench.read_counter(1)) / bench.read_counter(0);
  fmt::print("  instructions per cycle of a plain loop {:.3f}\n", ipc);
  check(ipc >= 0.7, "a plain loop is slow");
}

// Two lines of a set stay, and a third one takes the place of the older: rounds through jumps 8 KiB apart.
void cache_test(uint64_t seed, uint64_t /*cycles*/) {
  for (const unsigned lines : {1U, 2U, 3U}) {
    CoreBench bench(seed);
    bench.calm();
    bench.here = [](uint32_t) { return false; };
    const uint32_t last = kCode + 0x2000 * (lines - 1);
    bench.restart(kCode - 8, [&](uint32_t address, uint8_t* bytes) {
      // addi x5, x0, 100 at the beginning; everywhere a jump onwards, at last a branch back while x5 counts
      // down.
      std::array<uint32_t, 16> words{};
      if (address == kCode - 64) {
        words[14] = 0x0640'0293;
        words[15] = 0x0040'006f;
      } else if (address == last) {
        const auto back = kCode - last - 8;
        words = {0xfff2'8293, 0x0002'8463};  // addi x5, x5, -1; beqz x5, +8
        words[2] = (back >> 20 & 1) << 31 | (back >> 1 & 0x3ff) << 21 | (back >> 11 & 1) << 20 |
                   (back >> 12 & 0xff) << 12 | 0x6f;
        words[3] = 0x0010'0073;
      } else {
        words[0] = 0x0000'206f;  // jal x0, 0x2000
      }
      std::memcpy(bytes, words.data(), 64);
      return Cause::kNone;
    });
    bench.run_to_fault();
    fmt::print("  {} lines of a set: {} fetches\n", lines, bench.fetches());
    check(bench.fetches() == (lines == 3 ? 3 * 100 + 1 : lines + 1), "fetches");
  }
}

// Straight code asks for each line while it runs the one before. What is asked for ahead is neither waited
// for nor a fault, and when it is not at hand, or the line is in the cache, everything is as without.
void ahead_test(uint64_t seed, uint64_t /*cycles*/) {
  constexpr unsigned kLines = 20;
  struct Case {
    const char* name;
    bool at_hand;
    uint64_t fetches, ahead;
  };
  // The line behind the last one is asked for, too, and is not there.
  for (const Case& test : {Case{"at hand", true, 1, kLines}, Case{"not at hand", false, kLines, kLines}}) {
    CoreBench bench(seed);
    bench.calm();
    bench.here = [&](uint32_t) { return test.at_hand; };
    // Twice: li x5, 2 at the beginning; addi x5, x5, -1; bnez x5, to what is behind li.
    std::vector<uint32_t> words(16 * kLines, 0x0000'0013);
    words[0] = 0x0020'0293;
    words[words.size() - 6] = 0xfff2'8293;
    words[words.size() - 5] = 0x0002'8463;
    const auto back = static_cast<uint32_t>(-4 * static_cast<int>(words.size() - 5));
    words[words.size() - 4] = (back >> 20 & 1) << 31 | (back >> 1 & 0x3ff) << 21 | (back >> 11 & 1) << 20 |
                              (back >> 12 & 0xff) << 12 | 0x6f;
    words[words.size() - 3] = 0x0010'0073;
    bench.restart(kCode, code(words));
    bench.run_to_fault();
    const auto waited = bench.read_counter(2);
    fmt::print("  lines {}: {} waited for, {} asked for ahead, {} cycles of waiting\n", test.name,
               bench.fetches(), bench.asked_ahead(), waited);
    check(bench.fetches() == test.fetches && bench.asked_ahead() == test.ahead, "lines");
    check(waited <= 10 + 3 * test.fetches, "cycles of waiting");
  }
}

// A line that comes when its instructions are not wanted any more: a branch at the end of a line waits for
// its operand while the next line is on its way.
void late_line_test(uint64_t seed, uint64_t /*cycles*/) {
  CoreBench bench(seed);
  auto& random = bench.random();
  for (unsigned round = 0; round < 500; ++round) {
    // lui x5, 0x10000; ... lw x6, 0(x5); beq x6, x6, onwards to the middle of a later line, where addi x7,
    // x7, 1 waits.
    std::vector<uint32_t> words(64, 0x0010'0073);
    for (unsigned i = 0; i < 14; ++i) words[i] = 0x0000'0013;
    words[0] = 0x1000'02b7;
    words[1] = 0x0000'0393;
    words[14] = 0x0002'a303;
    const auto target = static_cast<uint32_t>(random.between(32, 60));
    const uint32_t offset = (target - 15) * 4;
    words[15] = (offset >> 5 & 0x3f) << 25 | 6 << 20 | 6 << 15 | (offset >> 1 & 0xf) << 8 | 0x63;
    words[target] = 0x0013'8393;
    bench.disturb(static_cast<unsigned>(random.below(30)), {});
    bench.restart(kCode, code(words));
    bench.run_to_fault(2000);
    check(bench.hart().x(7) == 1, "the target was not reached");
  }
}

// A core that waits says so, sleeps, and goes on as if nothing had been.
void sleep_test(uint64_t seed, uint64_t /*cycles*/) {
  CoreBench bench(seed);
  auto& random = bench.random();
  for (unsigned round = 0; round < 200; ++round) {
    // Longer than the prefetched line takes to arrive: the core does not sleep before that.
    const uint64_t wait = 150 + random.below(500);
    bench.delay = [wait](const Command& command) { return command.op == 3 ? wait : 0; };
    bench.restart(kCode, code({0x0600'050b, 0x0015'0513, 0x0010'0073, 0x13, 0x13, 0x13, 0x13, 0x13, 0x13,
                               0x13, 0x13, 0x13, 0x13, 0x13, 0x13, 0x13}));
    if (random.chance(30)) {
      bench.steps(random.below(wait));
      bench.halt();
      continue;
    }
    const uint64_t before = bench.slept();
    bench.run_to_fault();
    check(bench.slept() > before, fmt::format("it did not sleep in {} cycles", wait));
    check(bench.read_counter(5) + bench.slept() - before == wait, "cycles of waiting");
  }
}

}  // namespace
}  // namespace swai::cpe

int main(int argc, char** argv) {
  return swai::verif::test_main(argc, argv,
                                {{"random", swai::cpe::random_test},
                                 {"words", swai::cpe::words_test},
                                 {"compressed", swai::cpe::compressed_test},
                                 {"faults", swai::cpe::faults_test},
                                 {"timing", swai::cpe::timing_test},
                                 {"cache", swai::cpe::cache_test},
                                 {"ahead", swai::cpe::ahead_test},
                                 {"halt", swai::cpe::halt_test},
                                 {"late-line", swai::cpe::late_line_test},
                                 {"sleep", swai::cpe::sleep_test}});
}
