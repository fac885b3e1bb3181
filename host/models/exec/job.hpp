// SPDX-License-Identifier: Apache-2.0
// A program on the card's management processor that runs, says something, and ends.
#pragma once

#include <optional>

#include "host/models/exec/card_memory.hpp"
#include "host/models/exec/card_time.hpp"

namespace swai::walk {

class Job {
 public:
  // `name`: what messages call the program, whose file `program` is.
  Job(std::string name, std::span<const uint8_t> program);
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  void start(std::span<const uint8_t> arguments);
  // The next message; nothing: the program has ended.
  template <typename Message>
  std::optional<Message> read() {
    Message message = {};
    if (!read(&message, sizeof message)) return std::nullopt;
    return message;
  }
  // Both may come too late, which is no error.
  void tell(unsigned number, uint64_t word);
  void cancel();
  // The code that it ended with.
  uint32_t wait();
  // That it ended with a code that is none of a good end.
  [[noreturn]] void fail(uint32_t code) const;
  // Of the last run, in nanoseconds of the card.
  uint64_t nanoseconds() const { return time_.nanoseconds(); }

 private:
  bool read(void* message, size_t bytes);

  std::string name_;
  sdaaProgram_t program_ = nullptr;
  CardTime time_;
};

}  // namespace swai::walk
