// SPDX-License-Identifier: Apache-2.0
// The HBM controller under random traffic: every answer against a model, every command against the timings.

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "Vtb_hbm.h"
#include "card_regs.hpp"
#include "sim/board/hbm/hbm_cells.hpp"
#include "verif/rtl/group/hbm_model.hpp"
#include "verif/rtl/group/hbm_timing.hpp"
#include "verif/rtl/group/traffic.hpp"
#include "verif/rtl/lib/bench.hpp"
#include "verif/rtl/lib/test_main.hpp"

namespace swai::cg {
namespace {

using verif::check;
using verif::Random;

constexpr unsigned kGroup = 1;  // in tb_hbm.sv
constexpr uint64_t kBase = regs::kHbmRegion.base + kGroup * HbmCells::kGroupBytes;

class HbmBench : public verif::Bench<Vtb_hbm>, private verif::Agent {
 public:
  explicit HbmBench(uint64_t seed) : Bench(seed), cells(2) {
    cells.make_current();
    top().req_valid_i = 0;
    top().rsp_ready_i = 0;
    add(*this);
  }

  verif::StreamPins request_pins() {
    return {Field(top().req_valid_i, 0, 1), Field(top().req_ready_o, 0, 1), Field(top().req_i, 0, kReqBits)};
  }
  verif::StreamPins response_pins() {
    return {Field(top().rsp_valid_o, 0, 1), Field(top().rsp_ready_i, 0, 1), Field(top().rsp_o, 0, kRspBits)};
  }

  HbmCells cells;
  HbmTiming timing;
  uint64_t poison_events = 0;
  uint64_t last_poison = 0;

 private:
  void drive() override {}
  void sample() override {
    HbmCommands commands;
    load(Field(top().cmd_o, 0, kCmdBits), commands);
    timing.step(commands);
    if (top().events_o & 1) {
      ++poison_events;
      last_poison = top().poison_line_o;
    }
  }
};

struct Mix {
  unsigned reads = 40;
  unsigned writes = 40;  // the rest: atomics, LR, SC
  unsigned illegal = 0;
};

Request random_request(Random& random, const Mix& mix, uint64_t line) {
  Request request;
  request.source = static_cast<uint8_t>(random.below(6));
  for (auto& byte : request.data) byte = static_cast<uint8_t>(random.next());
  request.strb = random.chance(50) ? ~uint64_t{0} : random.next() & random.next();
  if (random.chance(3)) request.strb = 0;
  request.size = static_cast<uint8_t>(random.below(7));
  const auto kind = random.below(100);
  if (kind < mix.reads) {
    request.op = MbusOp::kRead;
  } else if (kind < mix.reads + mix.writes) {
    request.op = MbusOp::kWrite;
  } else {
    request.op = static_cast<MbusOp>(random.between(4, 12));
    if (random.chance(40)) request.op = random.chance(50) ? MbusOp::kLr : MbusOp::kSc;
    request.size = static_cast<uint8_t>(random.between(2, 3));
  }
  const uint64_t mask = request.op == MbusOp::kWrite ? 0 : (uint64_t{1} << request.size) - 1;
  request.addr = kBase + ((64 * line + random.below(64)) & ~mask);
  if (random.chance(mix.illegal)) {
    if (random.chance(50)) request.op = static_cast<MbusOp>(random.below(16));
    request.size = static_cast<uint8_t>(random.below(8));
    if (random.chance(50)) request.addr ^= random.below(64);
  }
  return request;
}

// What the cells hold in the end must be what the model holds.
void compare_memory(const HbmCells& cells, const HbmModel& model) {
  for (const auto& [line, data] : model.lines()) {
    Line got{};
    const bool poisoned = cells.read_line(kGroup, line, got.data());
    check(got == data, fmt::format("line {:#x} of the memory is wrong", line));
    check(poisoned == model.poisoned(line), fmt::format("line {:#x} is poisoned: {}", line, poisoned));
  }
}

void test_random(uint64_t seed, uint64_t cycles) {
  HbmBench bench(seed);
  auto& random = bench.random();
  HbmModel model(HbmCells::kGroupBytes);
  Addresses addresses(random, HbmCells::kGroupBytes);
  bool draining = false;
  Mix mix;
  unsigned left = 0;
  std::vector<uint64_t> recent;          // lines, of which some are damaged while nothing is under way
  std::optional<Request> load_reserved;  // its SC comes soon
  Traffic traffic(
      bench.request_pins(), bench.response_pins(), random,
      [&]() -> std::optional<Request> {
        if (draining) return std::nullopt;
        if (left-- == 0) {
          static constexpr Mix kMixes[] = {{40, 40}, {100, 0}, {0, 100},    {20, 20},
                                           {90, 8},  {10, 88}, {60, 30, 20}};
          mix = kMixes[random.below(std::size(kMixes))];
          left = static_cast<unsigned>(random.between(1, 1000));
        }
        const uint64_t line =
            !recent.empty() && random.chance(5) ? recent[random.below(recent.size())] : addresses.next_line();
        if (recent.size() < 50) recent.push_back(line);
        recent[random.below(recent.size())] = line;
        Request request = random_request(random, mix, line);
        if (load_reserved && random.chance(30)) {
          request.op = MbusOp::kSc;
          request.source = load_reserved->source;
          request.addr = load_reserved->addr;
          request.size = load_reserved->size;
          load_reserved.reset();
        } else if (request.op == MbusOp::kLr) {
          load_reserved = request;
        }
        return request;
      },
      [&](const Request& request) { return model.access(request); });
  bench.add(traffic);
  bench.reset();
  const auto drain = [&] {
    draining = true;
    bench.until([&] { return traffic.idle(); }, 20000, "draining");
    bench.until([&] { return !bench.top().busy_o; }, 20000, "the last writes");
  };
  constexpr unsigned kRounds = 10;
  for (unsigned round = 0; round < kRounds; ++round) {
    bench.steps(cycles / kRounds);
    drain();
    compare_memory(bench.cells, model);
    // Sometimes long enough for self-refresh; requests may come just when it begins.
    if (round % 3 == 1) bench.steps(4000 + random.below(2000));
    if (round % 3 == 2) {
      const uint64_t before = bench.timing.sleeps();
      bench.until([&] { return bench.timing.sleeps() != before; }, 6000, "self-refresh");
      bench.steps(random.below(3));
    }
    check(model.poisoned_reads() == bench.poison_events,
          fmt::format("{} reads of poisoned lines, {} counted", model.poisoned_reads(), bench.poison_events));
    for (unsigned i = 0; i < round; ++i) {
      const uint64_t line = recent[random.below(recent.size())];
      bench.cells.poison(kGroup, 64 * line);
      model.poison(line);
    }
    draining = false;
  }
  bench.steps(3000);
  bench.timing.finish();
  const auto& timing = bench.timing;
  fmt::print(
      "{} requests, {} lines read, {} written, {} activations, {} refreshes, longest wait {}, "
      "longest without refresh {}, {} atomics, {} + {} store-conditionals, {} poisoned\n",
      traffic.requests(), timing.reads(), timing.writes(), timing.activations(), timing.refreshes(),
      traffic.longest(), timing.longest_without_refresh(), model.atomics(), model.sc_successes(),
      model.sc_failures(), model.poisoned_reads());
  check(traffic.requests() > cycles / 20, "too few requests");
  check(model.sc_successes() > cycles / 1000 && model.sc_failures() > cycles / 1000 &&
            model.atomics() > cycles / 1000 && model.poisoned_reads() > 0,
        "too few of a kind");
}

// Nobody stalls, the queues are full, and some requests have everything against them: rows of their own in
// banks where streams have hits all the time, writes among reads. None waits longer than the documented
// bound.
void test_full(uint64_t seed, uint64_t cycles) {
  constexpr uint64_t kLongestWait = 4000;
  HbmBench bench(seed);
  auto& random = bench.random();
  HbmModel model(HbmCells::kGroupBytes);
  bool draining = false;
  uint64_t row = 0;
  unsigned left = 0;
  unsigned victims = 0;
  bool writes = false;
  Traffic traffic(
      bench.request_pins(), bench.response_pins(), random,
      [&]() -> std::optional<Request> {
        if (draining) return std::nullopt;
        if (left-- == 0) {
          left = static_cast<unsigned>(random.between(1000, 4000));
          row = random.below(1 << 18);
          victims = static_cast<unsigned>(random.below(2) * random.below(100));
          writes = random.chance(50);
        }
        const bool victim = random.below(1000) < victims;
        const HbmPlace place{static_cast<unsigned>(random.below(2)), 3,
                             static_cast<unsigned>(victim ? random.below(1 << 18) : row),
                             static_cast<unsigned>(random.below(16))};
        return random_request(random, (victim != writes) ? Mix{0, 100} : Mix{100, 0}, line_of(place));
      },
      [&](const Request& request) { return model.access(request); });
  traffic.request_stalls().never();
  traffic.response_stalls().never();
  bench.add(traffic);
  bench.reset();
  bench.steps(cycles);
  draining = true;
  bench.until([&] { return traffic.idle() && !bench.top().busy_o; }, 20000, "draining");
  compare_memory(bench.cells, model);
  bench.timing.finish();
  fmt::print("{} requests, longest wait {}, longest without refresh {}\n", traffic.requests(),
             traffic.longest(), bench.timing.longest_without_refresh());
  check(traffic.longest() < kLongestWait, fmt::format("a request waited {} cycles", traffic.longest()));
  check(traffic.requests() > cycles / 10, "too few requests");
}

// A reset that finds the memory in self-refresh, its clock standing, ends reservations as any other does.
void test_reset_asleep(uint64_t seed, uint64_t) {
  HbmBench bench(seed);
  HbmModel model(HbmCells::kGroupBytes);
  std::optional<Request> next;
  Traffic traffic(
      bench.request_pins(), bench.response_pins(), bench.random(),
      [&] { return std::exchange(next, std::nullopt); },
      [&](const Request& request) { return model.access(request); });
  bench.add(traffic);
  bench.reset();
  const auto answered = [&](MbusOp op) {
    const uint64_t before = traffic.responses();
    next = Request{.op = op, .size = 3, .addr = kBase, .strb = 0xff};
    bench.until([&] { return traffic.responses() != before; }, 1000, "the answer");
  };
  answered(MbusOp::kLr);
  bench.until([&] { return bench.timing.sleeps() != 0; }, 6000, "self-refresh");
  bench.steps(10);
  bench.reset();
  bench.timing = {};
  model = HbmModel(HbmCells::kGroupBytes);
  answered(MbusOp::kSc);
  check(model.sc_failures() == 1, "a reservation that the model does not have");
}

std::vector<verif::TestCase> tests() {
  return {{"random", test_random}, {"full", test_full}, {"reset-asleep", test_reset_asleep}};
}

}  // namespace
}  // namespace swai::cg

int main(int argc, char** argv) { return swai::verif::test_main(argc, argv, swai::cg::tests()); }
