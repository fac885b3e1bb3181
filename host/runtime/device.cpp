// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/device.hpp"

#include <algorithm>
#include <utility>

#include "host/runtime/kernel_names.hpp"
#include "host/runtime/profile.hpp"

namespace swai::sdaa {

Device::Device(int number, Opener opener, const Limits& limits, bool checked)
    : number_(number),
      opener_(std::move(opener)),
      limits_(limits),
      checked_(checked),
      allocations_(number),
      queues_([this](Queue& queue, const protocol::QueueStatus& before) { note_change(queue, before); }),
      waiting_(number, queues_, limits, [this] { return host_calls_.pending(); }),
      program_queues_(queues_),
      streams_(queues_, waiting_, events_),
      host_calls_(mutex_, queues_, waiting_) {}

Device::~Device() {
  if (checked_ && connection_ != nullptr) memory_check::report_leaks(owned());
  host_calls_.stop();
  forget_everything();
}

Device::Lock Device::enter() {
  require(!HostCalls::in_function(), "functions of the host that a stream calls must not use the device",
          sdaaErrorNotPermitted);
  Lock lock(mutex_);
  if (connection_ == nullptr) {
    try {
      open();
    } catch (...) {
      forget_everything();
      throw;
    }
  }
  return lock;
}

void Device::open() {
  if (idle_connection_) {
    try {
      idle_connection_->attach();
      connection_ = std::move(idle_connection_);
    } catch (const link::Error&) {
      idle_connection_.reset();  // it was lost meanwhile
    } catch (...) {
      idle_connection_.reset();
      throw;
    }
  }
  if (!connection_) {
    connection_ = std::make_unique<Connection>(opener_(), limits_, restart_);
    restart_ = Restart::kNo;
    name_own_kernels(connection_->card());
  }
  if (checked_ && !connection_->check_accesses()) memory_check::report_no_access_check(number_);
  host_memory_ = std::make_unique<HostMemory>(*connection_);
  queues_.begin(*connection_);
  program_queues_.begin(*host_memory_);
  events_.open();
  streams_.begin();
}

std::unique_ptr<Connection> Device::forget_everything() {
  for (const auto& weak : objects_) {
    if (const auto object = weak.lock()) object->alive = false;
  }
  objects_.clear();
  if (Profile* profile = Profile::get()) profile->forget(number_);
  if (Recorder* recorder = Recorder::get()) recorder->forget(number_);
  host_calls_.drop_all();
  streams_.end();
  allocations_.clear();
  pools_.clear();
  printers_.all.clear();
  peers_.clear();
  host_copies_.finish_all();
  program_queues_.end();
  host_memory_.reset();
  queues_.end();
  waiting_.note_activity();
  return std::move(connection_);
}

void Device::reset(Firmware ended) {
  const Lock lock(mutex_);
  bool lives = connection_ != nullptr;
  // A group that is lost comes back with a reset of the card only, and so does a firmware that does not
  // answer.
  bool broken = queues_.group_is_lost();
  if (checked_ && lives) memory_check::report_leaks(owned());
  try {
    // The card stops what it does before its memory goes.
    if (lives && !broken) connection_->detach();
  } catch (const Failure&) {
    broken = true;
  } catch (...) {
    lives = false;
  }
  // A daemon restarts the firmware for who is attached, which this client is as long as it has its
  // connection.
  if (lives && broken && ended == Firmware::kStart) {
    try {
      find_firmware(connection_->card(), limits_, Restart::kYes);
    } catch (...) {
      lives = false;
    }
  }
  auto connection = forget_everything();
  restart_ = broken && !lives ? Restart::kYes : Restart::kIfStopped;
  if (lives && !broken) idle_connection_ = std::move(connection);
}

void Device::note_change(Queue& queue, const protocol::QueueStatus& before) {
  if (checked_ && before.status == protocol::Status::kOk) memory_check::explain_fault(owned(), queue);
  if (Profile* profile = Profile::get()) profile->look(number_, queue);
  if (Recorder* recorder = Recorder::get()) recorder->look(recorded(), queue);
  host_calls_.look(queue, before.waits);
  waiting_.note_activity();
}

void Device::report_leaks() {
  const Lock lock(mutex_, std::try_to_lock);
  if (lock.owns_lock() && connection_ != nullptr) memory_check::report_leaks(owned());
}

std::shared_ptr<Stream> Device::make_stream(Lock& lock, unsigned flags) {
  auto stream = streams_.make(lock, flags);
  stream->device = shared_from_this();
  adopt(stream);
  return stream;
}

void Device::adopt(const std::shared_ptr<Object>& object) {
  std::erase_if(objects_, [](const auto& weak) { return weak.expired(); });
  objects_.push_back(object);
}

void Device::set_staging(const Staging& staging) {
  require(staging.threads - 1 < Staging::kThreads && staging.buffers - 1 < Staging::kBuffers,
          "as many threads or buffers as there cannot be");
  require(!staging.timed || connection_->card().describe().deterministic, "time on this card cannot be ruled",
          sdaaErrorNotSupported);
  staging_ = staging;
}

}  // namespace swai::sdaa
