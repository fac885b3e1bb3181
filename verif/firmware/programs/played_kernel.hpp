// SPDX-License-Identifier: Apache-2.0
// A fake kernel for a program that runs on the host: queues its commands, and completes them when the program
// waits.
#pragma once

#include <bit>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <vector>

#include "abi/command.hpp"
#include "swai/processor.hpp"

namespace swai::program {

class PlayedKernel : public Played {
 public:
  // Returns the status with which a command completes.
  std::function<Status(command::Type, const CommandWords&)> runs = [](auto...) { return Status::kOk; };
  // The host's turns: before each read of the notes, and when the program sleeps and nothing is under way.
  std::function<void()> before_look = [] {};
  std::function<void()> asleep = [] {};

  void tell(unsigned number, uint64_t word) {
    notes_.words[number] = word;
    ++notes_.told;
  }
  // Completes all submitted commands.
  void complete() {
    while (completed() != given()) complete_next();
  }
  uint32_t given() const { return static_cast<uint32_t>(commands_.size()); }
  uint32_t completed() const { return notes_.completed + 1; }
  // Commands that the program submitted although it knew that its queue had failed.
  unsigned given_in_vain() const { return given_in_vain_; }

  CallAnswer call(uint64_t function, uint64_t first, uint64_t second) override {
    switch (static_cast<Call>(function)) {
      case Call::kShow:
        return {first == 0 ? Status::kBadPointer : Status::kOk, first};
      case Call::kWait:
        return {wait(static_cast<uint32_t>(first), second), 0};
      default:
        return {Status::kBadOperation, 0};
    }
  }
  Status submit(uint64_t function, const CommandWords& words, uint32_t& ticket) override {
    if (knows_of_failure_) ++given_in_vain_;
    if (notes_.status != Status::kOk) return known(notes_.status);
    if (given() - completed() >= protocol::kSlots) return Status::kAgain;
    ticket = given();
    commands_.push_back({static_cast<command::Type>(function >> 8 & 0xff), words});
    return Status::kOk;
  }
  const volatile Notes& notes() override {
    before_look();
    return notes_;
  }

 private:
  struct Command {
    command::Type type;
    CommandWords words;
  };

  Status wait(uint32_t ticket, uint64_t told) {
    while (static_cast<int32_t>(notes_.completed - ticket) < 0) {
      if (told != notes_.told) return Status::kAgain;
      if (completed() != given()) {
        complete_next();
        continue;
      }
      asleep();
      if (told == notes_.told) throw std::runtime_error("the program sleeps for ever");
    }
    return notes_.status == Status::kOk || ticket < failed_ ? Status::kOk : known(notes_.status);
  }
  void complete_next() {
    const Command& command = commands_[completed()];
    const Status status = runs(command.type, command.words);
    if (status != Status::kOk) {
      // Later commands do not run.
      failed_ = completed();
      notes_.status = status;
      notes_.completed = given() - 1;
      return;
    }
    if (command.type == command::Type::kCopyDevice) {
      const auto copy = std::bit_cast<CopyWords>(command.words).command;
      std::memcpy(reinterpret_cast<void*>(copy.to), reinterpret_cast<const void*>(copy.from), copy.bytes);
    }
    ++notes_.completed;
  }
  Status known(Status failure) {
    knows_of_failure_ = true;
    return failure;
  }

  struct CopyWords {
    command::CopyDevice command;
    uint64_t none;
  };

  std::vector<Command> commands_;
  Notes notes_ = {.completed = ~uint32_t{0}, .status = Status::kOk};
  uint32_t failed_ = 0;  // the first command that did
  bool knows_of_failure_ = false;
  unsigned given_in_vain_ = 0;
};

}  // namespace swai::program
