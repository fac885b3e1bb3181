// SPDX-License-Identifier: Apache-2.0
// Row and column synchronisation: who has arrived waits until all CPEs of the launch in the scope have.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

namespace swai {
class Archive;
}

namespace swai::iss::cpe {

class Sync {
 public:
  enum Scope : uint8_t { kRow, kColumn, kAll };

  Sync(unsigned rows, unsigned columns) : rows_(rows), columns_(columns) {}

  // The CPEs of the launch. Whoever leaves it early is waited for all the same.
  void set_active(uint32_t mask);
  // The CPE arrives, or asks again. True: it has been released, and is told so once. Changes nothing for
  // others.
  bool wait(unsigned cpe, Scope scope);
  // It waits, and nobody has released it yet.
  bool has_arrived(unsigned cpe, Scope scope) const { return states_[cpe][scope] == kArrived; }
  // Releases those whose scope has arrived, and tells who they are; true: there were any.
  bool release(const std::function<void(uint32_t cpes)>& released);
  void reset(unsigned cpe) { states_[cpe] = {}; }

  // Who has not arrived yet.
  uint32_t missing(unsigned cpe, Scope scope) const;
  void visit(Archive& archive);

 private:
  enum State : uint8_t { kAway, kArrived, kReleased };

  uint32_t members(unsigned cpe, Scope scope) const;

  unsigned rows_;
  unsigned columns_;
  uint32_t active_ = 0;
  std::array<std::array<State, 3>, 32> states_{};  // by CPE and scope
};

}  // namespace swai::iss::cpe
