// SPDX-License-Identifier: Apache-2.0
// What can go wrong between us and a board. what() is a line that names cause and cure.
#pragma once

#include <stdexcept>
#include <string>

namespace swai::flash {

enum class Trouble {
  kNoBoard,  // nobody is there, or more than one
  kNoPermission,
  kBusy,         // another program has it
  kWrongBoard,   // it is not what it was taken for
  kUnknownChip,  // no flash chip, or none that we may trust ourselves with
  kGone,         // unplugged, or the card's process ended
  kNoAnswer,     // a transfer failed or took too long
  kRefused,      // it would do harm; a flag allows it, or nothing does
  kFailed,       // the chip does not keep what is written
};

class BoardError : public std::runtime_error {
 public:
  BoardError(Trouble trouble, const std::string& message) : std::runtime_error(message), trouble_(trouble) {}
  Trouble trouble() const { return trouble_; }

 private:
  Trouble trouble_;
};

}  // namespace swai::flash
