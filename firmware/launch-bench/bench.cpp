// SPDX-License-Identifier: Apache-2.0
#include "firmware/launch-bench/bench.hpp"

#include <algorithm>
#include <bit>

#include "abi/group/classic.hpp"
#include "abi/group/load.hpp"
#include "abi/kernel_arguments.hpp"
#include "firmware/common/mmio.hpp"
#include "firmware/launch-bench/console.hpp"

namespace swai::launch_bench {
namespace {

using cpe::GlobalPtr;

constexpr unsigned kGroup = 0;
// The group's bits of inbox.work: a launch has ended, a CPE has faulted.
constexpr uint64_t kEnded = regs::inbox::work::kGroups.put(1U << kGroup);
constexpr uint64_t kFaulted = regs::inbox::work::kFaults.put(1U << (5 + kGroup));

// No step takes longer unless something is wrong.
constexpr uint64_t kLimit = 10'000'000;
constexpr uint32_t kWatchdog = 8'000'000;
constexpr size_t kSamples = 36;  // as many of each phase of the processor's looking
constexpr size_t kColdSamples = 9;
constexpr uint32_t kChain = 100;

constexpr uint32_t kArgumentPointer = launch::kArgumentWindow;

bool is_told(uint64_t work) { return (fw::read_reg(regs::inbox::work::kAddr) & work) != 0; }

// Word i of the data that the kernels move.
constexpr uint64_t pattern(uint64_t i) { return i * 0x9e37'79b9'7f4a'7c15 + 1; }

void fill_pattern(uint64_t address, uint64_t bytes) {
  auto* words = reinterpret_cast<uint64_t*>(address);
  for (uint64_t i = 0; i < bytes / sizeof(uint64_t); ++i) words[i] = pattern(i);
  group::DirectMachine::publish(address, bytes);
}

// Words from `first` on that are not the pattern's. The lines are not in the cache: publish() has dropped
// them, and nobody has looked at them since.
uint64_t wrong_words(uint64_t address, uint64_t bytes, uint64_t first) {
  group::DirectMachine::publish(address, bytes);
  const auto* words = reinterpret_cast<const uint64_t*>(address);
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < bytes / sizeof(uint64_t); ++i) wrong += words[i] != pattern(first + i);
  return wrong;
}

// Makes the lines unlike the pattern, and drops them from the cache.
void spoil(uint64_t address, uint64_t bytes) {
  group::DirectMachine::zero(address, bytes);
  group::DirectMachine::publish(address, bytes);
}

using Group = group::Group<group::DirectMachine>;

// What goes into registers before the clock is read.
[[gnu::always_inline]] inline void settle(Group::Doorbell& doorbell) {
  asm volatile("" : "+r"(doorbell.address), "+r"(doorbell.word));
}

// The processor looks every six cycles whether a launch has ended. Figures shall not depend on how that falls
// together with the launch: the first look comes 0 to 5 cycles later, in turn.
constexpr unsigned kPollCycles = 6;

// Aligned, so that figures do not depend on what else is in the program.
template <unsigned kDelay>
[[gnu::noinline, gnu::aligned(64)]] uint32_t one_launch(Group& group, uint32_t pc, uint32_t argument) {
  Group::Doorbell doorbell = group.compose(pc, argument);
  settle(doorbell);
  const uint64_t begin = group::DirectMachine::cycles();
  const uint32_t number = group.ring(doorbell);
  asm volatile(".rept %0\n nop\n .endr" : : "i"(kDelay) : "memory");
  group.wait_ended(number);
  return static_cast<uint32_t>(group::DirectMachine::cycles() - begin);
}

uint32_t one_launch(unsigned turn, Group& group, uint32_t pc, uint32_t argument) {
  switch (turn % kPollCycles) {
    case 0:
      return one_launch<0>(group, pc, argument);
    case 1:
      return one_launch<1>(group, pc, argument);
    case 2:
      return one_launch<2>(group, pc, argument);
    case 3:
      return one_launch<3>(group, pc, argument);
    case 4:
      return one_launch<4>(group, pc, argument);
    default:
      return one_launch<5>(group, pc, argument);
  }
}

[[gnu::noinline, gnu::aligned(64)]] uint32_t many_launches(Group& group, uint32_t pc, uint32_t argument,
                                                           uint32_t count) {
  Group::Doorbell doorbell = group.compose(pc, argument);
  settle(doorbell);
  const uint64_t begin = group::DirectMachine::cycles();
  for (uint32_t left = count; left != 0;) {
    for (uint32_t room = std::min(group.room(), left); room != 0; --room, --left) group.ring(doorbell);
  }
  group.wait_ended(group.number());
  return static_cast<uint32_t>(group::DirectMachine::cycles() - begin);
}

void add_run(JsonLine& line, uint32_t cycles, bool ended, bool failed) {
  line.add("cycles", cycles)
      .add("ended", static_cast<uint64_t>(ended))
      .add("failed", static_cast<uint64_t>(failed));
}

}  // namespace

Bench::Bench() : group_(machine_, kGroup) {}

bool Bench::init() {
  for (unsigned i = 0; i < kPrograms; ++i) {
    const auto program = static_cast<Program>(i);
    const module::Verdict verdict = modules_[i].open(
        file_of(program), program == kDaemon ? module::Space::kDaemon : module::Space::kKernel);
    if (!verdict.ok()) {
      JsonLine("error").add("module", i).add("reason", module::text(verdict.error));
      return false;
    }
  }
  machine_.zero(kTable, kTableEntries * sizeof(uint64_t));
  machine_.publish(kTable, kTableEntries * sizeof(uint64_t));
  group_.use_segments(kTable, kTableEntries);
  group_.set_segment(kArgumentSegment, {kArguments, segment::kGranuleBytes, segment::kRead});
  group_.set_segment(kHandoverSegment, {kHandover, kHandoverBytes, segment::kRead});
  group_.set_segment(kDataSegment, {kData, kDataBytes, segment::kRead | segment::kWrite});
  for (unsigned i = 0; i < kPrograms; ++i) {
    const auto program = static_cast<Program>(i);
    group_.set_segment(segment_of(program), group::load_code(machine_, modules_[i], code_of(program)));
  }
  group_.forget(Group::kSegments | Group::kCode);
  group_.set_watchdog(kWatchdog);
  // To wake from wfi, as the console does.
  namespace irq = regs::irq;
  fw::write_reg(irq::enable_m::kAddr, fw::read_reg(irq::enable_m::kAddr) | irq::pending::kInbox.mask());
  fw::write_reg(regs::inbox::enable::kAddr, kEnded);
  group_.use_daemon(segment_of(kDaemon), pc_of(kDaemon, "daemon"));

  const uint64_t begin = machine_.cycles();
  group_.enable(group_.all());
  const bool ready = group_.wait_ready(group_.all(), kLimit);
  const uint64_t cycles = machine_.cycles() - begin;
  JsonLine("cpes")
      .add("rows", group_.rows())
      .add("columns", group_.columns())
      .add("start_cycles", cycles)
      .add("ready", ready);
  if (group_.cpes() == 0 || !ready) return false;
  use_mask(group_.all());
  return true;
}

uint32_t Bench::pc_of(Program program, std::string_view kernel) {
  const auto found = modules_[program].find(kernel);
  return found ? found->pc : 0;
}

void Bench::prepare(Program program, bool notify) {
  group_.prepare({.mask = mask_,
                  .code_segment = segment_of(program),
                  .argument_segment = kArgumentSegment,
                  .notify = notify});
}

void Bench::launch_empty() {
  const uint32_t pc = pc_of(kEmpty, "empty");
  prepare(kEmpty);
  // With the CPEs' clocks off: that is how a launch finds them when there is nothing to do.
  const auto sample_asleep = [&](unsigned turn) {
    const auto all_sleep = [&] { return (group_.asleep() & mask_) == mask_ && group_.running() == 0; };
    if (!group_.wait(all_sleep, kLimit)) JsonLine("error").add("reason", "CPEs do not sleep");
    return one_launch(turn, group_, pc, 0);
  };
  const uint32_t first = sample_asleep(0);
  // Each of the loops has to be in the processor's cache.
  for (unsigned turn = 1; turn < kPollCycles; ++turn) sample_asleep(turn);
  std::array<uint32_t, kSamples> samples;
  for (unsigned i = 0; i < kSamples; ++i) samples[i] = sample_asleep(i);
  const uint32_t warm_run = group_.result(group_.number()).cycles;
  // The processor's code is warm now, that of the CPEs is not. Memory is faster or slower as its refreshes
  // fall.
  struct Cold {
    uint32_t cycles;
    uint32_t run;
  };
  std::array<Cold, kColdSamples> colds;
  for (Cold& cold : colds) {
    group_.forget(Group::kSegments | Group::kCode);
    cold.cycles = sample_asleep(0);
    cold.run = group_.result(group_.number()).cycles;
  }
  std::sort(samples.begin(), samples.end());
  std::sort(colds.begin(), colds.end(), [](const Cold& a, const Cold& b) { return a.cycles < b.cycles; });
  JsonLine("launch_empty")
      .add("cpes", static_cast<uint64_t>(std::popcount(mask_)))
      .add("median", samples[kSamples / 2])
      .add("min", samples.front())
      .add("max", samples.back())
      .add("first", first)
      .add("cold", colds[kColdSamples / 2].cycles)
      .add("cold_max", colds.back().cycles)
      .add("run_cycles", warm_run)
      .add("cold_run_cycles", colds[kColdSamples / 2].run);
  report_faults();
}

void Bench::launch_chain() {
  const uint32_t pc = pc_of(kEmpty, "empty");
  prepare(kEmpty);
  many_launches(group_, pc, 0, 16);
  // The card's timer as a witness: it counts even if the processor's clock should stand.
  const uint64_t begin = machine_.read(regs::timer::mtime::kAddr);
  const uint32_t cycles = many_launches(group_, pc, 0, kChain);
  const uint64_t timer_cycles = machine_.read(regs::timer::mtime::kAddr) - begin;
  const auto last = group_.result(group_.number());
  JsonLine("launch_chain")
      .add("launches", kChain)
      .add("cycles", cycles)
      .add("timer_cycles", timer_cycles)
      .add("cycles_per_launch_x100", uint64_t{cycles} * 100 / kChain)
      .add("run_cycles", last.cycles)
      .add("waited_cycles", last.waited);
  report_faults();
}

void Bench::launch_classic() {
  const group::ClassicPlan plan = {.module = &modules_[kEmpty],
                                   .pc = pc_of(kEmpty, "empty"),
                                   .argument = 0,
                                   .argument_segment = kArgumentSegment,
                                   .first_code_segment = kClassicSegment,
                                   .code = kClassicCode,
                                   .limit = kLimit};
  group::ClassicStart classic(group_);
  const group::ClassicTerms first = classic.run(plan);
  const group::ClassicTerms terms = classic.run(plan);
  JsonLine("launch_classic")
      .add("cpes", group_.cpes())
      .add("cycles", terms.total)
      .add("init", terms.init)
      .add("start", terms.start)
      .add("query", terms.query)
      .add("first", first.total)
      .add("ok", static_cast<uint64_t>(first.ok && terms.ok));
  report_faults();
}

void Bench::add_fault(JsonLine& line, unsigned cpe, const launch::Fault& fault) {
  line.add("cpe", cpe)
      .add("cause", launch::text(fault.cause))
      .add("access", launch::text(fault.access))
      .add("dma", static_cast<uint64_t>(fault.dma))
      .add("pc", fault.pc)
      .add("segment", fault.segment)
      .add("offset", fault.offset);
}

void Bench::report_faults() {
  group_.take_faults([](unsigned cpe, const launch::Fault& fault) {
    JsonLine line("fault");
    add_fault(line, cpe, fault);
  });
}

void Bench::faults(uint32_t culprit) {
  constexpr uint32_t kShortWatchdog = 5'000;
  group_.set_watchdog(kShortWatchdog);
  for (uint32_t i = 0; i < modules_[kFaults].kernel_count(); ++i) {
    const module::KernelView kernel = modules_[kFaults].kernel(i);
    // Transfers by DMA begin inside of the segment and leave it; single accesses begin behind its end.
    const uint64_t at = kernel.name.starts_with("window") ? kDataBytes : kDataBytes - 4;
    const cpe::FaultArgs arguments = {GlobalPtr<void>(kDataSegment, at), culprit, 0};
    machine_.copy(kArguments, {reinterpret_cast<const uint8_t*>(&arguments), sizeof(arguments)});
    machine_.publish(kArguments, sizeof(arguments));
    prepare(kFaults);
    fw::write_reg(regs::inbox::work::kAddr, kFaulted);
    const uint32_t number = group_.start(kernel.pc, kArgumentPointer);
    const bool ended = group_.wait_ended(number, kLimit);
    const auto result = group_.result(number);
    const auto done = group_.last_done();
    {
      JsonLine line("faulty");
      line.add("kernel", kernel.name);
      add_run(line, result.cycles, ended, result.failed);
      line.add("watchdog", static_cast<uint64_t>(result.watchdog));
      line.add("done_word", static_cast<uint64_t>(done.sequence == number && done.failed));
      line.add("told", static_cast<uint64_t>(is_told(kFaulted)));
      uint32_t records = 0;
      group_.take_faults([&](unsigned cpe, const launch::Fault& fault) {
        if (records++ == 0) add_fault(line, cpe, fault);
      });
      line.add("records", records);
      prepare(kEmpty);
      const uint32_t next = group_.start(pc_of(kEmpty, "empty"), 0);
      const bool good = group_.wait_ended(next, kLimit) && !group_.result(next).failed;
      line.add("next_good", static_cast<uint64_t>(good));
    }
  }
  group_.set_watchdog(kWatchdog);
}

Bench::Run Bench::run(Program program, std::string_view kernel, const void* arguments, uint32_t bytes) {
  machine_.copy(kArguments, {static_cast<const uint8_t*>(arguments), bytes});
  machine_.publish(kArguments, bytes);
  prepare(program, true);
  fw::write_reg(regs::inbox::work::kAddr, kEnded);
  const uint32_t number = group_.start(pc_of(program, kernel), kArgumentPointer);
  // Asleep meanwhile, as the kernel is. The watchdog ends what does not end by itself.
  const auto rests_until_told = [] {
    if (!is_told(kEnded)) csr::wait_for_interrupt();
    return is_told(kEnded);
  };
  const bool ended = group_.wait(rests_until_told, kLimit) && group_.ended(number);
  fw::write_reg(regs::inbox::work::kAddr, kEnded);
  if (!ended) group_.kill();
  report_faults();
  return {group_.result(number), ended};
}

void Bench::stream(uint32_t bytes, uint32_t piece, uint32_t mode, uint32_t rounds) {
  const cpe::StreamArgs arguments = {GlobalPtr<void>(kDataSegment, 0), bytes, piece, mode, rounds};
  const Run done = run(kStream, "stream", &arguments, sizeof(arguments));
  const uint64_t total = uint64_t{bytes} * rounds * static_cast<unsigned>(std::popcount(mask_));
  JsonLine line(mode == 0 ? "stream_load" : "stream_store");
  line.add("bytes", total).add("piece", piece);
  add_run(line, done.result.cycles, done.ended, done.result.failed);
  line.add("bytes_per_1000_cycles", done.result.cycles == 0 ? 0 : total * 1000 / done.result.cycles);
}

void Bench::broadcast(uint32_t bytes, uint32_t rounds) {
  // Few enough words for the processor to look at all of them.
  constexpr uint64_t kTo = 0x100'0000;
  const uint32_t sender = 0;
  const cpe::BroadcastArgs arguments = {
      GlobalPtr<void>(kDataSegment, kTo), GlobalPtr<const void>(kDataSegment, 0), bytes, sender, rounds, 0};
  fill_pattern(kData, uint64_t{bytes} * group_.rows());
  spoil(kData + kTo, uint64_t{bytes} * group_.cpes());
  // Once before, so that its code is in all caches.
  cpe::BroadcastArgs once = arguments;
  once.rounds = 1;
  run(kBroadcast, "broadcast", &once, sizeof(once));
  spoil(kData + kTo, uint64_t{bytes} * group_.cpes());
  const Run done = run(kBroadcast, "broadcast", &arguments, sizeof(arguments));
  uint64_t wrong = 0;
  for (unsigned cpe = 0; cpe < group_.cpes(); ++cpe) {
    if ((mask_ >> cpe & 1) == 0) continue;
    const uint64_t row = cpe / group_.columns();
    wrong += wrong_words(kData + kTo + uint64_t{cpe} * bytes, bytes, row * bytes / sizeof(uint64_t));
  }
  JsonLine line("broadcast");
  line.add("bytes", bytes).add("rounds", rounds);
  add_run(line, done.result.cycles, done.ended, done.result.failed);
  const uint64_t sent = uint64_t{bytes} * rounds;
  line.add("bytes_per_1000_cycles", done.result.cycles == 0 ? 0 : sent * 1000 / done.result.cycles);
  line.add("wrong_words", wrong);
}

void Bench::copy(uint32_t bytes) {
  constexpr uint64_t kTo = 0x100'0000;
  const cpe::CopyArgs arguments = {GlobalPtr<void>(kDataSegment, kTo), GlobalPtr<const void>(kDataSegment, 0),
                                   bytes, 0};
  fill_pattern(kData, bytes);
  spoil(kData + kTo, bytes);
  const Run done = run(kCopy, "copy", &arguments, sizeof(arguments));
  JsonLine line("copy");
  line.add("bytes", bytes);
  add_run(line, done.result.cycles, done.ended, done.result.failed);
  line.add("wrong_words", wrong_words(kData + kTo, bytes, 0));
}

void Bench::sync(uint32_t rounds, uint32_t scope) {
  // Once before, so that its code is in all caches.
  const cpe::SyncArgs once = {1, scope};
  run(kSync, "sync_loop", &once, sizeof(once));
  const cpe::SyncArgs arguments = {rounds, scope};
  const Run done = run(kSync, "sync_loop", &arguments, sizeof(arguments));
  JsonLine line("sync");
  line.add("rounds", rounds).add("scope", scope);
  add_run(line, done.result.cycles, done.ended, done.result.failed);
  line.add("cycles_per_barrier_x100", rounds == 0 ? 0 : uint64_t{done.result.cycles} * 100 / rounds);
}

void Bench::scalar(uint32_t rounds) {
  const cpe::ScalarArgs arguments = {GlobalPtr<uint32_t>(kDataSegment, 0), rounds, 0};
  const Run done = run(kScalar, "scalar", &arguments, sizeof(arguments));
  JsonLine line("scalar");
  line.add("rounds", rounds);
  add_run(line, done.result.cycles, done.ended, done.result.failed);
}

void Bench::spin(uint32_t rounds) {
  std::array<uint64_t, 256> words{};
  const uint64_t begin = group::DirectMachine::cycles();
  for (uint32_t round = 0; round < rounds; ++round) {
    uint64_t carry = round;
    for (uint64_t& word : words) {
      if ((word & 1) != 0) carry ^= word >> 1;
      word += carry;
    }
  }
  const uint64_t cycles = group::DirectMachine::cycles() - begin;
  JsonLine line("spin");
  line.add("rounds", rounds)
      .add("asleep", group_.asleep() == group_.all() ? 1 : 0)
      .add("sum", words[255] & 0xffff);
  line.add("cycles", cycles);
}

}  // namespace swai::launch_bench
