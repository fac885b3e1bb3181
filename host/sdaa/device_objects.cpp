// SPDX-License-Identifier: Apache-2.0
// What is made on a device: streams and their queues, events, memory, functions of the host.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "host/sdaa/device.hpp"
#include "host/sdaa/graph.hpp"
#include "host/sdaa/queue_failure.hpp"

namespace swai::sdaa {

using command::Type;
using protocol::Operation;
using protocol::Status;

namespace {

void check_opened(const Queue* queue) {
  require(queue != nullptr, "the card has no queue for this client; another one may leave",
          sdaaErrorOutOfMemory);
}

}  // namespace

// --- Streams and queues

Queue* Device::open_queue() {
  Connection::Values values;
  const Status status = connection_->request(Operation::kQueueOpen, {}, values);
  if (status == Status::kNoQueue) return nullptr;
  if (status != Status::kOk)
    fail(code_of(status), fmt::format("the card opens no queue: {}", protocol::text(status)));
  auto queue = std::make_unique<Queue>();
  queue->number = static_cast<unsigned>(values[0]);
  if (queue->number >= info().queues)
    fail(sdaaErrorDeviceFirmware, "the card opened a queue that it does not have");
  queue->begin(static_cast<uint32_t>(values[1]));
  queues_.push_back(std::move(queue));
  return queues_.back().get();
}

Queue& Device::need_queue() {
  Queue* queue = open_queue();
  check_opened(queue);
  queue->users = 1;
  return *queue;
}

Queue& Device::service_queue() {
  if (service_ == nullptr) service_ = &need_queue();
  return *service_;
}

void Device::close_queue(Queue& queue) {
  const unsigned number = queue.number;
  // A copy that is under way may still bring something: its ring stays until the next queue is closed.
  if (queue.ring != nullptr) {
    if (old_ring_ != nullptr) host_memory_->remove(old_ring_, false);
    old_ring_ = queue.ring;
  }
  std::erase_if(queues_, [&](const auto& one) { return one.get() == &queue; });
  connection_->ask(Operation::kQueueClose, {number});
  no_more_queues_ = false;
}

void Device::add_program() {
  prepare_program_queue();
  ++programs_;
}

void Device::remove_program() {
  if (--programs_ == 0 && spare_ != nullptr) close_spare();
}

void Device::prepare_program_queue() {
  if (spare_ == nullptr) spare_ = open_queue();
  if (spare_ == nullptr) return;
  spare_->for_program = true;
  spare_->users = 1;
  if (spare_->ring == nullptr)
    spare_->ring =
        static_cast<program::Record*>(host_memory_->allocate(Queue::kRingBytes, sdaaHostMallocDefault));
}

Queue& Device::take_program_queue() {
  if (spare_ != nullptr && spare_->failed()) {
    // Refused while something of the last run is under way.
    Connection::Values values;
    if (connection_->request(Operation::kQueueReset, {spare_->number}, values) == Status::kOk) {
      spare_->begin(static_cast<uint32_t>(values[0]));
    } else {
      close_spare();
    }
  }
  prepare_program_queue();
  check_opened(spare_);
  std::memset(static_cast<void*>(spare_->ring), 0, Queue::kRingBytes);
  return *std::exchange(spare_, nullptr);
}

void Device::give_program_queue_back(Queue& queue, bool has_ended) {
  if (!has_ended || spare_ != nullptr) return close_queue(queue);
  queue.line.status = Status::kProgramEnded;  // the next one resets it
  spare_ = &queue;
}

// One that no stream has, a new one, or that which fewest streams share. Never the one that is kept for the
// next program: streams can share a queue, programs cannot.
Queue& Device::pick_queue(Lock& lock) {
  service_queue();
  for (const auto& queue : queues_) {
    if (queue->users != 0) continue;
    if (queue->failed()) {
      wait_until(lock, [&] { return queue->idle(); });
      queue->begin(static_cast<uint32_t>(connection_->ask(Operation::kQueueReset, {queue->number})[0]));
    }
    return *queue;
  }
  if (!no_more_queues_) {
    if (Queue* queue = open_queue()) return *queue;
    no_more_queues_ = true;
  }
  Queue* best = nullptr;
  for (const auto& queue : queues_) {
    if (queue.get() == service_ || queue.get() == default_stream_->queue || queue->for_program ||
        queue->failed())
      continue;
    if (best == nullptr || queue->users < best->users) best = queue.get();
  }
  // A client that shares the card may have no more than that.
  if (best == nullptr && !default_stream_->queue->failed()) best = default_stream_->queue;
  if (best == nullptr)
    fail(sdaaErrorOutOfMemory, "all queues of the card have failed; destroy or reset a stream");
  return *best;
}

std::shared_ptr<Stream> Device::make_stream(Lock& lock, unsigned flags) {
  auto stream = std::make_shared<Stream>();
  stream->device = shared_from_this();
  stream->flags = flags;
  stream->number = streams_begun_++;
  stream->queue = &pick_queue(lock);
  ++stream->queue->users;
  adopt(stream);
  return stream;
}

void Device::order_after(Lock& lock, Stream& stream, const Point& point) {
  if (point.reached() || point.queue == stream.queue || point.queue->failed()) return;
  order_behind(lock, *stream.queue, *point.queue);
}

void Device::drop_stream(Stream& stream) {
  stream.alive = false;
  --stream.queue->users;
}

void Device::reset_stream(Lock& lock, Stream& stream) {
  Queue& queue = *stream.queue;
  wait_until(lock, [&] { return queue.idle(); });
  if (!queue.failed()) return;
  queue.begin(static_cast<uint32_t>(connection_->ask(Operation::kQueueReset, {queue.number})[0]));
  stream.last = {};
  stream.number = streams_begun_++;
}

void Device::feed_two_level(Lock& lock, Stream& stream) {
  Queue& queue = *stream.queue;
  wait_until(lock, [&] { return queue.idle(); });
  auto two_level = std::make_unique<TwoLevel>(*connection_);
  connection_->ask(Operation::kQueueFeed, {queue.number, two_level->ring()});
  queue.two_level = std::move(two_level);
}

std::optional<Failure> Device::first_failure() const {
  for (const auto& queue : queues_) {
    if (queue->failed() && queue->users != 0 && !queue->for_program && queue.get() != service_)
      return failure_of(*queue);
  }
  return std::nullopt;
}

// --- Captures

void Device::begin_capture(const std::shared_ptr<Stream>& stream) {
  captures_.push_back(std::make_shared<Capture>(stream));
  stream->capture = captures_.back();
}

void Device::capture(Stream& stream, std::span<const uint8_t> command, std::span<const uint8_t> tail) {
  stream.capture->add(stream, command, tail);
}

void Device::refuse_captured(const Stream& stream) {
  if (stream.capture == nullptr) return;
  stream.capture->invalidate();
  fail(sdaaErrorStreamCaptureUnsupported, "not possible while the stream is captured");
}

void Device::refuse_captures(Captures which, sdaaError_t code) {
  bool any = false;
  for (const auto& capture : captures_) {
    if (which == Captures::kOrdered && !capture->ordered()) continue;
    capture->invalidate();
    any = true;
  }
  require(!any, "not possible while streams are captured", code);
}

// --- Events

Point Device::record_event(Lock& lock, Stream& stream, unsigned number, uint64_t& count) {
  command::Event command = {};
  command.event = number;
  const Point point = submit(lock, stream, Type::kEventRecord, command);
  count = events_.count(number);
  return point;
}

void Device::wait_event(Lock& lock, Stream& stream, unsigned number, uint64_t count) {
  command::Event command = {};
  command.event = number;
  command.count = count;
  submit(lock, stream, Type::kEventWait, command);
}

// --- Memory

void Device::set_staging(const Staging& staging) {
  require(staging.threads - 1 < Staging::kThreads && staging.buffers - 1 < Staging::kBuffers,
          "as many threads or buffers as there cannot be");
  require(!staging.timed || connection_->card().describe().deterministic, "time on this card cannot be ruled",
          sdaaErrorNotSupported);
  staging_ = staging;
}

// --- Functions of the host

Point Device::host_call(Lock& lock, Stream& stream, HostCalls::Function function, bool always) {
  struct Command {
    command::Header header;
  };
  const Point point = submit(lock, stream, Type::kHostCall, Command{});
  host_calls_->add(*point.queue, point.sequence, std::move(function), always);
  return point;
}

void Device::resume(Queue& queue, uint32_t sequence) {
  // The device may have been reset while the function ran.
  if (connection_ == nullptr ||
      std::ranges::find(queues_, &queue, &std::unique_ptr<Queue>::get) == queues_.end())
    return;
  Connection::Values ignored;
  connection_->request(Operation::kResume, {queue.number, sequence}, ignored);
  look();
}

}  // namespace swai::sdaa
