// SPDX-License-Identifier: Apache-2.0
// What goes wrong, and where: read from the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/board/flash/flash_chip.hpp"

namespace swai::usb {

// An option that says nothing sensible; what() names cause and cure.
class FaultError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Happens to a transfer. They are counted from 1 in the order of their submission, control transfers with the
// rest.
struct TransferFault {
  enum class Kind : uint8_t {
    kUnplug,   // the device is gone after so many bytes of it
    kStall,    // it ends with a stall; a bulk endpoint stays halted until that is cleared
    kError,    // it ends with a protocol error
    kTimeout,  // it never ends
    kNak,      // it begins only so many milliseconds later
    kShort,  // it ends after so many bytes; from the host: the rest is not taken, to the host: the rest comes
             // later
  };
  Kind kind{};
  uint64_t transfer = 0;
  uint64_t amount = 0;

  bool operator==(const TransferFault&) const = default;
};

const char* name_of(TransferFault::Kind kind);

// Power goes in the course of an operation of the chip: programming, erasing, writing its status.
struct PowerCut {
  std::optional<uint64_t> byte;       // this one of all that are programmed or erased, from 1, is under way
  std::optional<uint64_t> operation;  // this one, from 1, is under way
  double progress = 0;                // of the operation, when it was named: 0 to 1
};

struct FaultPlan {
  std::vector<TransferFault> transfers;
  std::optional<PowerCut> cut;
  card::FlashDefects defects;
  std::optional<bool> data_line;  // the chip's output is stuck at this
  bool claimed = false;           // another program holds the interfaces
  bool no_access = false;         // the device node may not be opened
  bool detach_refused = false;    // the kernel does not let go of its driver

  // The fault that this transfer has, if any.
  const TransferFault* at(uint64_t transfer) const;
};

// Adds what an option --fault says, with `seed` for what it leaves open. Throws FaultError.
void add_fault(FaultPlan& plan, const std::string& text, uint64_t seed);

}  // namespace swai::usb
