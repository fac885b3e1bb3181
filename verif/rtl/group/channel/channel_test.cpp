// SPDX-License-Identifier: Apache-2.0
// Channel engines and their bus: random programs of sends and receives, programs that get stuck, commands
// that make no sense.

#include <fmt/format.h>

#include <algorithm>

#include "sim/common/field.hpp"
#include "verif/rtl/group/channel/row.hpp"
#include "verif/rtl/lib/test_main.hpp"

namespace swai::channel {
namespace {

using verif::check;
using verif::Field;
using verif::Random;

// Longer than any stall of the testbench.
constexpr uint64_t kStill = 800;

void finish(Row& row) {
  while (!row.complete()) {
    check(row.still() < kStill, "programs that must come to an end do not");
    row.bench().step();
  }
  row.compare_memories();
  row.bench().steps(3);
  check(!row.top().bus_busy_o && row.top().busy_o == 0, "all is done, and something is busy");
}

void random_programs(uint64_t seed, uint64_t cycles) {
  Row row(seed);
  Random& dice = row.random();
  unsigned rounds = 0;
  for (; row.bench().cycle() < cycles; ++rounds) {
    row.start(random_schedule(dice, row.positions(), static_cast<unsigned>(dice.between(1, 150))));
    finish(row);
  }
  fmt::print("{} positions, {} rounds, {} words sent, {} received\n", row.positions(), rounds, row.sent(),
             row.received());
}

// All engines are halted and reset while the bus runs on, at the shortest delay that cpe_channel allows;
// nothing of their earlier work may be left then.
void restart(Row& row) {
  row.reset_engines();
  check(!row.top().bus_busy_o && row.top().busy_o == 0, "busy after a reset");
}

// Traffic that is cut off at any time, and begins anew at once.
void restarts(uint64_t seed, uint64_t cycles) {
  Row row(seed);
  Random& dice = row.random();
  unsigned rounds = 0;
  unsigned moving = 0;
  for (; row.bench().cycle() < cycles; ++rounds) {
    row.start(random_schedule(dice, row.positions(), 40));
    row.bench().steps(dice.below(100));
    row.halt(0xff);
    if (dice.chance(50)) row.bench().step();
    moving += row.top().bus_busy_o;
    restart(row);
    row.start(random_schedule(dice, row.positions(), 4));
    finish(row);
  }
  fmt::print("{} positions, {} rounds, {} while a word was moving\n", row.positions(), rounds, moving);
  check(moving > 0, "nothing was cut off: this tests nothing");
}

// Programs that may get stuck; CPEs that are stopped alone or together, at any time; then all engines are
// reset, but not the bus.
void stuck(uint64_t seed, uint64_t cycles) {
  Row row(seed);
  Random& dice = row.random();
  const unsigned positions = row.positions();
  std::array<Memory, kPositions> nothing;
  nothing.fill(Memory(kWords));
  unsigned rounds = 0;
  unsigned deadlocks = 0;
  for (; row.bench().cycle() < cycles; ++rounds) {
    Schedule schedule = random_schedule(dice, positions, static_cast<unsigned>(dice.between(4, 80)));
    for (unsigned i = 0; i < dice.below(3); ++i) spoil(dice, schedule);
    // Every now and then surely a deadlock, and time to get there.
    const bool surely = rounds % 4 == 0;
    while (surely && outcome(schedule, nothing).complete) spoil(dice, schedule);
    row.start(schedule);
    const uint64_t patience = !surely && dice.chance(50) ? dice.below(1500) : UINT64_MAX;
    const auto run = [&] {
      for (uint64_t i = 0; i < patience && !row.finished() && row.still() < kStill; ++i) row.bench().step();
    };
    run();
    deadlocks += row.still() == kStill;
    if (dice.chance(50)) {
      row.halt(static_cast<uint8_t>(1U << dice.below(positions)));
      row.bench().steps(2);
      run();
    }
    const bool together = dice.chance(50);
    for (unsigned i = 0; i < positions; ++i) {
      row.halt(static_cast<uint8_t>(together ? 0xff : 1U << i));
      if (!together) row.bench().steps(dice.below(3));
    }
    row.bench().steps(dice.below(5));
    restart(row);
    if (dice.chance(30)) {
      row.start(random_schedule(dice, positions, 20));
      finish(row);
    }
  }
  fmt::print("{} positions, {} rounds, {} deadlocks\n", positions, rounds, deadlocks);
  check(deadlocks > 0, "nothing got stuck: this tests nothing");
}

bool good(unsigned op, uint32_t rs1, uint32_t rs2, unsigned position, uint8_t participants,
          unsigned positions) {
  if (op > 3) return false;
  if (op >= 2) return true;
  const uint32_t bytes = rs2 & 0xff'ffff;
  const uint32_t peer = rs2 >> 24;
  const uint64_t at = uint64_t{rs1} - 0x1000'0000;
  if (rs1 < 0x1000'0000 || bytes == 0 || at + bytes > 0x2'0000 || (at | bytes) % 32 != 0) return false;
  const unsigned others = participants & ((1U << positions) - 1) & ~(1U << position);
  if (op == Step::kSend) return peer != 0 && (peer & ~others) == 0;
  return peer < positions && (others >> peer & 1) != 0;
}

void illegal(uint64_t seed, uint64_t cycles) {
  Row row(seed);
  Random& dice = row.random();
  Vtb_channel& pins = row.top();
  unsigned refused = 0;
  unsigned accepted = 0;
  for (uint64_t n = 0; n < cycles; ++n) {
    const auto i = static_cast<unsigned>(dice.below(row.positions()));
    const auto op = static_cast<unsigned>(dice.chance(90) ? dice.below(4) : dice.below(128));
    // Good ones, with one or two things wrong now and then.
    const unsigned words =
        static_cast<unsigned>(dice.chance(50) ? dice.between(1, 8) : dice.between(1, kWords));
    const unsigned at = static_cast<unsigned>(dice.chance(50) ? kWords - words : dice.below(kWords));
    uint32_t rs1 = 0x1000'0000 + 32 * at;
    uint32_t rs2 = 32 * words;
    const auto participants = static_cast<uint8_t>(dice.chance(50) ? 0xff : dice.next());
    rs2 |= static_cast<uint32_t>(op == Step::kReceive && dice.chance(80) ? dice.below(8)
                                                                         : dice.next() & participants)
           << 24;
    if (dice.chance(30)) rs1 ^= 1U << dice.below(32);
    if (dice.chance(30)) rs2 ^= 1U << dice.below(32);
    if (dice.chance(5)) rs1 = static_cast<uint32_t>(dice.number());
    if (dice.chance(5)) rs2 = static_cast<uint32_t>(dice.number());
    if (dice.chance(5)) rs2 &= 0xff00'0000;
    pins.participants_i = participants;
    pins.issue_valid_i = static_cast<uint8_t>(1U << i);
    Field(pins.issue_op_i, 7 * i, 7).set(op);
    Field(pins.issue_rs1_i, 32 * i, 32).set(rs1);
    Field(pins.issue_rs2_i, 32 * i, 32).set(rs2);
    row.bench().settle();
    const bool expect_good = good(op, rs1, rs2, i, participants, row.positions());
    const bool ready = pins.issue_ready_o == pins.issue_valid_i;
    const bool bad = pins.issue_bad_o == pins.issue_valid_i;
    // A wait for what has not begun is no mistake that an engine could see.
    const bool endless = op >= 2 && op <= 3 && static_cast<int32_t>(0 - rs1) < 0;
    check(bad == !expect_good && ready == !endless,
          fmt::format("op {} rs1 {:#x} rs2 {:#x} at {} with {:#x}: ready {} bad {}", op, rs1, rs2, i,
                      participants, ready, bad));
    (expect_good ? accepted : refused) += 1;
    if (expect_good && op < 2) continue;
    row.bench().tick();  // not taken, or without consequences
    pins.issue_valid_i = 0;
    row.bench().settle();
    check(pins.busy_o == 0 && !pins.bus_busy_o, "a command that was refused has consequences");
  }
  pins.issue_valid_i = 0;
  fmt::print("{} commands refused, {} not\n", refused, accepted);
  check(refused > 0 && accepted > 0, "only one sort of commands");
  // Tickets begin at 1: nothing was begun.
  row.start(random_schedule(dice, row.positions(), 20));
  finish(row);
}

Step step(Step::Kind kind, unsigned at, unsigned words, unsigned peer) { return {kind, at, words, peer, 0}; }

// `count` sends of `words` from each of `senders` to all others.
Schedule broadcast(unsigned positions, unsigned senders, unsigned words, unsigned count) {
  Schedule schedule;
  schedule.participants = static_cast<uint8_t>((1U << positions) - 1);
  std::array<unsigned, kPositions> at{};
  for (unsigned n = 0; n < count; ++n) {
    for (unsigned s = 0; s < senders; ++s) {
      for (unsigned i = 0; i < positions; ++i) {
        Program& program = schedule.programs[i];
        if (i == s) {
          program.push_back(step(Step::kSend, kHalf, words, schedule.participants & ~(1U << s)));
        } else {
          program.push_back(step(Step::kReceive, at[i], words, s));
          at[i] = (at[i] + words) % kHalf;
        }
      }
    }
  }
  return schedule;
}

void figure(const char* what, Row& row, const Schedule& schedule) {
  row.start(schedule);
  const uint64_t before = row.sent();
  while (row.sent() == before) row.bench().step();
  const uint64_t begin = row.bench().cycle() - 1;
  uint64_t end = begin;
  for (uint64_t seen = row.sent(); !row.complete();) {
    check(row.still() < kStill, "programs that must come to an end do not");
    row.bench().step();
    if (row.sent() != seen) end = row.bench().cycle() - 1;
    seen = row.sent();
  }
  const double words = static_cast<double>(row.sent() - before);
  fmt::print("{}: {} words in {} cycles, {:.3f} of the bus\n", what, words, end - begin + 1,
             words / static_cast<double>(end - begin + 1));
}

void figures(uint64_t seed, uint64_t) {
  Row row(seed);
  const unsigned positions = row.positions();
  fmt::print("{} positions; random stalls first\n", positions);
  figure("one to all, random stalls of everything", row, broadcast(positions, 1, 2048, 1));
  row.full_speed();
  row.bench().steps(300);
  figure("one to all, 64 KiB", row, broadcast(positions, 1, 2048, 1));
  row.conflicts(10);
  figure("the same, local memories busy every tenth cycle", row, broadcast(positions, 1, 2048, 1));
  row.conflicts(0);
  figure("one to all, 16 x 2 KiB", row, broadcast(positions, 1, 64, 16));
  figure("one to all, 64 x 256 bytes", row, broadcast(positions, 1, 8, 64));
  figure("one to all, 64 x 32 bytes", row, broadcast(positions, 1, 1, 64));
  figure("all to all, 4 x 4 KiB each", row, broadcast(positions, positions, 128, 4));
  figure("all to all, 16 x 32 bytes each", row, broadcast(positions, positions, 1, 16));
  Schedule pairs;
  pairs.participants = static_cast<uint8_t>((1U << positions) - 1);
  for (unsigned i = 0; i < positions; ++i) {
    pairs.programs[i] = {step(Step::kReceive, 0, 128, i ^ 1U), step(Step::kSend, kHalf, 128, 1U << (i ^ 1U))};
  }
  if (positions % 2 == 0) figure("all swap 4 KiB with a neighbour", row, pairs);

  // A receive waits; cycles from the send to the end of the receiver's wait.
  Schedule one;
  one.participants = 3;
  one.programs[1] = {step(Step::kReceive, 0, 1, 0), {Step::kWaitReceive, 0, 0, 0, 1}};
  row.start(one);
  row.bench().steps(20);
  check(!row.finished(), "a receive ended without a send");
  // The same schedule with the sender's half: started anew, it goes on from here.
  row.halt(0xff);
  row.bench().steps(2);
  row.reset_engines();
  one.programs[0] = {step(Step::kSend, kHalf, 1, 2), {Step::kWaitSend, 0, 0, 0, 1}};
  row.start(one);
  finish(row);
  fmt::print("32 bytes: the sender's wait is over {}, the receiver's {} cycles after the send\n",
             row.issued_at(0, Step::kWaitSend) - row.issued_at(0, Step::kSend),
             row.issued_at(1, Step::kWaitReceive) - row.issued_at(0, Step::kSend));
}

}  // namespace
}  // namespace swai::channel

int main(int argc, char** argv) {
  using namespace swai::channel;
  return swai::verif::test_main(argc, argv,
                                {{"random", random_programs},
                                 {"restarts", restarts},
                                 {"stuck", stuck},
                                 {"illegal", illegal},
                                 {"figures", figures}});
}
