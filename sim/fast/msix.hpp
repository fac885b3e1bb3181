// SPDX-License-Identifier: Apache-2.0
// The MSI-X table of the endpoint (BAR2): what a vector's message is, which are masked, which are pending.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace swai {
class Archive;
}

namespace swai::fast {

class Msix {
 public:
  static constexpr unsigned kVectors = 32;

  struct Message {
    uint64_t address = 0;
    uint32_t data = 0;
  };

  // Words of the BAR.
  uint32_t read(uint64_t offset) const;
  void write(uint64_t offset, uint32_t data, uint32_t mask);

  void raise(unsigned vector) { pending_ |= uint32_t{1} << vector; }
  // The next message that may be sent; in turns.
  std::optional<Message> take();
  bool deliverable() const { return (pending_ & ~masked_) != 0; }
  void drop() { pending_ = 0; }
  void reset();
  void visit(Archive& archive);

 private:
  static constexpr uint64_t kPending = 0x8000;
  std::array<Message, kVectors> table_{};
  uint32_t masked_ = ~uint32_t{0};
  uint32_t pending_ = 0;
  unsigned last_ = 0;
};

}  // namespace swai::fast
