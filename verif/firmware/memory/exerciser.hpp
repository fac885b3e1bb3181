// SPDX-License-Identifier: Apache-2.0
// Uses a memory manager at random, as several clients would, and compares it with a plain list of what
// everybody has. Draws its choices from whoever gives numbers: a generator, or a fuzzer's input.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <vector>

#include "firmware/memory/memory.hpp"
#include "verif/firmware/memory/fake_processor.hpp"

namespace swai::memory {

// Something is not as the list says.
struct Mismatch : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Exerciser {
 public:
  // choose(n) gives a number below n.
  using Choose = std::function<uint64_t(uint64_t)>;

  struct Options {
    unsigned groups = 2;
    uint64_t group_bytes = 64 * kBlockBytes;
    bool vandal = false;  // one client's kernels write whatever they reach
    unsigned pools = kMaxPools;
  };

  Exerciser(Choose choose, const Options& options);

  void step();
  // Frees everything, and looks whether it is all there again.
  void finish();

  // The largest share of memory in use at once, and of that the part that users asked for.
  double peak() const { return peak_; }
  double asked_share() const { return asked_share_; }

 private:
  // With the number that its owner has put at its beginning.
  struct Owned {
    Range range;
    uint64_t number;
  };

  void allocate();
  void free_one();
  void look_up();
  void misuse();
  void leave();
  void vandalise();
  void clear_some(unsigned steps);
  void reset();
  void check_untouched(const Owned& owned) const;
  uint64_t some_bytes();
  void check_new(const Range& range, uint64_t bytes, Usage usage, uint8_t context);
  void require(bool condition, const char* what) const;
  std::map<uint64_t, Owned>::iterator some_range();

  static constexpr uint8_t kContexts = 4;
  static constexpr uint8_t kVandal = 1;

  Choose choose_;
  Options options_;
  FakeProcessor processor_;
  Memory<FakeProcessor> memory_;
  Plan plan_;
  std::map<uint64_t, Owned> owned_;  // by physical address
  uint64_t asked_ = 0;
  double peak_ = 0;
  double asked_share_ = 0;
};

}  // namespace swai::memory
