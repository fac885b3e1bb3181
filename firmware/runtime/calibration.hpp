// Measures what the engines take for copies on the card: those of the card's own before it serves anybody,
// those over the link when a host has said where its buffer is.
#pragma once

#include <algorithm>
#include <array>
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
  Calibration(M& machine, Costs& costs, Routes<M>& routes, Queues<M>& queues)
      : machine_(machine), costs_(costs), routes_(routes), queues_(queues) {}

  [[gnu::cold, gnu::noinline]] void init(const Scratch& scratch) {
    scratch_ = scratch;
    costs_.forget(~uint32_t{0});
    at_boot_ = over_link_ = 0;
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
  // While nothing else is under way. What is known already is not measured again.
  [[gnu::cold, gnu::noinline]] void measure_link() {
    const uint64_t before = machine_.time();
    for (const Engine engine : {Engine::kHost, Engine::kRootComplex}) {
      if ((costs_.known() & set_of(engine)) != 0) continue;
      measure(engine, [this, engine](uint64_t bytes) {
        return routes_.run(engine, {scratch_.own, scratch_.hosts, bytes});
      });
    }
    over_link_ += machine_.time() - before;
  }
  // Cycles that it took.
  uint64_t at_boot() const { return at_boot_; }
  uint64_t over_link() const { return over_link_; }

 private:
  static_assert(Costs::sizes(Engine::kCores).back() <= Scratch::kBytes / 2);

  template <typename Copy>
  [[gnu::cold, gnu::noinline]] void measure(Engine engine, Copy copy) {
    const auto sizes = Costs::sizes(engine);
    Costs::Cycles cycles = {};
    for (unsigned i = 0; i < sizes.size(); ++i) {
      // The first time its code comes into the caches; a refresh of the memory falls into one or the other.
      std::array<uint64_t, 3> rounds = {};
      for (uint64_t& round : rounds) {
        const uint64_t before = machine_.time();
        if (!copy(sizes[i])) return;
        round = machine_.time() - before;
      }
      const auto [a, b, c] = rounds;
      cycles[i] = std::max(std::min(a, b), std::min(std::max(a, b), c));  // the one in the middle
    }
    costs_.learn(engine, cycles);
  }

  M& machine_;
  Costs& costs_;
  Routes<M>& routes_;
  Queues<M>& queues_;
  Scratch scratch_ = {};
  uint64_t at_boot_ = 0;
  uint64_t over_link_ = 0;
};

}  // namespace swai::runtime
