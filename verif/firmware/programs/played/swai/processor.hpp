// SPDX-License-Identifier: Apache-2.0
// Replaces the header of the same name in firmware/programs: programs run on the host, and their calls go to
// a fake kernel of the test. Host and program share caches, so lines are only written.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "abi/line.hpp"
#include "abi/program.hpp"

namespace swai::program {

using protocol::Status;

struct CallAnswer {
  Status status;
  uint64_t value;
};
using CommandWords = std::array<uint64_t, protocol::kSlotBytes / sizeof(uint64_t)>;

class Played {
 public:
  virtual CallAnswer call(uint64_t function, uint64_t first, uint64_t second) = 0;
  virtual Status submit(uint64_t function, const CommandWords& words, uint32_t& ticket) = 0;
  // Called each time that the program reads them.
  virtual const volatile Notes& notes() = 0;

  static Played& current() { return *current_; }

 protected:
  Played() { current_ = this; }
  ~Played() { current_ = nullptr; }
  Played(const Played&) = delete;
  Played& operator=(const Played&) = delete;

 private:
  static inline Played* current_ = nullptr;
};

inline CallAnswer call(uint64_t function, uint64_t first, uint64_t second = 0) {
  return Played::current().call(function, first, second);
}
inline CallAnswer call(Call function, uint64_t first, uint64_t second = 0) {
  return call(static_cast<uint64_t>(function), first, second);
}
inline Status call_submit(uint64_t function, const CommandWords& words, uint32_t& ticket) {
  return Played::current().submit(function, words, ticket);
}
inline Status call_launch_word(uint64_t function, const Kernel& kernel, uint32_t argument, uint32_t& ticket) {
  return call_submit(function, {0, kernel.words[0], kernel.words[1], argument}, ticket);
}
inline const volatile Notes& notes() { return Played::current().notes(); }
inline uint64_t time() { return 0; }

inline void written() {}
inline void clean_line(const volatile void*) {}
inline void flush_line(const volatile void*) {}
inline void store_line(volatile void* to, const Line& line) {
  std::memcpy(const_cast<void*>(to), &line, sizeof line);
}
inline void zero_line(volatile void* line) { store_line(line, {}); }
inline uint64_t look_word(const volatile uint64_t* word) { return *word; }

}  // namespace swai::program
