// SPDX-License-Identifier: Apache-2.0
#include "host/sdaa/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "host/link/vendor_region.hpp"
#include "host/sdaa/bars.hpp"
#include "host/sdaa/graph.hpp"
#include "host/sdaa/kernel_names.hpp"
#include "host/sdaa/memory_check.hpp"
#include "host/sdaa/queue_failure.hpp"
#include "host/sdaa/recorder.hpp"

namespace swai::sdaa {
namespace {

using command::Type;
using protocol::Operation;
using protocol::Status;

}  // namespace

Device::Device(int number, Opener opener, const Limits& limits, bool checked)
    : number_(number),
      opener_(std::move(opener)),
      limits_(limits),
      checked_(checked),
      waiting_(*this, limits),
      allocations_(number) {}

Device::~Device() {
  if (checked_ && connection_ != nullptr) memory_check::report_leaks(*this);
  host_calls_.reset();
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
  if (!host_calls_) host_calls_ = std::make_unique<HostCalls>(*this);
  events_.open();
  default_stream_ = std::make_shared<Stream>();
  default_stream_->is_default = true;
  default_stream_->number = streams_begun_++;
  default_stream_->queue = &need_queue();
}

std::unique_ptr<Connection> Device::forget_everything() {
  ++epoch_;
  for (const auto& weak : objects_) {
    if (const auto object = weak.lock()) object->alive = false;
  }
  objects_.clear();
  for (const auto& capture : std::exchange(captures_, {})) capture->drop();
  if (Profile* profile = Profile::get()) profile->forget(number_);
  if (Recorder* recorder = Recorder::get()) recorder->forget(number_);
  if (host_calls_) host_calls_->drop_all();
  if (default_stream_) default_stream_->alive = false;
  default_stream_.reset();
  allocations_.clear();
  pools_.clear();
  printers_.clear();
  peers_.clear();
  host_copies_.finish_all();
  host_memory_.reset();
  queues_.clear();
  no_more_queues_ = false;
  service_ = spare_ = nullptr;
  programs_ = 0;
  old_ring_ = nullptr;
  waiting_.note_activity();
  return std::move(connection_);
}

void Device::reset(Firmware ended) {
  const Lock lock(mutex_);
  bool lives = connection_ != nullptr;
  // A group that is lost comes back with a reset of the card only, and so does a firmware that does not
  // answer.
  bool broken = std::ranges::any_of(
      queues_, [](const auto& queue) { return queue->line.status == Status::kGroupLost; });
  if (checked_ && lives) memory_check::report_leaks(*this);
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

void Device::report_leaks() {
  const Lock lock(mutex_, std::try_to_lock);
  if (lock.owns_lock() && connection_ != nullptr) memory_check::report_leaks(*this);
}

void Device::adopt(const std::shared_ptr<Object>& object) {
  std::erase_if(objects_, [](const auto& weak) { return weak.expired(); });
  objects_.push_back(object);
}

// --- Commands

void Device::check(const Stream& stream) {
  require(stream.alive, "the stream was destroyed", sdaaErrorInvalidHandle);
  if (stream.queue->failed()) throw failure_of(*stream.queue);
}

void Device::put(Queue& queue, std::span<const uint8_t> slots) {
  if (queue.two_level != nullptr) {
    queue.two_level->put(queue.next, slots);
  } else {
    std::ranges::copy(slots, queue.written.begin() + Queue::place(queue.next));
    connection_->write_slots(queue.number, queue.next, slots);
  }
}

Point Device::send_bytes(Lock& lock, Queue& queue, std::span<const uint8_t> command,
                         std::span<const uint8_t> tail) {
  std::array<uint8_t, command::kMaxSlots* protocol::kSlotBytes> bytes = {};
  const size_t used = command.size() + tail.size();
  const auto slots = static_cast<uint32_t>((used + protocol::kSlotBytes - 1) / protocol::kSlotBytes);
  require(slots <= command::kMaxSlots, "more arguments than fit into a launch");
  std::ranges::copy(command, bytes.begin());
  std::ranges::copy(tail, bytes.begin() + command.size());
  wait_until(lock, [&] { return queue.has_room(slots); });

  if (const uint32_t padding = queue.padding(slots); padding != 0) {
    std::array<uint8_t, protocol::kSlotBytes> pad = {};
    const command::Header header = {queue.next, Type::kPad, static_cast<uint8_t>(padding), 0};
    std::memcpy(pad.data(), &header, sizeof header);
    put(queue, pad);
    queue.next += padding;
  }
  command::Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.sequence = queue.next;
  header.slots = static_cast<uint8_t>(slots);
  std::memcpy(bytes.data(), &header, sizeof header);
  put(queue, std::span(bytes).first(slots * size_t{protocol::kSlotBytes}));
  if (queue.two_level == nullptr) connection_->ring(protocol::queue_doorbell(queue.number));
  const uint32_t begin = queue.next;
  queue.next += slots;
  waiting_.note_activity();
  return {&queue, queue.next - 1, begin};
}

void Device::note_given(const Stream& stream, std::span<const uint8_t> command, Type type) {
  Profile* const profile = Profile::get();
  Recorder* const recorder = Recorder::get();
  if (profile == nullptr && recorder == nullptr) return;
  const Profile::Command as = describe(command.data(), type);
  if (recorder != nullptr) recorder->given(*this, stream, type, command, as);
  if (profile == nullptr) return;
  const bool coarse = connection_->card().describe().configuration.ends_with(link::vendor::kFastTier);
  profile->given(number_, coarse, stream.last, as, connection_->cycle());
}

// Commands of the default stream come behind all that the other streams were given before, and these behind
// the default stream's.
void Device::keep_order(Lock& lock, Stream& stream) {
  if (!stream.ordered()) return;
  Queue& first = *default_stream_->queue;
  look();
  if (stream.is_default) {
    refuse_captures(Captures::kOrdered, sdaaErrorStreamCaptureImplicit);
    for (const auto& other : queues_) {
      if (other.get() == &first || is_at_least(other->awaited, other->last_ordered) ||
          other->reached(other->last_ordered) || other->failed())
        continue;
      order_behind(lock, first, *other);
      other->awaited = other->last_ordered;
    }
  } else if (stream.queue != &first && default_stream_->last.queue != nullptr && !first.failed()) {
    const uint32_t last = default_stream_->last.sequence;
    if (first.reached(last) || stream.queue->waits_for == last) return;
    order_behind(lock, *stream.queue, first);
    stream.queue->waits_for = last;
  }
}

void Device::order_behind(Lock& lock, Queue& later, Queue& earlier) {
  const unsigned event = CardEvents::of_queue(earlier.number);
  command::Event record = {};
  record.event = event;
  const uint64_t count = events_.count(event);
  send(lock, earlier, Type::kEventRecord, record);
  command::Event wait = {};
  wait.event = event;
  wait.count = count;
  send(lock, later, Type::kEventWait, wait);
}

// --- Waiting

bool Device::look() {
  require(connection_ != nullptr, "the device was reset meanwhile", sdaaErrorContextIsDestroyed);
  bool any = false;
  for (const auto& queue : queues_) {
    const protocol::QueueStatus line = connection_->queue(queue->number);
    if (!is_at_least(line.completed, queue->base)) continue;
    const bool changed = line.completed != queue->line.completed || line.status != queue->line.status ||
                         line.waits != queue->line.waits || line.value_sequence != queue->line.value_sequence;
    if (!changed) continue;
    const uint32_t waits = queue->line.waits;
    const bool had_failed = queue->failed();
    queue->line = line;
    if (checked_ && !had_failed) memory_check::explain_fault(*this, *queue);
    if (Profile* profile = Profile::get()) profile->look(number_, *queue);
    if (Recorder* recorder = Recorder::get()) recorder->look(*this, *queue);
    host_calls_->look(*queue, waits);
    any = true;
  }
  if (any) waiting_.note_activity();
  return any;
}

void Device::check_card() {
  connection_->check_firmware();
  for (const auto& queue : queues_) {
    if (queue->idle() || queue->for_program || queue->two_level != nullptr) continue;
    const uint32_t next = queue->line.completed + 1;
    if (queue->is_as_written(next, connection_->read_slot(queue->number, next))) continue;
    fail(sdaaErrorTransferFailure,
         fmt::format("a command in queue {} of the card is not what was written there: something else writes "
                     "to the card's memory; sdaaDeviceReset begins anew",
                     queue->number));
  }
}

void Device::wait(Lock& lock, const Point& point) {
  wait_until(lock, [&] { return point.reached(); });
  if (point.failed()) throw failure_of(*point.queue);
}

void Device::wait_idle(Lock& lock) {
  wait_until(lock,
             [&] { return std::ranges::all_of(queues_, [](const auto& queue) { return queue->idle(); }); });
}

const KernelInfo* Device::first_kernel() const {
  for (const auto& queue : queues_) {
    if (queue->failed() || queue->idle()) continue;
    for (uint32_t sequence = queue->line.completed + 1; sequence != queue->next; ++sequence) {
      if (const KernelInfo* kernel = queue->launches.find(sequence, 0)) return kernel;
    }
  }
  return nullptr;
}

uint64_t Device::other_client() {
  // A card of one's own keeps its time to itself: it is asked nothing when it pleases our clock.
  if (!connection_->is_shared()) return 0;
  uint64_t other = 0;
  for (const protocol::ClientUsage& one : usages()) {
    if (one.attached != protocol::Attached::kYes || one.running == 0) continue;
    if (one.context == connection_->client()) return 0;
    other = one.context;
  }
  return other;
}

std::optional<protocol::ClientUsage> Device::own_usage() {
  const Usages all = usages();
  const auto own = std::ranges::find_if(all, [this](const protocol::ClientUsage& one) {
    return one.attached == protocol::Attached::kYes && one.context == connection_->client();
  });
  if (own == all.end()) return std::nullopt;
  return *own;
}

Device::Usages Device::usages() {
  Usages all = {};
  if (info().clients_count == all.size())
    connection_->card().read_block(kMemoryBar, kSram + info().clients_offset,
                                   {reinterpret_cast<uint8_t*>(all.data()), sizeof all});
  return all;
}

}  // namespace swai::sdaa
