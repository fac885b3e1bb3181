// SPDX-License-Identifier: Apache-2.0
// Where the card's serial console goes: standard input and output, a file, a terminal device, or nowhere.
#pragma once

#include <termios.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace swai::card {

class ConsoleError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Signals that ask the process to end. The first one is noted; a second one ends the process at once.
class StopSignal {
 public:
  StopSignal();
  // The signal that came, 0 for none.
  int pending() const;
  // Becomes readable with the signal, for poll().
  int fd() const { return fd_; }

 private:
  int fd_;
};

class Console {
 public:
  enum class Kind { kStandard, kStandardOnError, kFile, kNone };

  // kStandardOnError: input from standard input, output to standard error. Throws ConsoleError.
  Console(Kind kind, const std::string& path);
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  // Output is collected; flush() passes it on. False: nobody reads it any more.
  void put(uint8_t byte) { output_.push_back(byte); }
  bool has_output() const { return !output_.empty(); }
  bool flush();

  // A person types: input may come at any time. Otherwise input is a stream whose timing means nothing; it is
  // handed to the card only when it sleeps, so that the same stream gives the same run.
  bool interactive() const { return terminal_ >= 0; }
  // Nothing more will come.
  bool ended() const { return in_ < 0; }
  // A byte that is there already.
  std::optional<uint8_t> poll() { return read(0, {}); }
  // Waits for a byte, for the end of the input, or until one of `others` becomes readable; at most `wait_ms`
  // (-1: for ever).
  std::optional<uint8_t> wait(int wait_ms, const std::vector<int>& others) { return read(wait_ms, others); }

 private:
  std::optional<uint8_t> read(int wait_ms, const std::vector<int>& others);

  int in_ = -1;
  int out_ = -1;
  int terminal_ = -1;  // whose settings were changed
  bool owned_ = false;
  termios saved_{};
  std::vector<uint8_t> output_;
};

}  // namespace swai::card
