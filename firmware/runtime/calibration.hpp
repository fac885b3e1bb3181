// SPDX-License-Identifier: Apache-2.0
// Measures what the engines take for copies on the card: those of the card's own before it serves anybody,
// those over the link when a host has said where its buffer is.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "abi/segment.hpp"
#include "firmware/runtime/costs.hpp"
#include "firmware/runtime/queues.hpp"
#include "firmware/runtime/routes.hpp"

namespace swai::runtime {

// Memory of the runtime's own that copies go to, and the same for cores; and memory that the host reaches,
// which is only read.
struct Scratch {
  static constexpr uint64_t kBytes = 512 << 10;
  uint16_t segment = 0;
  uint64_t own = 0;
  uint64_t hosts = 0;
};

template <Machine M>
class Calibration {
 public:
  Calibration(M& machine, Costs& costs, Routes<M>& routes, Transfers<M>& transfers, Queues<M>& queues)
      : machine_(machine), costs_(costs), routes_(routes), transfers_(transfers), queues_(queues) {}

  [[gnu::cold, gnu::noinline]] void init(const Scratch& scratch) {
    scratch_ = scratch;
    costs_.forget(~uint32_t{0});
    at_boot_ = over_link_ = 0;
    state_ = State::kIdle;
    channels_ = 0;
  }
  // While no queue is open.
  [[gnu::cold, gnu::noinline]] void measure_card() {
    const uint64_t before = machine_.time();
    measure(Engine::kProcessor, [this](uint64_t bytes) {
      machine_.move(scratch_.own, scratch_.hosts, bytes);
      return true;
    });
    measure(Engine::kCores, [this](uint64_t bytes) {
      const uint64_t to = segment::pointer(scratch_.segment, 0);
      return queues_.run_copy(to, to + Scratch::kBytes / 2, bytes);
    });
    at_boot_ = machine_.time() - before;
  }
  // Measures the ways over the link for this client, in steps: others have their turn while a copy runs. What
  // is known already is not measured again. True: it is done; else step() whenever a copy may have ended, and
  // ask again.
  [[gnu::cold, gnu::noinline]] bool measure_link(uint8_t context) {
    if (state_ == State::kIdle) {
      state_ = State::kRuns;
      context_ = context;
      way_ = 0;
      begin_way();
    }
    step();
    if (state_ != State::kDone) return false;
    state_ = State::kIdle;
    return true;
  }
  bool measures_link() const { return state_ == State::kRuns; }
  [[gnu::cold, gnu::noinline]] void step() {
    if (state_ != State::kRuns) return;
    if (channels_ != 0) {
      if (!all_over()) return;
      const uint64_t took = machine_.time() - began_;
      over_link_ += took;
      if (finish()) {
        note_round(took);
      } else {
        next_way();
      }
    }
    while (state_ == State::kRuns && !begin_round()) next_way();
  }
  // The client goes, and its channels have been stopped.
  void drop(uint8_t context) {
    if (context_ != context) return;
    state_ = State::kIdle;
    finish();
  }
  // Cycles that it took.
  uint64_t at_boot() const { return at_boot_; }
  uint64_t over_link() const { return over_link_; }

 private:
  static_assert(Costs::sizes(Engine::kCores).back() <= Scratch::kBytes / 2);

  // The first time its code comes into the caches; a refresh of the memory falls into one or the other.
  using Rounds = std::array<uint64_t, 3>;
  static uint64_t middle_of(const Rounds& rounds) {
    const auto [a, b, c] = rounds;
    return std::max(std::min(a, b), std::min(std::max(a, b), c));
  }
  template <typename Copy>
  [[gnu::cold, gnu::noinline]] void measure(Engine engine, Copy copy) {
    const auto sizes = Costs::sizes(engine);
    Costs::Cycles cycles = {};
    for (unsigned i = 0; i < sizes.size(); ++i) {
      Rounds rounds = {};
      for (uint64_t& round : rounds) {
        const uint64_t before = machine_.time();
        if (!copy(sizes[i])) return;
        round = machine_.time() - before;
      }
      cycles[i] = middle_of(rounds);
    }
    costs_.learn(engine, cycles);
  }

  // --- Over the link: one copy after the other, of each size three

  static constexpr std::array<Engine, 2> kWays = {Engine::kHost, Engine::kRootComplex};
  enum class State : uint8_t { kIdle, kRuns, kDone };

  void next_way() {
    ++way_;
    begin_way();
  }
  void begin_way() {
    while (way_ < kWays.size() && (costs_.known() & set_of(kWays[way_])) != 0) ++way_;
    if (way_ == kWays.size()) state_ = State::kDone;
    size_ = round_ = 0;
  }
  // False: there are no channels.
  bool begin_round() {
    const CardCopy copy = {scratch_.own, scratch_.hosts, Costs::sizes(kWays[way_])[size_]};
    began_ = machine_.time();
    channels_ = routes_.start(kWays[way_], copy, context_, Routes<M>::kLanes);
    return channels_ != 0;
  }
  void note_round(uint64_t cycles) {
    rounds_[round_] = cycles;
    if (++round_ < rounds_.size()) return;
    round_ = 0;
    cycles_[size_] = middle_of(rounds_);
    if (++size_ < cycles_.size()) return;
    costs_.learn(kWays[way_], cycles_);
    next_way();
  }
  bool all_over() const {
    for (uint32_t left = channels_; left != 0; left &= left - 1) {
      if (!transfers_.over(static_cast<unsigned>(std::countr_zero(left)))) return false;
    }
    return true;
  }
  // Gives back the channels that are over. Whether all were, and were good.
  bool finish() {
    bool good = true;
    for (uint32_t left = channels_; left != 0; left &= left - 1) {
      const auto channel = static_cast<unsigned>(std::countr_zero(left));
      if (!transfers_.over(channel)) {
        good = false;
        continue;
      }
      good = transfers_.finish(channel) == 0 && good;
      channels_ &= ~(uint32_t{1} << channel);
    }
    return good;
  }

  M& machine_;
  Costs& costs_;
  Routes<M>& routes_;
  Transfers<M>& transfers_;
  Queues<M>& queues_;
  Scratch scratch_ = {};
  uint64_t at_boot_ = 0;
  uint64_t over_link_ = 0;
  State state_ = State::kIdle;
  uint8_t context_ = 0;
  unsigned way_ = 0;
  unsigned size_ = 0;
  unsigned round_ = 0;
  uint32_t channels_ = 0;  // of the copy that runs
  uint64_t began_ = 0;
  Rounds rounds_ = {};
  Costs::Cycles cycles_ = {};
};

}  // namespace swai::runtime
