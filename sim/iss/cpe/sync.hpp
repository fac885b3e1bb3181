// Row and column synchronisation: who has arrived waits until all CPEs of the launch in the scope have.
#pragma once

#include <array>
#include <cstdint>

namespace swai::iss::cpe {

class Sync {
 public:
  enum Scope : uint8_t { kRow, kColumn, kAll };

  Sync(unsigned rows, unsigned columns) : rows_(rows), columns_(columns) {}

  // The CPEs of the launch. Whoever leaves it early is waited for all the same.
  void set_active(uint32_t mask);
  // The CPE arrives, or asks again. True: all have arrived, and it is told so once.
  bool wait(unsigned cpe, Scope scope);
  void reset(unsigned cpe);

  // Who has not arrived yet.
  uint32_t missing(unsigned cpe, Scope scope) const { return members(cpe, scope) & ~arrived_[scope]; }

 private:
  uint32_t members(unsigned cpe, Scope scope) const;

  unsigned rows_;
  unsigned columns_;
  uint32_t active_ = 0;
  std::array<uint32_t, 3> arrived_{};
  std::array<uint32_t, 3> released_{};  // and not yet told
};

}  // namespace swai::iss::cpe
