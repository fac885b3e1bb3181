// SPDX-License-Identifier: Apache-2.0
// A root complex with software cards, for tests.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "sim/board/rootport/root_complex.hpp"
#include "sim/common/random.hpp"
#include "verif/sim/board/rootport/soft_card.hpp"

namespace swai::rootport {

inline std::vector<uint8_t> random_bytes(verif::Random& random, size_t count) {
  std::vector<uint8_t> out(count);
  for (uint8_t& byte : out) byte = static_cast<uint8_t>(random.next());
  return out;
}

struct TestBench {
  explicit TestBench(const SoftCardOptions& card = {}, const PortOptions& port = {}, unsigned cards = 1,
                     const RootOptions& options = {})
      : root(options) {
    for (unsigned i = 0; i < cards; ++i) {
      SoftCardOptions mine = card;
      mine.seed = card.seed * 100 + i;
      RootPort& added = root.add(port);
      soft.push_back(std::make_unique<SoftCard>(added, mine));
      root.set_run(i, [soft = soft.back().get()](uint64_t cycles) { soft->run(cycles); });
    }
  }
  ~TestBench() {
    for (const auto& card : soft) CHECK(card->error == "");
  }

  RootPort& port(unsigned i = 0) { return root.port(i); }
  SoftCard& card(unsigned i = 0) { return *soft[i]; }

  // In steps of `slice` cycles.
  template <typename Condition>
  bool until(Condition condition, uint64_t limit = 200'000, uint64_t slice = 37) {
    const uint64_t end = root.cycle() + limit;
    while (!condition()) {
      if (root.cycle() >= end) return false;
      root.advance(std::min(slice, end - root.cycle()));
    }
    return true;
  }
  void up() {
    for (unsigned i = 0; i < root.cards(); ++i) port(i).link_up();
    REQUIRE(until([&] {
      for (unsigned i = 0; i < root.cards(); ++i) {
        if (port(i).link() != LinkState::kReady) return false;
      }
      return true;
    }));
  }
  bool done(const ReadHandle& handle) {
    return until([&] { return handle->status != RequestStatus::kPending; });
  }
  bool done(const WriteHandle& handle) {
    return until([&] { return handle->status != RequestStatus::kPending; });
  }
  // Nothing under way any more, here or there.
  bool idle() {
    return until([&] {
      bool waits = false;
      for (const auto& card : soft) waits |= card->waiting() != 0;
      return !waits && root.quiet();
    });
  }

  RootComplex root;
  std::vector<std::unique_ptr<SoftCard>> soft;
};

}  // namespace swai::rootport
