// SPDX-License-Identifier: Apache-2.0
// Puts a module's code into memory.
#pragma once

#include <algorithm>
#include <cstdint>

#include "abi/group/machine.hpp"
#include "abi/module_reader.hpp"
#include "abi/segment.hpp"

namespace swai::group {

// What a module's code segment occupies.
inline uint64_t code_segment_bytes(const module::Module& module) {
  return (module.code_bytes() + segment::kGranuleBytes - 1) & ~(segment::kGranuleBytes - 1);
}

// Copies a module's code to `address`, where there are code_segment_bytes() of room, in steps that each take
// about the same time. What no piece covers becomes zero.
class CodeLoad {
 public:
  void begin(uint64_t address) {
    address_ = address;
    zeroed_ = piece_ = copied_ = 0;
  }
  // True: all is there, and CPEs find it. The file and the memory must be there at each step.
  template <Machine M>
  [[gnu::cold, gnu::noinline]] bool step(M& machine, const module::Module& module) {
    const auto pieces = module.pieces();
    const bool has_gaps = pieces.size() != 1 || pieces[0].data.size() != module.code_bytes();
    if (has_gaps && zeroed_ < module.code_bytes()) {
      const uint64_t some = some_of(zeroed_, module.code_bytes());
      machine.zero(address_ + zeroed_, some);
      machine.publish(address_ + zeroed_, some);
      zeroed_ += some;
      return false;
    }
    if (piece_ == pieces.size()) return true;
    const module::Piece& piece = pieces[piece_];
    const uint64_t to = address_ + piece.offset + copied_;
    const uint64_t some = some_of(copied_, piece.data.size());
    machine.copy(to, piece.data.subspan(copied_, some));
    machine.publish(to, some);
    copied_ += some;
    if (copied_ == piece.data.size()) {
      copied_ = 0;
      ++piece_;
    }
    return piece_ == pieces.size();
  }

 private:
  static constexpr uint64_t kSome = 512;
  static uint64_t some_of(uint64_t done, uint64_t all) { return std::min(kSome, all - done); }

  uint64_t address_ = 0;
  uint64_t zeroed_ = 0;
  uint64_t piece_ = 0;
  uint64_t copied_ = 0;  // of the piece
};

// The entry for the segment of code that lies there. CPEs may run it and read it, not write it. What follows
// the code in the segment's last granule is readable, too, and stays as it is.
inline segment::Entry code_entry(const module::Module& module, uint64_t address,
                                 uint8_t owner = segment::kShared) {
  return {address, code_segment_bytes(module), segment::kRead | segment::kExecute, owner};
}

// All of it at once.
template <Machine M>
[[gnu::cold, gnu::noinline]] segment::Entry load_code(M& machine, const module::Module& module,
                                                      uint64_t address, uint8_t owner = segment::kShared) {
  CodeLoad load;
  load.begin(address);
  while (!load.step(machine, module)) {
  }
  return code_entry(module, address, owner);
}

}  // namespace swai::group
