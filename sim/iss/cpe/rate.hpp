// SPDX-License-Identifier: Apache-2.0
// When a shared part has time: pieces of 64 cycles, each of which has room for so much. Whoever asks gets the
// first room from its own time on. So it may be asked in any order of time: what is early does not wait for
// what was asked for before but comes later.
#pragma once

#include <cstdint>
#include <vector>

namespace swai {
class Archive;
}

namespace swai::iss::cpe {

class Rate {
 public:
  static constexpr uint64_t kPiece = 64;  // cycles

  struct Request {
    uint64_t start = 0;
    uint64_t count = 1;
    bool write = false;  // pieces with both kinds have less room
  };

  // It knows the last `pieces` of time, a power of two; what is older is taken for free.
  explicit Rate(size_t pieces) : pieces_(pieces) {}
  // When the last one is served, each of which takes so many cycles of the part's time: 1, or those of a line
  // in a channel of the memory.
  template <uint64_t kEach = 1>
  uint64_t take(const Request& request);
  void visit(Archive& archive);

 private:
  struct Piece {
    uint64_t number = 0;
    uint32_t used = 0;  // cycles
    bool reads = false;
    bool writes = false;
  };
  void filled(uint64_t number);

  std::vector<Piece> pieces_;
  // All pieces from the one to the other are full.
  uint64_t full_from_ = 0;
  uint64_t full_to_ = 0;
};

}  // namespace swai::iss::cpe
