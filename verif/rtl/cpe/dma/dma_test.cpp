// SPDX-License-Identifier: Apache-2.0
// The DMA engine of a CPE under random transfers: every request, every byte, every ticket; faults, halts; and
// how fast it is.

#include <fmt/format.h>

#include <deque>

#include "verif/rtl/cpe/dma/dma_bench.hpp"
#include "verif/rtl/lib/test_main.hpp"

namespace swai::cpe {
namespace {

using verif::check;
using verif::Random;

// A program that begins transfers, waits and polls, and sometimes gets a command wrong.
class Program {
 public:
  explicit Program(DmaBench& bench) : bench_(bench), random_(bench.random()) {
    bench.next = [this] { return next(); };
    bench.on_taken = [this](const Command& command, const DmaModel::Answer& answer, uint32_t) {
      if (answer.bad) ++refused;
      if (command.op == kLoad || command.op == kStore) transfers += !answer.bad;
    };
  }

  // Asks for all the latest tickets, then for nothing.
  void poll_all() {
    stop = true;
    ends_ = false;
    script_.clear();
    for (uint32_t age = 0; age < 10; ++age)
      script_.push_back({.op = kPoll, .rs1 = bench_.model.begun() - age});
  }
  bool asking() const { return !script_.empty() || bench_.issuing(); }

  void restart() {
    stop = ends_ = false;
    script_.clear();
    pointer_known_ = false;
  }

  bool stop = false;             // begins nothing any more
  unsigned outside_percent = 0;  // of transfers leave the offsets that there are
  uint64_t transfers = 0, refused = 0, launches = 0;

 private:
  std::optional<Command> next() {
    if (script_.empty() && ends_) {
      if (bench_.top().busy_o) return std::nullopt;
      bench_.end_launch();
      ends_ = false;
      ++launches;
      return std::nullopt;
    }
    if (script_.empty() && !stop) write();
    if (script_.empty()) return std::nullopt;
    Command command = script_.front();
    script_.pop_front();
    command.pc = static_cast<uint32_t>(random_.next());
    return command;
  }

  uint32_t some_ticket() {
    const uint32_t begun = bench_.model.begun();
    return begun - static_cast<uint32_t>(random_.below(std::min<uint64_t>(begun + 1, 10)));
  }

  void write() {
    const auto kind = random_.below(100);
    if (kind < 60) {
      for (unsigned tries = 0; tries < 10; ++tries) {
        if (transfer()) return;
      }
      // No room: everything must be complete first.
      script_.push_back({.op = kWait, .rs1 = bench_.model.begun()});
    } else if (kind < 75) {
      script_.push_back({.op = kWait, .rs1 = some_ticket()});
    } else if (kind < 92) {
      script_.push_back({.op = kPoll, .rs1 = some_ticket()});
    } else if (kind < 94) {
      script_.push_back({.op = kPoll, .rs1 = bench_.model.begun() + 1});
    } else if (kind < 96) {
      end_launch();
    } else {
      wrong();
    }
  }

  // With everything set up for a transfer that never comes.
  void end_launch() {
    const auto any = [&] { return static_cast<uint32_t>(random_.next()); };
    script_.push_back({.op = kGlobal, .rs1 = any(), .rs2 = any()});
    script_.push_back({.op = kShape, .rs1 = any(), .rs2 = any()});
    script_.push_back(some_class());
    pointer_known_ = false;
    ends_ = true;
  }

  uint32_t random_bytes() {
    switch (random_.below(20)) {
      case 0:
        return static_cast<uint32_t>(random_.between(1, 16384));
      case 1:
      case 2:
        return static_cast<uint32_t>(64 * random_.between(1, 32));
      case 3:
        return random_.chance(10) ? kLdmBytes - static_cast<uint32_t>(random_.below(3)) : 1;
      default:
        return static_cast<uint32_t>(random_.between(1, 300));
    }
  }

  bool transfer() {
    const uint32_t bytes = random_bytes();
    const bool two_dimensions = bytes <= 2048 && random_.chance(50);
    uint32_t rows = 1;
    if (two_dimensions)
      rows = static_cast<uint32_t>(random_.chance(3) ? random_.below(2000) : random_.below(12)) + 1;
    while (rows * bytes > 40000) rows /= 2;
    if (rows == 0) rows = 1;
    const auto stride_near = [&](uint32_t size) {
      const auto stride = static_cast<uint32_t>(bytes + random_.below(random_.chance(30) ? 1 : 200));
      return random_.chance(5) ? static_cast<uint32_t>(random_.below(size)) : stride;
    };
    const uint32_t ldm_stride = stride_near(1000) & 0xffff;
    const uint64_t extent = uint64_t{rows - 1} * ldm_stride + bytes;
    if (extent > kLdmBytes) return false;
    auto at = static_cast<uint32_t>(random_.below(kLdmBytes - extent + 1));
    if (random_.chance(5)) at = static_cast<uint32_t>(kLdmBytes - extent);  // up to the very end
    auto stride = static_cast<int32_t>(stride_near(5000));
    if (random_.chance(30)) stride = -stride;
    const auto& segments = bench_.actual.segments;
    const auto& segment = segments[random_.below(segments.size())];
    const int64_t reach = int64_t{rows - 1} * stride;
    const int64_t low = reach < 0 ? -reach : 0;
    const int64_t high =
        static_cast<int64_t>(segment.bytes.size()) - (reach > 0 ? reach : 0) - int64_t{bytes};
    if (low > high) return false;
    int64_t offset = low + static_cast<int64_t>(random_.below(static_cast<uint64_t>(high - low + 1)));
    bool outside = false;
    if (random_.chance(outside_percent)) {
      const int64_t over = 1 + static_cast<int64_t>(random_.below(300));
      if (&segment == &segments[0] && reach < 0) {
        offset = std::max<int64_t>(low - over, 0);
        outside = offset < low;
      } else if (&segment == &segments[1]) {
        offset = high + over;
        outside = offset < static_cast<int64_t>(segment.bytes.size());
      }
      if (!outside) return false;
    }
    const uint64_t pointer =
        uint64_t{segment.number} << 48 | (segment.base + static_cast<uint64_t>(offset)) % kOffsets;
    const Command global{
        .op = kGlobal, .rs1 = static_cast<uint32_t>(pointer), .rs2 = static_cast<uint32_t>(pointer >> 32)};
    const Command shape{.op = kShape, .rs1 = rows << 16 | ldm_stride, .rs2 = static_cast<uint32_t>(stride)};
    const Command move{
        .op = static_cast<uint8_t>(random_.chance(50) ? kLoad : kStore), .rs1 = kLdmBase + at, .rs2 = bytes};
    if (!bench_.model.independent(pointer, {rows, ldm_stride, stride}, move)) return false;
    if (!pointer_known_ || pointer != bench_.model.pointer() || random_.chance(50)) script_.push_back(global);
    if (rows > 1 || random_.chance(20)) script_.push_back(shape);
    if (random_.chance(30)) script_.push_back(some_class());
    script_.push_back(move);
    pointer_known_ = true;
    return true;
  }

  Command some_class() {
    return {.op = kClass,
            .rs1 = random_.chance(50) ? isa::dma_class::kBackground : isa::dma_class::kForeground,
            .rs2 = static_cast<uint32_t>(random_.next())};
  }

  void wrong() {
    const auto somewhere = [&] { return kLdmBase + static_cast<uint32_t>(random_.below(kLdmBytes)); };
    Command command{
        .op = static_cast<uint8_t>(random_.chance(50) ? kLoad : kStore), .rs1 = somewhere(), .rs2 = 1};
    switch (random_.below(7)) {
      case 6:
        command = {.op = kClass, .rs1 = static_cast<uint32_t>(random_.between(2, 0xffff'ffff))};
        break;
      case 0:
        command.op = static_cast<uint8_t>(random_.between(kFirstUnknown, 127));
        break;
      case 1:
        command.rs2 = 0;
        break;
      case 2:
        command.rs2 = kLdmBase + kLdmBytes - command.rs1 + 1 +
                      static_cast<uint32_t>(random_.next() >> (32 + random_.below(32)) & 0x7fff'ffff);
        break;
      case 3:
        command.rs1 = static_cast<uint32_t>(random_.next());
        if (command.rs1 >> 17 == kLdmBase >> 17) command.rs1 ^= 1U << random_.between(17, 31);
        break;
      case 4:
        script_.push_back(
            {.op = kShape, .rs1 = static_cast<uint32_t>(random_.below(0x10000)), .rs2 = 7});  // no rows
        script_.push_back(command);
        command = {.op = kShape, .rs1 = 1 << 16, .rs2 = 0};
        break;
      default:
        script_.push_back({.op = kShape, .rs1 = 3U << 16 | 0xffff, .rs2 = 0});
        command.rs2 = static_cast<uint32_t>(random_.between(3, 9));
        script_.push_back(command);
        command = {.op = kShape, .rs1 = 1 << 16, .rs2 = 0};
    }
    script_.push_back(command);
  }

  DmaBench& bench_;
  Random& random_;
  std::deque<Command> script_;
  bool pointer_known_ = false;
  bool ends_ = false;  // the launch, behind the script
};

void drain(DmaBench& bench, Program& program) {
  program.stop = true;
  bench.until([&] { return !bench.issuing() && bench.all_answered() && !bench.top().busy_o; }, 200000,
              "draining");
  bench.model.complete(bench.model.begun(), bench.actual);
  bench.model.compare(bench.actual);
  bench.compare_ldm();
  program.stop = false;
}

void test_random(uint64_t seed, uint64_t cycles) {
  DmaBench bench(seed);
  Program program(bench);
  constexpr unsigned kRounds = 6;
  for (unsigned round = 0; round < kRounds; ++round) {
    bench.steps(cycles / kRounds);
    drain(bench, program);
    bench.steps(20);
  }
  fmt::print(
      "{} transfers, {} requests, {} bytes loaded, {} stored, {} commands refused, {} launches, {} cycles "
      "with "
      "the background only\n",
      program.transfers, bench.requests, bench.loaded, bench.stored, program.refused, program.launches,
      bench.background_cycles);
  check(program.transfers > cycles / 400 && bench.loaded > cycles && bench.stored > cycles &&
            program.refused > cycles / 10000 && program.launches > cycles / 20000 &&
            bench.background_cycles > cycles / 50,
        "too few of a kind");
}

// Requests fail now and then, transfers leave the offsets: one fault, with the right record, and everything
// else as it was.
void test_faults(uint64_t seed, uint64_t cycles) {
  DmaBench bench(seed);
  auto& random = bench.random();
  Program program(bench);
  unsigned faults = 0;
  unsigned outside = 0;
  while (bench.cycle() < cycles) {
    // Nothing fails for a while, then a few answers or many.
    bench.fail_percent = 0;
    program.outside_percent = random.chance(50) ? 20 : 0;
    const uint64_t quiet_until = bench.cycle() + random.below(1000);
    while (bench.cycle() < quiet_until && !bench.top().fault_valid_o) bench.step();
    if (program.outside_percent == 0 || random.chance(50)) bench.fail_percent = random.chance(50) ? 1 : 40;
    const uint64_t limit = bench.cycle() + 4000;
    while (bench.cycle() < limit && !bench.top().fault_valid_o) bench.step();
    if (bench.top().fault_valid_o) {
      check(bench.top().quiet_o, "a fault before the last answer");
      const verif::Field fault(bench.top().fault_o, 0, 104);
      const FaultRecord got{.cause = static_cast<uint8_t>(fault.get(99, 5)),
                            .access = static_cast<uint8_t>(fault.get(97, 2)),
                            .dma = fault.get(96, 1) == 1,
                            .pc = static_cast<uint32_t>(fault.get(64, 32)),
                            .segment = static_cast<uint16_t>(fault.get(48, 16)),
                            .offset = fault.get(0, 48)};
      const FaultRecord expected = bench.expected_fault();
      check(got == expected,
            fmt::format("fault {} at {:#x} pc {:#x}, expected {} at {:#x} pc {:#x}", got.cause, got.offset,
                        got.pc, expected.cause, expected.offset, expected.pc));
      outside += bench.leaves_offsets();
      ++faults;
      bench.steps(random.below(30));
      bench.abandon();
      program.poll_all();
      bench.until([&] { return !program.asking(); }, 1000, "polls after a fault");
      check(bench.top().fault_valid_o && bench.top().quiet_o, "a fault does not stay");
    } else {
      bench.fail_percent = 0;
      check(!bench.failed(), "a failed request is no fault");
      bench.halt(true);
      bench.until([&] { return bench.top().quiet_o; }, 5000, "quiet");
      if (bench.failed()) {
        check(bench.top().fault_valid_o, "no fault while halted");
      }
    }
    bench.restart();
    program.restart();
    bench.model.compare(bench.actual);
  }
  bench.compare_ldm();
  fmt::print("{} faults, {} of them beyond the last offset, {} transfers\n", faults, outside,
             program.transfers);
  check(faults > cycles / 4000 && outside > 0 && faults > outside, "too few of a kind");
}

// Halted at any time: no new request, quiet soon; then reset, or on it goes.
void test_halt(uint64_t seed, uint64_t cycles) {
  DmaBench bench(seed);
  auto& random = bench.random();
  Program program(bench);
  unsigned halts = 0;
  unsigned resets = 0;
  while (bench.cycle() < cycles) {
    bench.steps(random.below(random.chance(50) ? 30 : 600));
    bench.halt(true);
    ++halts;
    bench.until([&] { return bench.top().quiet_o; }, 5000, "quiet");
    bench.steps(random.below(20));
    check(bench.top().quiet_o, "not quiet any more");
    if (random.chance(50)) {
      bench.restart();
      program.restart();
      bench.model.compare(bench.actual);
      ++resets;
    }
    bench.halt(false);
  }
  drain(bench, program);
  fmt::print("{} halts, {} resets, {} transfers\n", halts, resets, program.transfers);
}

// Bytes per cycle from the first command to the last answer.
double rate(uint64_t seed, uint64_t latency, bool store, uint32_t bytes, unsigned count,
            uint32_t transfer_class = isa::dma_class::kForeground) {
  DmaBench bench(seed);
  bench.prompt = true;
  bench.latency = latency;
  const auto& segment = bench.actual.segments[2];
  unsigned begun = 0;
  bool pointed = false, classed = false;
  bench.next = [&]() -> std::optional<Command> {
    if (begun == count) return std::nullopt;
    if (!std::exchange(classed, true)) return Command{.op = kClass, .rs1 = transfer_class};
    const uint64_t pointer = (uint64_t{segment.number} << 48 | segment.base) + begun * bytes;
    if (!pointed) {
      pointed = true;
      return Command{
          .op = kGlobal, .rs1 = static_cast<uint32_t>(pointer), .rs2 = static_cast<uint32_t>(pointer >> 32)};
    }
    pointed = false;
    return Command{
        .op = static_cast<uint8_t>(store ? kStore : kLoad), .rs1 = kLdmBase + bytes * begun++, .rs2 = bytes};
  };
  const uint64_t begin = bench.cycle();
  bench.until([&] { return begun == count && !bench.issuing() && !bench.top().busy_o; }, 100000,
              "the transfers");
  return static_cast<double>(bytes) * count / static_cast<double>(bench.cycle() - begin);
}

void test_rate(uint64_t seed, uint64_t) {
  fmt::print("bytes per cycle, loads and stores: 8 x 8 KiB, 64 x 256 bytes, 64 x 64 bytes\n");
  for (const uint64_t latency : {1, 2, 4, 8, 20, 40, 80}) {
    fmt::print("latency {:2}: bound {:5.2f}", latency,
               std::min(64.0, 8 * 64.0 / static_cast<double>(latency)));
    for (const auto& [bytes, count] : {std::pair{8192U, 8U}, std::pair{256U, 64U}, std::pair{64U, 64U}}) {
      fmt::print("   {:5.2f} {:5.2f}", rate(seed, latency, false, bytes, count),
                 rate(seed, latency, true, bytes, count));
    }
    fmt::print("\n");
  }
  const auto of_class = [&](uint32_t transfer_class) {
    return rate(seed, 20, false, 256, 64, transfer_class);
  };
  check(of_class(isa::dma_class::kBackground) == of_class(isa::dma_class::kForeground),
        "the class changes how long transfers take");
  // From the command that is taken to the wait that is over.
  DmaBench bench(seed);
  bench.prompt = true;
  bench.latency = 1;
  std::deque<Command> script = {{.op = kLoad, .rs1 = kLdmBase, .rs2 = 64}, {.op = kWait, .rs1 = 1}};
  const uint64_t pointer = uint64_t{bench.actual.segments[0].number} << 48;
  script.push_front(
      {.op = kGlobal, .rs1 = static_cast<uint32_t>(pointer), .rs2 = static_cast<uint32_t>(pointer >> 32)});
  uint64_t began = 0;
  uint64_t over = 0;
  bench.next = [&]() -> std::optional<Command> {
    if (script.empty()) return std::nullopt;
    const Command command = script.front();
    script.pop_front();
    return command;
  };
  bench.on_taken = [&](const Command& command, const DmaModel::Answer&, uint32_t) {
    if (command.op == kLoad) began = bench.cycle();
    if (command.op == kWait) over = bench.cycle();
  };
  bench.until([&] { return over != 0; }, 100, "the wait");
  fmt::print("a line of 64 bytes: {} cycles besides those of the memory\n", over - began - bench.latency);
}

std::vector<verif::TestCase> tests() {
  return {{"random", test_random}, {"faults", test_faults}, {"halt", test_halt}, {"rate", test_rate}};
}

}  // namespace
}  // namespace swai::cpe

int main(int argc, char** argv) { return swai::verif::test_main(argc, argv, swai::cpe::tests()); }
