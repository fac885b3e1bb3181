// SPDX-License-Identifier: Apache-2.0
// Instructions that are executed often, as code of the host (x86-64 with BMI2): what lies behind a place that
// jumps lead to, up to what it cannot do itself. It does to a hart what Hart's rows of the same instructions
// do, and goes on with the row of what comes next, so nobody else has to know.
//
// No page is ever writable and executable: the code lies in a memory file that is mapped twice, once to be
// written and once, at another address, to be executed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace swai::iss::cpe {

struct Slot;

class HostCode {
 public:
  // What it uses of a hart: where members are, and rows, which are functions
  // (Hart& hart, const Slot* slot, uint32_t left, uint64_t extra).
  struct Hart {
    uint32_t registers = 0;     // offset of x_
    uint32_t local_memory = 0;  // offset of a pointer to it
    const void* rows = nullptr;
    const void* by_itself = nullptr;  // the row of what has to be executed by itself
    // Does a command that only sets a unit up; false: it is to be executed by itself.
    const void* set = nullptr;  // bool (Hart& hart, const Slot* slot)
  };
  // Who knows the slots.
  struct Source {
    std::function<uint8_t(const Slot& slot)>
        row;  // of what stands there, which a place of jumps does not show
    std::function<uint32_t(const Slot* slot)> address;
    // Is worth being looked at for itself, when it is executed often.
    std::function<void(const Slot* slot)> mark;
    // Where the code of a place of jumps will stand, if it gets any; null: it is none.
    std::function<const void* const*(const Slot* slot)> code;
  };

  HostCode();
  ~HostCode();
  HostCode(const HostCode&) = delete;
  HostCode& operator=(const HostCode&) = delete;

  // False: this host cannot, or does not let programs make code.
  bool available() const { return executable_ != nullptr; }
  // A row; null: it is not worth it, or there is no room.
  const void* make(const Slot* first, const Hart& hart, const Source& source);
  // In less room than a pointer has.
  uint32_t offset(const void* code) const {
    return static_cast<uint32_t>(static_cast<const uint8_t*>(code) - executable_);
  }
  const void* at(uint32_t offset) const { return executable_ + offset; }
  // Nobody may run meanwhile.
  void forget() { used_ = kBegin; }

 private:
  // Sanitizers look at what is in front of a function.
  static constexpr size_t kBegin = 64;

  uint8_t* writable_ = nullptr;
  uint8_t* executable_ = nullptr;
  size_t used_ = kBegin;
};

}  // namespace swai::iss::cpe
