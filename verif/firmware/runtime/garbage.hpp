// SPDX-License-Identifier: Apache-2.0
// Clients that write whatever they like into slots and words, one alone or several that share the card.
#pragma once

#include <array>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <vector>

#include "abi/command.hpp"
#include "verif/firmware/runtime/played.hpp"

namespace swai::runtime {

class Garbage {
 public:
  using Choose = std::function<uint64_t(uint64_t)>;  // a number below the one that is given

  explicit Garbage(Choose choose) : choose_(std::move(choose)), free_(played_.free_memory()) {
    played_.processor().programs.turn = [this](unsigned, ProgramState& state) { run_program(state); };
    attach(kPage, 0);
  }

  // One thing that a client does, and what follows.
  void step() {
    switch (choose_(9)) {
      case 0:
        ask(static_cast<protocol::Operation>(3 + choose_(13)), arguments());
        break;
      case 4:
        ask(protocol::Operation::kProgramStart,
            {context_, choose_(protocol::kQueues), pointers_[choose_(pointers_.size())], word(), word()});
        break;
      case 1: {
        const uint64_t bytes = 1 + choose_(choose_(2) == 0 ? 4096 : 4 << 20);
        ask(protocol::Operation::kAllocate, {context_, bytes, choose_(3) | 0xff00});
        if (value(0) != 0) pointers_[choose_(pointers_.size())] = value(0);
        break;
      }
      case 2:
        ask(protocol::Operation::kQueueOpen, {context_});
        if (status() == protocol::Status::kOk) next_[value(0)] = static_cast<uint32_t>(value(1));
        break;
      case 3:
        if (choose_(16) == 0) attach(choose_(2) * kPage, choose_(2) * protocol::kShared);
        if (choose_(16) == 0) ask(protocol::Operation::kDetach, {context_});
        context_ = contexts_[choose_(contexts_.size())];
        break;
      default:
        write_slot();
    }
    played_.run(choose_(4));
  }
  // The clients go; nothing may stay.
  void finish() {
    for (int i = 0; i < 3; ++i) {
      attach(0, 0);
      if (status() == protocol::Status::kOk) break;
      played_.run(~uint64_t{0});
    }
    if (status() != protocol::Status::kOk) throw std::runtime_error("a client that has gone is still there");
    if (played_.free_memory() != free_)
      throw std::runtime_error("memory of a client that has gone is not free");
  }

  const Statistics& statistics() { return played_.runtime().queues().statistics(); }
  Counts counts() { return played_.runtime().clients().before(); }

 private:
  static constexpr uint64_t kPage = 0x1000'0000;

  uint64_t value(unsigned number) const { return reply_.values[number]; }
  protocol::Status status() const { return reply_.status; }
  uint64_t word() {
    switch (choose_(4)) {
      case 0:
        return choose_(256);
      case 1:
        return pointers_[choose_(pointers_.size())] + choose_(2) * choose_(8192);
      case 2:
        return uint64_t{1} << choose_(64);
      default:
        return choose_(uint64_t{1} << 32) << 32 | choose_(uint64_t{1} << 32);
    }
  }
  std::vector<uint64_t> arguments() {
    std::vector<uint64_t> words(protocol::word::kArgumentCount);
    for (auto& argument : words) argument = word();
    if (choose_(4) != 0) words[0] = context_;
    return words;
  }
  void ask(protocol::Operation operation, const std::vector<uint64_t>& words) {
    reply_ = played_.ask(operation, words);
  }
  void attach(uint64_t page, uint64_t options) {
    const uint64_t window = choose_(3) * kPage;
    ask(protocol::Operation::kAttach, {protocol::kVersion, window == 0 ? page : 0, options, page, window});
    if (status() != protocol::Status::kOk) return;
    context_ = value(0);
    contexts_[context_ % contexts_.size()] = context_;
  }
  // What programs do: calls with all kinds of arguments, faults; and at last an interrupt.
  void run_program(ProgramState& state) {
    state.cause = choose_(4) == 0    ? sdaa::FakePrograms::kInterrupt
                  : choose_(16) != 0 ? sdaa::FakePrograms::kCall
                                     : choose_(16);
    for (unsigned i = 10; i < 17; ++i) state.registers[i] = word();
    played_.processor().sleeps = choose_(2) == 0;
    const auto type = choose_(15), function = choose_(6);
    state.registers[17] = choose_(8) == 0 ? word() : function | type << 8 | choose_(32) << 16;
    if (choose_(2) == 0) {  // its last launch once more, or as if there were one
      std::ranges::copy(state.ready.words, state.registers.begin() + 10);
      state.registers[17] = state.ready.function;
    }
  }
  // Somewhere ahead of what was taken so far; often a whole command.
  void write_slot() {
    const auto queue = choose_(protocol::kQueues);
    std::array<uint64_t, 8> words;
    for (auto& each : words) each = word();
    uint32_t& next = next_[queue];
    const auto slots = static_cast<uint8_t>(choose_(8) == 0 ? choose_(256) : 1);
    const command::Header header = {next, static_cast<command::Type>(choose_(15)), slots,
                                    static_cast<uint16_t>(choose_(8))};
    std::memcpy(words.data(), &header, sizeof header);
    if (choose_(4) != 0) {  // something that makes sense
      const bool fill = header.type == command::Type::kFill,
                 device = header.type == command::Type::kCopyDevice;
      const auto pointer = [&] { return pointers_[choose_(pointers_.size())]; };
      words[1] = fill || device                               ? pointer()
                 : header.type >= command::Type::kEventRecord ? choose_(4)
                 : (header.flags & command::kPaged) != 0      ? choose_(3 * command::kListedPageBytes)
                                                              : kPage;
      words[2] = fill                                         ? 1 + choose_(300)
                 : header.type >= command::Type::kEventRecord ? choose_(3)
                                                              : pointer();
      words[3] = fill ? 1 + choose_(3) : 1 + choose_(300);
      words[4] = fill ? choose_(400) : 1 + choose_(3);
      words[5] = words[6] = choose_(400);
      if (header.type == command::Type::kGraph) {
        words[1] = pointer() + choose_(4) * protocol::kSlotBytes;
        words[2] = choose_(8) * protocol::kSlotBytes;
      }
    }
    played_.write_slot(queue, next, {reinterpret_cast<const uint8_t*>(words.data()), sizeof words});
    next += slots;
    if (choose_(3) == 0) {  // and on again after a failure
      ask(protocol::Operation::kQueueReset, {context_, queue});
      if (status() == protocol::Status::kOk) next = static_cast<uint32_t>(value(0));
    }
    played_.processor().set_work(uint64_t{1} << choose_(protocol::kQueues));
    played_.processor().set_work(uint64_t{1} << queue);
  }
  Choose choose_;
  Played played_;
  Played::Reply reply_ = {};
  uint64_t free_ = 0;
  uint64_t context_ = 0;
  std::array<uint64_t, protocol::kContexts> contexts_ = {};
  std::array<uint64_t, 8> pointers_ = {};
  std::array<uint32_t, protocol::kQueues> next_ = {};
};

}  // namespace swai::runtime
