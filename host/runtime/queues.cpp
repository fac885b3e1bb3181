// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/queues.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace swai::sdaa {

using protocol::Operation;
using protocol::Status;

void Queues::end() {
  ++epoch_;
  all_.clear();
  no_more_ = false;
  service_ = nullptr;
  connection_ = nullptr;
}

bool Queues::look() {
  require(connection_ != nullptr, "the device was reset meanwhile", sdaaErrorContextIsDestroyed);
  bool any = false;
  for (const auto& queue : all_) {
    const protocol::QueueStatus line = connection_->queue(queue->number);
    if (!is_at_least(line.completed, queue->base)) continue;
    const bool changed = line.completed != queue->line.completed || line.status != queue->line.status ||
                         line.waits != queue->line.waits || line.value_sequence != queue->line.value_sequence;
    if (!changed) continue;
    const protocol::QueueStatus before = std::exchange(queue->line, line);
    changed_(*queue, before);
    any = true;
  }
  return any;
}

void Queues::check() const {
  connection_->check_firmware();
  for (const auto& queue : all_) {
    if (queue->idle() || queue->for_program || queue->two_level != nullptr) continue;
    const uint32_t next = queue->line.completed + 1;
    if (queue->is_as_written(next, connection_->read_slot(queue->number, next))) continue;
    fail(sdaaErrorTransferFailure,
         fmt::format("a command in queue {} of the card is not what was written there: something else writes "
                     "to the card's memory; sdaaDeviceReset begins anew",
                     queue->number));
  }
}

bool Queues::all_idle() const {
  return std::ranges::all_of(all_, [](const auto& queue) { return queue->idle(); });
}

bool Queues::group_is_lost() const {
  return std::ranges::any_of(all_,
                             [](const auto& queue) { return queue->line.status == Status::kGroupLost; });
}

const KernelInfo* Queues::first_kernel() const {
  for (const auto& queue : all_) {
    if (queue->failed() || queue->idle()) continue;
    for (uint32_t sequence = queue->line.completed + 1; sequence != queue->next; ++sequence) {
      if (const KernelInfo* kernel = queue->launches.find(sequence, 0)) return kernel;
    }
  }
  return nullptr;
}

std::optional<Failure> Queues::first_failure() const {
  for (const auto& queue : all_) {
    if (queue->failed() && queue->users != 0 && !queue->for_program && !is_service(*queue))
      return failure_of(*queue);
  }
  return std::nullopt;
}

Queue* Queues::open() {
  Connection::Values values;
  const Status status = connection_->request(Operation::kQueueOpen, {}, values);
  if (status == Status::kNoQueue) return nullptr;
  if (status != Status::kOk)
    fail(code_of(status), fmt::format("the card opens no queue: {}", protocol::text(status)));
  auto queue = std::make_unique<Queue>();
  queue->number = static_cast<unsigned>(values[0]);
  if (queue->number >= connection_->info().queues)
    fail(sdaaErrorDeviceFirmware, "the card opened a queue that it does not have");
  queue->begin(static_cast<uint32_t>(values[1]));
  all_.push_back(std::move(queue));
  return all_.back().get();
}

Queue* Queues::open_if_likely() {
  Queue* const queue = no_more_ ? nullptr : open();
  no_more_ = queue == nullptr;
  return queue;
}

Queue& Queues::need() {
  Queue* const queue = open();
  require(queue != nullptr, kNoQueue, sdaaErrorOutOfMemory);
  queue->users = 1;
  return *queue;
}

void Queues::close(Queue& queue) {
  const unsigned number = queue.number;
  std::erase_if(all_, [&](const auto& one) { return one.get() == &queue; });
  connection_->ask(Operation::kQueueClose, {number});
  no_more_ = false;
}

void Queues::restart(Queue& queue) {
  queue.begin(static_cast<uint32_t>(connection_->ask(Operation::kQueueReset, {queue.number})[0]));
}

bool Queues::try_restart(Queue& queue) {
  Connection::Values values;
  if (connection_->request(Operation::kQueueReset, {queue.number}, values) != Status::kOk) return false;
  queue.begin(static_cast<uint32_t>(values[0]));
  return true;
}

Queue& Queues::service() {
  if (service_ == nullptr) service_ = &need();
  return *service_;
}

void Queues::resume(Queue& queue, uint32_t sequence) {
  if (connection_ == nullptr || std::ranges::find(all_, &queue, &std::unique_ptr<Queue>::get) == all_.end())
    return;
  Connection::Values ignored;
  // It may have failed meanwhile, which the next look tells.
  static_cast<void>(connection_->request(Operation::kResume, {queue.number, sequence}, ignored));
  look();
}

}  // namespace swai::sdaa
