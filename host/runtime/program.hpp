// SPDX-License-Identifier: Apache-2.0
// A model program and its run (docs/program/programs.md): its memory on the card, its queue, its stream of
// messages.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "abi/program.hpp"
#include "host/runtime/device.hpp"
#include "host/runtime/program_file.hpp"

namespace swai::sdaa {

// What is there as long as a program runs.
struct ProgramRun {
  Queue* queue = nullptr;
  uint64_t taken = 0;                 // records
  uint64_t told = 0;                  // of these the program knows
  bool has_ended = false;             // by itself
  std::vector<uint8_t> message = {};  // so far
};

class Program : public Object {
 public:
  explicit Program(ProgramFile file) : file_(std::move(file)) {}

  // All with the device's lock. Loading takes what all runs need: memory with the code in it.
  void load(Device::Lock& lock);
  void start(Device::Lock& lock, std::span<const uint8_t> arguments);
  // The next message; nothing: it has ended, and there is none. Throws what it failed with once all were
  // read.
  const std::vector<uint8_t>* next_message(Device::Lock& lock);
  // It was read.
  void drop_message();
  // Its code. Throws what it failed with.
  uint32_t wait(Device::Lock& lock);
  void tell(unsigned number, uint64_t word);
  // Whether it has ended or not; it does not run again.
  void destroy() noexcept;

 private:
  struct Memory {
    uint64_t address = 0;
    uint64_t bytes = 0;  // 0: there is none
  };

  // What the program finds in its pages of data, with room for what it needs beside.
  std::vector<uint8_t> data_of(uint64_t memory, uint64_t stream, std::span<const uint8_t> arguments,
                               uint64_t& start) const;
  uint64_t memory_bytes(size_t argument_bytes) const;
  bool card_runs_programs() const;
  void take_memory(Device::Lock& lock, uint64_t bytes);
  void give_memory_back();
  // Takes what has come. True: there is something to tell the user.
  void take_records();
  void look(Device::Lock& lock);
  void end();
  void stop() noexcept;

  const ProgramFile file_;
  Memory memory_;  // on the card
  std::optional<ProgramRun> run_;
  uint64_t number_ = 0;  // of the run
  std::deque<std::vector<uint8_t>> messages_;
  uint32_t code_ = 0;
  std::optional<Failure> failure_;
};

}  // namespace swai::sdaa
