// The card's side of the runtime on a played card, and a client that writes whatever it likes into slots and
// words. The played card throws when the firmware touches what is not there.
#pragma once

#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

#include "firmware/abi/command.hpp"
#include "firmware/runtime/runtime.hpp"
#include "verif/sdaa/fake_processor.hpp"

namespace swai::runtime {

class Garbage {
 public:
  using Choose = std::function<uint64_t(uint64_t)>;  // a number below the one that is given
  static constexpr unsigned kSlotsAhead = 8;

  explicit Garbage(Choose choose) : choose_(std::move(choose)) {
    constexpr uint64_t kOwn = 16 << 20;
    constexpr uint64_t kBase = regs::kHbmRegion.base;
    Runtime<sdaa::FakeProcessor>::Plan plan;
    plan.groups = plan.memory.groups = options_.groups;
    for (unsigned group = 0; group < options_.groups; ++group) {
      const uint64_t own = group == 0 ? kOwn : 0;
      plan.memory.areas[group] = {kBase + group * memory::kMaxGroupBytes + own,
                                  options_.memory_per_group - own};
    }
    plan.memory.segment_table = kBase;
    plan.memory.first_segment = 32;
    plan.memory.records = kBase + 0x10'0000;
    plan.queues = {kWindow, kBase, 8, built_in(kBase), 1'000'000, kBase + 0x40'0000};
    plan.sram = sdaa::FakeProcessor::kSram + 0x1'0000;
    plan.modules = kBase + 0x2'0000;
    runtime_->init(plan);
    for (unsigned group = 0; group < options_.groups; ++group)
      runtime_->groups().driver(group).use_segments(kBase, memory::kSegments);
    free_ = free_memory();
    ask(protocol::Operation::kAttach, {protocol::kVersion, kPage});
  }

  // One thing that a client does, and what follows.
  void step() {
    switch (choose_(8)) {
      case 0:
        ask(static_cast<protocol::Operation>(3 + choose_(10)), arguments());
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
        if (choose_(16) == 0) ask(protocol::Operation::kAttach, {protocol::kVersion, choose_(2) * kPage});
        if (choose_(16) == 0) ask(protocol::Operation::kDetach, {context_});
        break;
      default:
        write_slot();
    }
    run(choose_(4));
  }
  // The client goes; nothing may stay.
  void finish() {
    for (int i = 0; i < 3; ++i) {
      ask(protocol::Operation::kAttach, {protocol::kVersion, 0});
      if (status() == protocol::Status::kOk) break;
      run(~uint64_t{0});
    }
    if (status() != protocol::Status::kOk) throw std::runtime_error("a client that has gone is still there");
    if (free_memory() != free_) throw std::runtime_error("memory of a client that has gone is not free");
  }

  const Statistics& statistics() { return runtime_->queues().statistics(); }

 private:
  static constexpr uint64_t kWindow = sdaa::FakeProcessor::kSram + 0x3'0000;
  static constexpr uint64_t kPage = 0x1000'0000;

  BuiltIn built_in(uint64_t base) {
    const uint64_t at = base + 0x80'0000;
    processor_.store(at, static_cast<uint64_t>(sdaa::Operation::kCopy));
    processor_.store(at + 8, static_cast<uint64_t>(sdaa::Operation::kFill));
    processor_.set_entry(base + 2 * 8, segment::encode({at, 4096, segment::kRead | segment::kExecute}));
    processor_.set_entry(base + 4 * 8, segment::encode({at + 4096, 4096, segment::kRead}));
    return {{2, 0x5000'0000}, {2, 0x5000'0008}, 4, at + 4096};
  }
  uint64_t free_memory() {
    uint64_t sum = 0;
    for (unsigned group = 0; group < options_.groups; ++group) sum += runtime_->memory().info(group).free;
    return sum;
  }
  uint64_t value(unsigned number) { return processor_.shared()[protocol::word::kValues + number]; }
  protocol::Status status() { return protocol::status(processor_.shared()[protocol::word::kReply]); }
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
    std::copy(words.begin(), words.end(), processor_.shared().begin() + protocol::word::kArguments);
    processor_.shared()[protocol::word::kRequest] = protocol::request(operation, ++tag_);
    processor_.set_work(uint64_t{1} << protocol::kRequestDoorbell);
    run(0);
    if (protocol::tag(processor_.shared()[protocol::word::kReply]) != tag_)
      throw std::runtime_error("a request is not answered");
    if (operation == protocol::Operation::kAttach && status() == protocol::Status::kOk) context_ = value(0);
  }
  // Somewhere ahead of what was taken so far; often a whole command.
  void write_slot() {
    const auto queue = choose_(protocol::kQueues);
    std::array<uint64_t, 8> words;
    for (auto& each : words) each = word();
    uint32_t& next = next_[queue];
    const auto slots = static_cast<uint8_t>(choose_(8) == 0 ? choose_(256) : 1);
    const command::Header header = {next, static_cast<command::Type>(choose_(14)), slots,
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
    }
    processor_.put(kWindow + queue * protocol::kQueueBytes + next % protocol::kSlots * protocol::kSlotBytes,
                   words.data(), sizeof words);
    next += slots;
    if (choose_(3) == 0) {  // and on again after a failure
      ask(protocol::Operation::kQueueReset, {context_, queue});
      if (status() == protocol::Status::kOk) next = static_cast<uint32_t>(value(0));
    }
    processor_.set_work(uint64_t{1} << choose_(protocol::kQueues));
    processor_.set_work(uint64_t{1} << queue);
  }
  void run(uint64_t events) {
    for (;;) {
      constexpr unsigned kMost = 100'000;
      for (unsigned i = 0;; ++i) {
        const uint64_t work = processor_.take_work();
        if (!runtime_->poll(work) && work == 0) break;
        if (i == kMost) throw std::runtime_error("the firmware never comes to rest");
      }
      if (events-- == 0 || !processor_.next_event()) return;
      processor_.run_next();
    }
  }

  Choose choose_;
  sdaa::FakeOptions options_ = {};
  sdaa::FakeProcessor processor_{options_};
  std::unique_ptr<Runtime<sdaa::FakeProcessor>> runtime_ =
      std::make_unique<Runtime<sdaa::FakeProcessor>>(processor_);
  uint64_t free_ = 0;
  uint64_t context_ = 0;
  uint32_t tag_ = 0;
  std::array<uint64_t, 8> pointers_ = {};
  std::array<uint32_t, protocol::kQueues> next_ = {};
};

}  // namespace swai::runtime
