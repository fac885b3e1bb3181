// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/program_queues.hpp"

#include <cstring>
#include <utility>

namespace swai::sdaa {

void ProgramQueues::end() {
  memory_ = nullptr;
  programs_ = 0;
  spare_ = nullptr;
  old_ring_ = nullptr;
}

void ProgramQueues::add_program() {
  prepare();
  ++programs_;
}

void ProgramQueues::remove_program() {
  if (--programs_ == 0 && spare_ != nullptr) close_spare();
}

void ProgramQueues::prepare() {
  if (spare_ == nullptr) spare_ = queues_.open();
  if (spare_ == nullptr) return;
  spare_->for_program = true;
  spare_->users = 1;
  if (spare_->ring == nullptr)
    spare_->ring = static_cast<program::Record*>(memory_->allocate(Queue::kRingBytes, sdaaHostMallocDefault));
}

Queue& ProgramQueues::take() {
  // Refused while something of the last run is under way.
  if (spare_ != nullptr && spare_->failed() && !queues_.try_restart(*spare_)) close_spare();
  prepare();
  require(spare_ != nullptr, kNoQueue, sdaaErrorOutOfMemory);
  std::memset(static_cast<void*>(spare_->ring), 0, Queue::kRingBytes);
  return *std::exchange(spare_, nullptr);
}

void ProgramQueues::give_back(Queue& queue, bool has_ended) {
  if (!has_ended || spare_ != nullptr) return close(queue);
  queue.line.status = protocol::Status::kProgramEnded;  // the next one resets it
  spare_ = &queue;
}

void ProgramQueues::close_spare() { close(*std::exchange(spare_, nullptr)); }

void ProgramQueues::close(Queue& queue) {
  // A copy that is under way may still bring something: its ring stays until the next queue is closed.
  if (queue.ring != nullptr) {
    if (old_ring_ != nullptr) memory_->remove(old_ring_, false);
    old_ring_ = queue.ring;
  }
  queues_.close(queue);
}

}  // namespace swai::sdaa
