// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/group/group/group_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "abi/segment.hpp"
#include "sim/iss/cpe/daemon.hpp"
#include "sim/iss/cpe/text.hpp"

namespace swai::cg {
namespace {

namespace enc = cpe::enc;

constexpr uint64_t kReady = 20'000;
constexpr uint64_t kSegmentStride = 0x10'0000;

std::span<const uint8_t> bytes_of(std::span<const uint32_t> words) {
  return {reinterpret_cast<const uint8_t*>(words.data()), words.size_bytes()};
}

}  // namespace

GroupBench::GroupBench(uint64_t seed, bool random_start)
    : sim({.seed = seed, .random_start = random_start, .stalls = true}),
      driver(sim, 0),
      random(seed),
      memory(GroupSim::kHbmBase, 2 * cpe::kHbmBytes),
      model(driver.rows(), driver.columns(), memory) {
  using segment::kExecute, segment::kRead, segment::kWrite;
  const unsigned entries = kFirst + cpes();
  // Near or far: far ones lie behind the ring. Code far away would take too long.
  table_ = (random.chance(25) ? GroupSim::kFarBase : GroupSim::kHbmBase) + 64 * random.below(100);
  for (unsigned i = 0; i < entries; ++i) {
    const bool far = i != kDaemon && i != kCode && random.chance(15);
    bases_.push_back((far ? GroupSim::kFarBase : GroupSim::kHbmBase) + (i + 1) * kSegmentStride);
  }
  // Code is long, and it is behind everything else.
  bases_[kCode] = GroupSim::kHbmBase + (entries + 1) * kSegmentStride;
  poke(table_, std::vector<uint8_t>(8 * entries));
  set(kDaemon, 0x1000, kRead | kExecute, segment::kShared);
  set(kCode, 32 * kSegmentStride, kRead | kExecute, kContext);
  set(kArguments, 0x1000, kRead | kWrite, segment::kShared);
  set(kReadOnly, 0x1000, kRead, segment::kShared);
  set(kForeign, 0x1000, kRead | kWrite, kContext + 1);
  bases_[kNobody] = uint64_t{1} << 39 | uint64_t{3} << 34;  // HBM of the last group
  set(kNobody, 0x1000, kRead | kWrite, segment::kShared);
  set(kShared, kSharedBytes, kRead | kWrite, segment::kShared);
  for (unsigned i = 0; i < cpes(); ++i)
    set(static_cast<uint16_t>(kFirst + i), 2 * cpe::kLdmBytes + 0x2000, kRead | kWrite, kContext);
  poke(base(kDaemon), bytes_of(cpe::kPlainDaemon));

  model.set_segment_table(table_, entries);
  model.boot({.segment = kDaemon});
  driver.use_segments(table_, entries);
  driver.use_daemon(kDaemon, cpe::Daemon{}.pc);
  recover();
}

uint32_t GroupBench::some_mask() {
  const uint32_t mask = static_cast<uint32_t>(random.next()) & all();
  return random.chance(50) || mask == 0 ? all() : mask;
}

void GroupBench::set(uint16_t number, uint64_t bytes, uint8_t permissions, uint8_t owner) {
  const uint64_t word = segment::encode({base(number), bytes, permissions, owner});
  poke(table_ + 8 * uint64_t{number}, {reinterpret_cast<const uint8_t*>(&word), sizeof word});
}

void GroupBench::poke(uint64_t address, std::span<const uint8_t> bytes) {
  sim.poke(address, bytes);
  memory.poke(address, bytes);
}

void GroupBench::poison(uint64_t address) {
  sim.cells().poison(0, address - GroupSim::kHbmBase);
  memory.poison(address);
}

void GroupBench::code(std::span<const uint32_t> words) {
  poke(base(kCode), bytes_of(words));
  model.invalidate_code();
  driver.forget(group::Group<GroupSim>::kCode);
}

void GroupBench::codes(const std::vector<cpe::Assembler>& assemblers) {
  using cpe::kT0, cpe::kA1, cpe::kA2;
  cpe::Assembler common;
  // The argument stays in a0.
  common({enc::csrr(kT0, swai::cpe::isa::csr::kMhartid), enc::andi(kA1, kT0, 7), enc::srli(kT0, kT0, 3),
          enc::andi(kT0, kT0, 3)})
      .li(kA2, driver.columns())({enc::mul(kT0, kT0, kA2), enc::add(kT0, kT0, kA1)})
      .li(kA2, kCodeOfCpe)({enc::mul(kT0, kT0, kA2)})
      .li(kA2, cpe::kKernel + kCodeOfCpe)({enc::add(kT0, kT0, kA2), enc::jalr(0, kT0, 0)});
  std::vector<uint32_t> words(common.words());
  for (size_t i = 0; i < assemblers.size(); ++i) {
    words.resize((i + 1) * kCodeOfCpe / 4);
    const auto& own = assemblers[i].words();
    verif::check(4 * own.size() <= kCodeOfCpe, "the test's code is too long");
    words.insert(words.end(), own.begin(), own.end());
  }
  code(words);
}

void GroupBench::prepare(uint32_t mask, uint8_t context) {
  driver.prepare({.mask = mask, .code_segment = kCode, .argument_segment = kArguments, .owner = context});
}

GroupBench::Ended GroupBench::finish(uint32_t number, uint64_t limit) {
  verif::check(driver.wait_ended(number, limit),
               fmt::format("launch {} has not ended after {} cycles", number, limit));
  Ended ended{.number = number, .result = driver.result(number), .faults{}};
  ended.faults.resize(cpes());
  driver.take_faults([&](unsigned i, const launch::Fault& fault) {
    ended.failed |= uint32_t{1} << i;
    ended.faults[i] = {.cause = static_cast<cpe::Cause>(fault.cause),
                       .access = static_cast<cpe::Access>(fault.access),
                       .dma = fault.dma,
                       .pc = fault.pc,
                       .segment = fault.segment,
                       .offset = fault.offset};
  });
  return ended;
}

GroupBench::Ended GroupBench::launch(uint32_t mask, uint32_t argument) {
  prepare(mask);
  return finish(driver.start(cpe::kKernel, argument));
}

cpe::Result GroupBench::launch_model(uint32_t mask, uint32_t argument) {
  return model.launch({.pc = cpe::kKernel,
                       .argument = argument,
                       .mask = mask,
                       .code_segment = kCode,
                       .argument_segment = kArguments,
                       .context = kContext});
}

void GroupBench::recover() {
  driver.set_watchdog(0);
  driver.enable(all());
  verif::check(driver.wait_ready(all(), kReady), "CPEs do not come out of reset");
  verif::check(driver.wait([&] { return driver.asleep() == all(); }, kReady), "CPEs do not sleep");
  driver.take_faults([](unsigned, const launch::Fault&) {});
}

cpe::GroupProgram GroupBench::program(unsigned events) {
  return cpe::GroupProgram({.rows = driver.rows(),
                            .columns = driver.columns(),
                            .mask = some_mask(),
                            .events = events,
                            .ldm_bytes = 2048u << random.below(3),
                            .first_segment = kFirst,
                            .seed = random.next(),
                            .compute = true});
}

// Programs count tickets from 1, as CPEs do after a reset.
void GroupBench::load(const cpe::GroupProgram& program) {
  driver.enable(0);
  verif::check(driver.wait([&] { return driver.stopped() == all(); }, kReady), "CPEs do not stop");
  recover();
  model.boot({.segment = kDaemon});
  for (unsigned i = 0; i < cpes(); ++i) poke(base(static_cast<uint16_t>(kFirst + i)), program.before(i));
  code(program.code());
}

void GroupBench::check(const cpe::GroupProgram& program) {
  std::vector<uint8_t> bytes(program.segment_bytes());
  for (unsigned i = 0; i < cpes(); ++i) {
    sim.peek(base(static_cast<uint16_t>(kFirst + i)), bytes);
    const auto& after = program.after(i);
    const auto [wrong, right] = std::ranges::mismatch(bytes, after);
    if (wrong == bytes.end()) continue;
    std::string values;
    for (auto at = wrong - bytes.begin(), end = std::min(at + 8, bytes.end() - bytes.begin()); at < end; ++at)
      values += fmt::format(" {:02x}/{:02x}", bytes[static_cast<size_t>(at)], after[static_cast<size_t>(at)]);
    verif::check(false, fmt::format("memory of CPE {} ({:#x}) differs at {:#x}; there is/should be:{}", i,
                                    base(static_cast<uint16_t>(kFirst + i)), wrong - bytes.begin(), values));
  }
}

void GroupBench::check_ldm(const cpe::GroupProgram& program) {
  constexpr unsigned kSamples = 24;
  for (unsigned i = 0; i < cpes(); ++i) {
    if ((program.mask() >> i & 1) == 0) continue;
    for (unsigned n = 0; n < kSamples; ++n) {
      const auto at = static_cast<uint32_t>(8 * random.below(2048 / 8));
      uint64_t expected = 0;
      std::memcpy(&expected, &model.ldm(i)[at], sizeof expected);
      verif::check(ldm(i, at) == expected, fmt::format("local memory of CPE {} differs at {:#x}", i, at));
    }
  }
}

uint64_t GroupBench::ldm(unsigned cpe, uint32_t at) { return sim.read(driver.ldm_address(cpe) + at); }

uint32_t GroupBench::counter(unsigned cpe, unsigned number) {
  return static_cast<uint32_t>(sim.read(driver.ldm_address(cpe) + regs::kCgAccessCounters + 8 * number));
}

std::vector<uint32_t> GroupBench::counters() {
  std::vector<uint32_t> values;
  for (unsigned i = 0; i < cpes(); ++i) {
    for (unsigned number = 0; number < kCounters; ++number) values.push_back(counter(i, number));
  }
  return values;
}

void GroupBench::digest(const std::string& what) {
  fmt::print("{} {}", sim.cycles(), what);
  if (driver.stopped() == 0) {
    for (const uint32_t value : counters()) fmt::print(" {}", value);
  }
  fmt::print("\n");
}

}  // namespace swai::cg
