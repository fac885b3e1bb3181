// SPDX-License-Identifier: Apache-2.0
// A simulated card in a process of its own, for tests that use it as any host program would.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/transport/card.hpp"
#include "verif/kit/process.hpp"

namespace swai::system {

// Errors of PCIe that the card keeps, in configuration space.
inline constexpr unsigned kAerUncorrectable = 0x104;
inline constexpr uint32_t kAerPoisoned = 1 << 12;

// build/swai-card-tiny, or what the environment variable SWAI_CARD names instead.
std::string card_program();

// How often a case does something at random. A round takes seconds in RTL: there it is a quarter of them, and
// at least this many, but in long tests.
unsigned rounds(unsigned whole, unsigned least = 1);

struct RigOptions {
  std::string program = card_program();
  unsigned cards = 1;
  std::vector<std::string> arguments;  // more ones for swai-card
  bool functional = false;             // of the functional model, as SWAI_TIER=fast has all of them
};

// Flash files and sockets live in a folder of their own, which goes with the rig.
class Rig {
 public:
  explicit Rig(const RigOptions& options = {});
  ~Rig();
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;

  // A connection to a card, in deterministic time unless the options say otherwise.
  std::unique_ptr<link::Card> open(unsigned card = 0, const link::VfioUserOptions& options = {}) const;
  std::string socket(unsigned card = 0) const;
  common::Process& process() { return *process_; }

 private:
  std::string folder_;
  std::unique_ptr<common::Process> process_;
};

// The same card for all cases of a program that have this: a boot takes longer than most cases, and what one
// leaves behind on the card must not matter to the next. After a case that was given up there is a new one.
class SharedRig {
 public:
  SharedRig();
  ~SharedRig();
  SharedRig(const SharedRig&) = delete;
  SharedRig& operator=(const SharedRig&) = delete;

  const Rig* operator->() const { return booted().get(); }

 private:
  static std::unique_ptr<Rig>& booted();

  const int exceptions_;
};

}  // namespace swai::system
