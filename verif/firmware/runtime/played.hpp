// SPDX-License-Identifier: Apache-2.0
// The card's side of the runtime on a played card, without a library or a link: requests are answered at
// once, and time passes when a test says so. The played card throws when the firmware touches what is not
// there.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <memory>
#include <span>
#include <stdexcept>

#include "firmware/runtime/runtime.hpp"
#include "verif/host/runtime/fake_processor.hpp"
#include "verif/host/runtime/transfer_check.hpp"

namespace swai::runtime {

class Played {
 public:
  static constexpr uint64_t kWindow = sdaa::FakeProcessor::kSram + 0x2'8000;
  static constexpr uint32_t kWatchdog = 1'000'000;
  static constexpr uint16_t kCode = 2;  // segment of the runtime's own
  static constexpr uint32_t kWipe = 0x5000'0010;
  using Ran = Runtime<sdaa::FakeProcessor>::Ran;

  Played() {
    constexpr uint64_t kOwn = 16 << 20;
    constexpr uint64_t kBase = regs::kHbmRegion.base;
    processor_.own = kOwn;
    auto& plan = plan_;
    plan.groups = plan.memory.groups = options_.groups;
    for (unsigned group = 0; group < options_.groups; ++group) {
      const uint64_t own = group == 0 ? kOwn : 0;
      plan.memory.areas[group] = {kBase + group * memory::kMaxGroupBytes + own,
                                  options_.memory_per_group - own};
    }
    plan.memory.segment_table = kBase;
    plan.memory.first_segment = 32;
    plan.memory.records = kBase + 0x10'0000;
    plan.memory.pieces = kBase + 0x90'0000;
    plan.memory.pools = 24;
    plan.queues = {kWindow, kBase, 8, built_in(kBase), kWatchdog, kBase + 0x40'0000};
    plan.wipe = {{kCode, kWipe}, 0};
    constexpr uint64_t kArguments = kBase + 0x58'0000;
    for (unsigned group = 0; group < options_.groups; ++group) {
      const auto& area = plan.memory.areas[group];
      processor_.set_entry(kBase + (28 + group) * 8, segment::encode({area.base, area.bytes, segment::kWrite,
                                                                      protocol::kKernelContext}));
    }
    processor_.set_entry(kBase + 6 * 8, segment::encode({kArguments, segment::kGranuleBytes, segment::kRead,
                                                         protocol::kKernelContext}));
    plan.clearing = {plan.queues.built_in.fill, 28, 6, 0, kArguments};
    plan.sram = sdaa::FakeProcessor::kSram + 0x1'0000;
    plan.answers = kAnswers;
    plan.modules = kBase + 0x2'0000;
    plan.events = kBase + 0x8'0000;
    processor_.programs.answer = [this](ProgramState& state, uint64_t function, uint64_t first,
                                        uint64_t second) {
      return runtime_->answer(state, function, first, second);
    };
    processor_.programs.submit = [this](ProgramState& state, uint64_t function, const CallArguments& words) {
      return runtime_->submit(state, function, words);
    };
    processor_.programs.launched = [this](ProgramState& state) { return runtime_->launched(state); };
    processor_.check_transfer = [this](const dma::Descriptor& descriptor) {
      sdaa::check_transfer(*runtime_, processor_, descriptor);
    };
    start();
  }
  // The firmware begins anew; these groups do not stop.
  void restart(uint32_t lost) {
    processor_.reset();
    plan_.lost = lost;
    runtime_.reset();
    tables_ = std::make_unique<Tables<sdaa::FakeProcessor>>(processor_);
    runtime_ = std::make_unique<Runtime<sdaa::FakeProcessor>>(processor_, *tables_);
    start();
  }

  static constexpr uint64_t kAnswers = sdaa::FakeProcessor::kSram + 0x1'4000;
  sdaa::FakeProcessor& processor() { return processor_; }
  Runtime<sdaa::FakeProcessor>& runtime() { return *runtime_; }

  struct Reply {
    protocol::Status status;
    std::array<uint64_t, protocol::word::kValueCount> values;
    bool ok() const { return status == protocol::Status::kOk; }
  };
  Reply ask(protocol::Operation operation, std::span<const uint64_t> words) {
    auto& shared = processor_.shared();
    std::fill_n(shared.begin() + protocol::word::kArguments, protocol::word::kArgumentCount, 0);
    std::ranges::copy(words, shared.begin() + protocol::word::kArguments);
    shared[protocol::word::kRequest] = protocol::request(operation, ++tag_);
    processor_.set_work(uint64_t{1} << protocol::kRequestDoorbell);
    run(0);
    const uint64_t word = shared[protocol::word::kReply];
    if (protocol::tag(word) != tag_) throw std::runtime_error("a request is not answered");
    Reply reply = {protocol::status(word), {}};
    std::copy_n(shared.begin() + protocol::word::kValues, reply.values.size(), reply.values.begin());
    return reply;
  }
  Reply ask(protocol::Operation operation, std::initializer_list<uint64_t> words) {
    return ask(operation, std::span(words.begin(), words.size()));
  }

  // Until the firmware rests; then, so many times, the next thing that happens on the card, and the same
  // again.
  void run(uint64_t events) {
    for (;;) {
      constexpr unsigned kMost = 100'000;
      bool more = true;
      for (unsigned i = 0;; ++i) {
        if (i == kMost) throw std::runtime_error("the firmware never comes to rest");
        hear_alarm();
        // As the kernel's loop: nobody polls once more only because there was work.
        if (const uint64_t work = processor_.take_work(); more || work != 0) {
          ++polls_;
          more = runtime_->poll(work);
          more |= runtime_->feed_programs();
          continue;
        }
        runtime_->rest();
        if (!runtime_->has_programs() || runtime_->run_program() != Ran::kActed) break;
        more = true;
      }
      if (events-- == 0 || !processor_.next_event()) return;
      processor_.run_next();
      hear_alarm();
    }
  }
  // Number of checks for launches that do not end by themselves.
  unsigned alarms() const { return alarms_; }
  // How often the firmware has looked at what there is to do.
  unsigned polls() const { return polls_; }
  void write_slot(unsigned queue, uint32_t sequence, std::span<const uint8_t> bytes) {
    processor_.put(kWindow + queue * uint64_t{protocol::kQueueBytes} +
                       sequence % protocol::kSlots * uint64_t{protocol::kSlotBytes},
                   bytes.data(), bytes.size());
  }
  uint64_t free_memory() {
    uint64_t sum = 0;
    for (unsigned group = 0; group < options_.groups; ++group) sum += runtime_->memory().info(group).free;
    return sum;
  }

 private:
  void hear_alarm() {
    if (!processor_.take_alarm()) return;
    ++alarms_;
    runtime_->alarm();
  }
  void start() {
    runtime_->init(plan_);
    for (unsigned group = 0; group < options_.groups; ++group)
      runtime_->groups().driver(group).use_segments(plan_.memory.segment_table, memory::kSegments);
  }
  BuiltIn built_in(uint64_t base) {
    const uint64_t at = base + 0x80'0000;
    processor_.store(at, static_cast<uint64_t>(sdaa::Operation::kCopy));
    processor_.store(at + 8, static_cast<uint64_t>(sdaa::Operation::kFill));
    processor_.store(at + 16, static_cast<uint64_t>(sdaa::Operation::kWipe));
    processor_.set_entry(base + kCode * 8, segment::encode({at, 4096, segment::kRead | segment::kExecute}));
    return {{kCode, 0x5000'0000}, {kCode, 0x5000'0008}};
  }

  sdaa::FakeOptions options_ = {};
  sdaa::FakeProcessor processor_{options_};
  Runtime<sdaa::FakeProcessor>::Plan plan_ = {};
  std::unique_ptr<Tables<sdaa::FakeProcessor>> tables_ =
      std::make_unique<Tables<sdaa::FakeProcessor>>(processor_);
  std::unique_ptr<Runtime<sdaa::FakeProcessor>> runtime_ =
      std::make_unique<Runtime<sdaa::FakeProcessor>>(processor_, *tables_);
  uint32_t tag_ = 0;
  unsigned polls_ = 0;
  unsigned alarms_ = 0;
};

}  // namespace swai::runtime
