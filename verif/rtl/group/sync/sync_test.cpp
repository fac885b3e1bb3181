// SPDX-License-Identifier: Apache-2.0
// Synchronisation of rows, columns and the whole group: random arrivals, every release against the rule.

#include <fmt/format.h>

#include <array>
#include <string>

#include "Vtb_sync.h"
#include "sim/common/field.hpp"
#include "verif/rtl/lib/bench.hpp"
#include "verif/rtl/lib/test_main.hpp"

namespace swai::sync {
namespace {

using verif::check;
using verif::Field;
using verif::Random;

constexpr unsigned kScopes = 3;  // row, column, all

// Every CPE takes part in rounds of all three scopes at once, each with delays of its own.
class Test : private verif::Agent {
 public:
  explicit Test(uint64_t seed) : bench_(seed) {
    top().arrive_i[0] = top().arrive_i[1] = top().arrive_i[2] = 0;
    top().active_i = 0;
    bench_.reset();
    rows_ = top().rows_o;
    columns_ = top().columns_o;
    bench_.add(*this);
  }

  void run(uint64_t cycles) {
    bench_.steps(cycles);
    for (unsigned s = 0; s < kScopes; ++s) {
      fmt::print("scope {}: {} releases\n", s, releases_[s]);
      check(releases_[s] > cycles / 50, "hardly anything was released");
    }
  }

 private:
  Vtb_sync& top() { return bench_.top(); }
  unsigned cpes() const { return rows_ * columns_; }
  unsigned bit(unsigned cpe, unsigned scope) const { return scope * cpes() + cpe; }

  static bool same_scope(unsigned scope, unsigned a, unsigned b, unsigned columns) {
    if (scope == 0) return a / columns == b / columns;
    if (scope == 1) return a % columns == b % columns;
    return true;
  }

  void drive() override {
    Random& random = bench_.random();
    if (random.chance(1)) {
      eager_ = static_cast<unsigned>(random.chance(50) ? 100 : random.between(5, 100));
      for (bool& active : active_) active = random.chance(80);
      if (random.chance(40)) active_.fill(true);
      if (random.chance(5)) active_.fill(false);
    }
    Field active(top().active_i, 0, 32);
    Field arrive(top().arrive_i, 0, 96);
    for (unsigned c = 0; c < cpes(); ++c) {
      active.set(c, 1, active_[c]);
      for (unsigned s = 0; s < kScopes; ++s) {
        bool& waits = arrived_[bit(c, s)];
        if (released_[bit(c, s)]) waits = false;  // it may arrive again at once
        if (!active_[c] && random.chance(5)) waits = false;
        if (!waits) waits = random.chance(eager_);
        arrive.set(bit(c, s), 1, waits);
      }
    }
  }

  void sample() override {
    const Field release(top().release_o, 0, 96);
    for (unsigned c = 0; c < cpes(); ++c) {
      for (unsigned s = 0; s < kScopes; ++s) {
        const bool is = release.get(bit(c, s), 1) != 0;
        check(is == expected_[bit(c, s)],
              fmt::format("cycle {}: CPE {} scope {}: release is {}", bench_.cycle(), c, s, is));
        releases_[s] += is;
      }
    }
    // What arrived before the release that is seen in this cycle is over with it: it counts from the next
    // cycle on.
    decltype(expected_) next{};
    for (unsigned c = 0; c < cpes(); ++c) {
      for (unsigned s = 0; s < kScopes; ++s) {
        bool all = active_[c];
        for (unsigned other = 0; other < cpes() && all; ++other) {
          if (!same_scope(s, c, other, columns_) || !active_[other]) continue;
          all = arrived_[bit(other, s)] && !expected_[bit(other, s)];
        }
        next[bit(c, s)] = all;
      }
    }
    released_ = expected_;
    expected_ = next;
  }

  verif::Bench<Vtb_sync> bench_;
  unsigned rows_ = 0;
  unsigned columns_ = 0;
  unsigned eager_ = 50;
  std::array<bool, 32> active_{};
  std::array<bool, 96> arrived_{};
  std::array<bool, 96> released_{};  // in the last cycle
  std::array<bool, 96> expected_{};  // in this cycle
  std::array<uint64_t, kScopes> releases_{};
};

}  // namespace
}  // namespace swai::sync

int main(int argc, char** argv) {
  return swai::verif::test_main(
      argc, argv, {{"random", [](uint64_t seed, uint64_t cycles) { swai::sync::Test(seed).run(cycles); }}});
}
