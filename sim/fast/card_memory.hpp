// SPDX-License-Identifier: Apache-2.0
// The card's memory as plain memory of this process: HBM of all groups, and the SRAM of the management
// processor. What was never written is zero and costs nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace swai {
class Archive;
}

namespace swai::fast {

class CardMemory {
 public:
  static constexpr uint64_t kGroupBytes = uint64_t{16} << 30;

  // Throws std::runtime_error when the system has no room for so many addresses.
  explicit CardMemory(unsigned groups);
  ~CardMemory();
  CardMemory(const CardMemory&) = delete;
  CardMemory& operator=(const CardMemory&) = delete;

  unsigned groups() const { return groups_; }
  // Where these bytes are; null: not all of them are memory of one kind.
  uint8_t* at(uint64_t address, uint64_t bytes) const;
  uint8_t* hbm(uint64_t address, uint64_t bytes) const;
  uint8_t* sram(uint64_t address, uint64_t bytes) const;
  // Bytes of this range that are HBM become zero, and take no host memory any more.
  void discard(uint64_t address, uint64_t bytes);
  // Costs what was written, not what there is.
  void visit(Archive& archive);

 private:
  // Of HBM, those that are not zero.
  std::vector<uint64_t> written_pages() const;

  unsigned groups_;
  uint8_t* hbm_;
  uint8_t* sram_;
};

}  // namespace swai::fast
