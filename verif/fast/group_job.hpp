// A random kernel for all cores of a group (verif/iss/cpe/random), as what has to lie in memory. The model's
// names stay away from those of the card's.
#pragma once

#include <cstdint>
#include <vector>

namespace swai::fast {

class GroupJob {
 public:
  static constexpr uint16_t kDaemonSegment = 1;
  static constexpr uint16_t kCodeSegment = 2;
  static constexpr uint32_t kDaemonPc = 0x4000'0000;
  static constexpr uint32_t kPc = 0x5000'0000;

  GroupJob(unsigned rows, unsigned columns, uint64_t seed);

  struct Piece {
    uint16_t segment = 0;
    uint8_t permissions = 0;
    std::vector<uint8_t> bytes;
    std::vector<uint8_t> after;  // empty: it stays as it is
  };
  const std::vector<Piece>& pieces() const { return pieces_; }

 private:
  std::vector<Piece> pieces_;
};

}  // namespace swai::fast
