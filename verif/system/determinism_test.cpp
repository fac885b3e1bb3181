// SPDX-License-Identifier: Apache-2.0
// The same session gives the same cycles, counters and bytes, whatever else the machine does.

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi/crc32.hpp"
#include "verif/kit/doctest_main.hpp"
#include "verif/system/rig.hpp"
#include "verif/system/traffic.hpp"

namespace swai::system {
namespace {

using link::vendor::Fault;
using Log = std::vector<std::string>;

// A session that does all sorts of things at random, step by step, and writes down what it sees.
class Session {
 public:
  Session(link::Card& card, uint64_t seed) : card_(card), traffic_(card, seed), random_(seed + 1) {
    note("open");
  }

  void step() {
    Dma& dma = traffic_.dma;
    switch (random_.below(8)) {
      case 0: {
        std::vector<uint8_t> block(random_.between(1, 5000));
        for (auto& byte : block) byte = static_cast<uint8_t>(random_.next());
        card_.post_block(kMemoryBar, random_.below(1 << 16), block);
        break;
      }
      case 1: {
        std::vector<uint8_t> block(random_.between(1, 3000));
        card_.read_block(kMemoryBar, random_.below(1 << 16), block);
        note(fmt::format("read {:08x}", crc(block)));
        break;
      }
      case 2: {
        const auto result = card_.run_until(random_.next(), random_.below(3000));
        note(
            fmt::format("run {} {:x} {}", static_cast<uint64_t>(result.cause), result.vectors, result.cycle));
        break;
      }
      case 3:
      case 4:
        traffic_.send(random_.next());
        dma.start();
        card_.run_until(0, random_.below(5000));
        for (unsigned c = 0; c < dma::kChannels; ++c)
          note(fmt::format("head {} {:x}", c, dma.read(regs::dma::head::kAddr, c)));
        dma.finish();
        break;
      case 5:
        traffic_.fetch(random_.next());
        dma.finish();
        note(fmt::format("memory {:08x}", crc(traffic_.buffer.bytes())));
        break;
      case 6:
        traffic_.inject(random_.chance(50) ? Fault::kAbort : Fault::kPoisonCompletion, 1, random_.below(50));
        traffic_.send();
        for (const auto& stop : dma.finish_or_stop()) {
          note(fmt::format("stop {} {} {:x}", stop.channel, stop.cause, stop.address));
          dma.reset(stop.channel);
        }
        break;
      default:
        if (random_.chance(20)) {
          card_.reset();
          for (unsigned c = 0; c < dma::kChannels; ++c) dma.reset(c);
        }
        note(fmt::format("packets {}", traffic_.pcie(regs::pcie::packets_in::kAddr)));
    }
    note("step");
  }

  Log end() {
    for (uint64_t which = 0; which <= 9; ++which)
      note(fmt::format("statistic {} {}", which,
                       traffic_.statistic(static_cast<link::vendor::Statistic>(which))));
    for (uint64_t at = regs::pcie::errors_malformed::kAddr; at <= regs::pcie::bytes_out::kAddr; at += 8) {
      if (at > regs::pcie::errors_poisoned_completions::kAddr && at < regs::pcie::packets_in::kAddr) continue;
      note(fmt::format("counter {:x} {}", at, traffic_.pcie(at)));
    }
    return log_;
  }

 private:
  static uint32_t crc(std::span<const uint8_t> bytes) { return crc32(bytes); }
  void note(const std::string& what) { log_.push_back(fmt::format("{} {}", card_.cycle(), what)); }

  link::Card& card_;
  Traffic traffic_;
  verif::Random random_;
  Log log_;
};

Log alone(unsigned cards, uint64_t seed, unsigned steps) {
  const Rig rig({.cards = cards});
  const auto card = rig.open();
  Session session(*card, seed);
  for (unsigned i = 0; i < steps; ++i) session.step();
  return session.end();
}

// Two cards, each with its client, in turns.
std::array<Log, 2> together(uint64_t seed, unsigned steps) {
  const Rig rig({.cards = 2});
  const auto first = rig.open(0);
  const auto second = rig.open(1);
  Session one(*first, seed);
  Session two(*second, seed + 100);
  for (unsigned i = 0; i < steps; ++i) {
    one.step();
    two.step();
  }
  return {one.end(), two.end()};
}

void same(const Log& left, const Log& right) {
  CHECK(left.size() == right.size());
  for (size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    if (left[i] != right[i]) FAIL("line ", i, ": ", left[i], " and ", right[i]);
  }
}

// Processes that do nothing but compute.
class Load {
 public:
  Load() {
    for (auto& process : processes_) {
      process = ::fork();
      if (process != 0) continue;
      for (volatile uint64_t i = 0;; i = i + 1) {
      }
    }
  }
  ~Load() {
    for (const pid_t process : processes_) {
      ::kill(process, SIGKILL);
      ::waitpid(process, nullptr, 0);
    }
  }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

 private:
  std::array<pid_t, 2> processes_{};
};

}  // namespace

TEST_CASE("same: a session twice, on a busy machine, and beside a second card") {
  const unsigned steps = rounds(60);
  const Log first = alone(1, test_seed(), steps);
  CHECK(first.size() > 2 * steps);
  same(first, alone(1, test_seed(), steps));
  {
    const Load load;
    same(first, alone(1, test_seed(), steps));
  }
  same(first, alone(2, test_seed(), steps));
  CHECK(first != alone(1, test_seed() + 1, steps));
}

TEST_CASE("same: sessions on two cards") {
  const unsigned steps = rounds(30);
  const auto first = together(test_seed(), steps);
  const auto second = together(test_seed(), steps);
  for (size_t i = 0; i < 2; ++i) same(first[i], second[i]);
}

}  // namespace swai::system
