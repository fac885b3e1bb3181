// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/program.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstring>

#include "host/runtime/device_memory.hpp"
#include "host/runtime/queue_failure.hpp"
#include "host/runtime/recorder.hpp"
#include "host/runtime/service_copies.hpp"

namespace swai::sdaa {
namespace {

using protocol::Operation;
using protocol::Status;

constexpr uint64_t kLine = 64;
// The program is told of records that were taken when there are so many.
constexpr uint64_t kTell = program::kRecords / 2;
constexpr size_t kMostMessages = 1 << 20;  // that nobody has read

constexpr uint64_t lines(uint64_t bytes) { return (bytes + kLine - 1) & ~(kLine - 1); }

}  // namespace

// Behind the stack and the data of the file: what it begins with, arguments, staging of the stream; then its
// heap.
uint64_t Program::memory_bytes(size_t argument_bytes) const {
  const uint64_t data =
      lines(file_.data.size()) + lines(sizeof(program::Start)) + lines(argument_bytes) + Queue::kRingBytes;
  const uint64_t pages = 2 + data / program::kPageBytes;
  require(pages <= program::kMostPages, "arguments and data are more than a program's memory can be");
  return pages * program::kPageBytes;
}

std::vector<uint8_t> Program::data_of(uint64_t memory, uint64_t stream, std::span<const uint8_t> arguments,
                                      uint64_t& start) const {
  program::Start begin = {};
  start = program::kData + lines(file_.data.size());
  begin.memory = memory;
  begin.arguments = start + lines(sizeof begin);
  begin.argument_bytes = arguments.size();
  begin.staging = begin.arguments + lines(arguments.size());
  begin.stream = stream;
  begin.heap = begin.staging + Queue::kRingBytes;
  begin.heap_end = program::kCode + memory_bytes(arguments.size());
  std::vector<uint8_t> data = file_.data;
  data.resize(begin.staging - program::kData);
  std::memcpy(data.data() + (start - program::kData), &begin, sizeof begin);
  std::ranges::copy(arguments, data.begin() + static_cast<ptrdiff_t>(begin.arguments - program::kData));
  return data;
}

// Its code comes with it: nobody writes that, so it serves all runs. What there is is kept for the next ones:
// a program that was loaded can run, whatever others take.
void Program::take_memory(Device::Lock& lock, uint64_t bytes) {
  if (bytes <= memory_.bytes) return;
  give_memory_back();
  memory_ = {allocate_shared(*device, bytes, "a program"), bytes};
  const uint64_t epoch = device->epoch();
  try {
    copy_to_card(*device, lock, memory_.address, file_.code.data(), file_.code.size());
  } catch (...) {
    if (device->epoch() == epoch) give_memory_back();
    throw;
  }
}

void Program::give_memory_back() {
  const Memory memory = std::exchange(memory_, {});
  if (memory.bytes != 0) device->connection().ask(Operation::kFree, {memory.address});
}

bool Program::card_runs_programs() const { return (device->info().capabilities & protocol::kPrograms) != 0; }

void Program::load(Device::Lock& lock) {
  if (!card_runs_programs()) return;  // start() says so
  take_memory(lock, memory_bytes(0));
  try {
    device->program_queues().add_program();
  } catch (...) {
    give_memory_back();
    throw;
  }
}

void Program::start(Device::Lock& lock, std::span<const uint8_t> arguments) {
  Device& card = *device;
  require(card_runs_programs(), "the card's firmware runs no programs", sdaaErrorNotSupported);
  if (run_) look(lock);
  require(!run_, "the program runs already", sdaaErrorIllegalState);
  messages_.clear();
  failure_.reset();
  number_ = card.begin_run();
  run_.emplace();
  const uint64_t epoch = card.epoch();
  try {
    take_memory(lock, memory_bytes(arguments.size()));
    run_->queue = &card.program_queues().take();
    const uint64_t stream = card.host_memory().find(run_->queue->ring, Queue::kRingBytes)->iova;
    uint64_t argument = 0;
    const auto data = data_of(memory_.address, stream, arguments, argument);
    copy_to_card(card, lock, memory_.address + program::kPageBytes + file_.stack_bytes,
                 data.data() + file_.stack_bytes, data.size() - file_.stack_bytes);
    card.connection().ask(Operation::kProgramStart,
                          {run_->queue->number, memory_.address, file_.entry, argument});
  } catch (...) {
    if (card.epoch() != epoch) run_.reset();  // its queue went with a reset
    stop();
    throw;
  }
}

void Program::take_records() {
  ProgramRun& run = *run_;
  for (;;) {
    auto& record = run.queue->ring[run.taken % program::kRecords];
    if (std::atomic_ref(record.number).load(std::memory_order_acquire) != run.taken + 1) return;
    const size_t bytes = std::min<size_t>(record.bytes, program::Record::kBytes);
    run.message.insert(run.message.end(), record.data.begin(),
                       record.data.begin() + static_cast<ptrdiff_t>(bytes));
    ++run.taken;
    if (record.more != 0 && run.message.size() < program::kPageBytes) continue;
    if (messages_.size() == kMostMessages)
      fail(sdaaErrorOutOfMemory, fmt::format("{} messages of the program were not read", kMostMessages));
    messages_.push_back(std::exchange(run.message, {}));
  }
}

void Program::look(Device::Lock& lock) {
  device->queues().look();
  // What it has sent before its end is there when the end is.
  const bool ended = run_->queue->failed() && run_->queue->line.status != Status::kOk;
  take_records();
  if (run_->taken - run_->told >= kTell) {
    run_->told = run_->taken;
    tell(program::kTaken, run_->taken);
  }
  const Status status = run_->queue->line.status;
  if (ended && (status == Status::kProgramEnded || status == Status::kProgramFault)) end();
  static_cast<void>(lock);
}

void Program::end() {
  run_->has_ended = true;
  protocol::QueueStatus& line = run_->queue->line;
  if (line.status == Status::kProgramEnded) {
    code_ = protocol::code_at_end(line.value);
    line.status = protocol::status_at_end(line.value);
  }
  if (line.status != Status::kOk) failure_ = failure_of(*run_->queue);
  stop();
}

const std::vector<uint8_t>* Program::next_message(Device::Lock& lock) {
  device->waiting().until(lock, [&] {
    if (messages_.empty() && run_) look(lock);
    return !messages_.empty() || !run_;
  });
  if (!messages_.empty()) return &messages_.front();
  if (failure_) throw *failure_;
  return nullptr;
}

void Program::drop_message() {
  if (Recorder* recorder = Recorder::get()) recorder->message(device->number(), number_, messages_.front());
  messages_.pop_front();
}

uint32_t Program::wait(Device::Lock& lock) {
  device->waiting().until(lock, [&] {
    if (run_) look(lock);
    return !run_;
  });
  if (failure_) throw *failure_;
  return code_;
}

void Program::tell(unsigned number, uint64_t word) {
  require(run_.has_value(), "the program does not run", sdaaErrorIllegalState);
  Connection::Values ignored;
  const Status status =
      device->connection().request(Operation::kProgramTell, {run_->queue->number, number, word}, ignored);
  // It may have ended meanwhile, and nobody has looked yet.
  if (status != Status::kOk && status != Status::kBadOperation)
    fail(code_of(status), fmt::format("the program cannot be told anything: {}", protocol::text(status)));
}

void Program::stop() noexcept {
  if (!run_) return;
  const ProgramRun run = *std::exchange(run_, std::nullopt);
  try {
    if (run.queue != nullptr) device->program_queues().give_back(*run.queue, run.has_ended);
  } catch (...) {
    // The card is lost, and with it all that this is about.
  }
}

void Program::destroy() noexcept {
  stop();
  try {
    if (card_runs_programs()) device->program_queues().remove_program();
    give_memory_back();
  } catch (...) {
    // As above.
  }
}

}  // namespace swai::sdaa
