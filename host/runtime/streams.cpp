// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/streams.hpp"

#include <utility>

namespace swai::sdaa {

using command::Type;
using protocol::Operation;

void Streams::begin() {
  default_ = std::make_shared<Stream>();
  default_->is_default = true;
  default_->number = begun_++;
  default_->queue = &queues_.need();
}

void Streams::end() {
  for (const auto& capture : std::exchange(captures_, {})) capture->drop();
  if (default_) default_->alive = false;
  default_.reset();
}

// One that no stream has, a new one, or that which fewest streams share. Never the one that is kept for the
// next program: streams can share a queue, programs cannot.
Queue& Streams::pick_queue(Lock& lock) {
  queues_.service();
  for (const auto& queue : queues_.all()) {
    if (queue->users != 0) continue;
    if (queue->failed()) {
      waiting_.until(lock, [&] { return queue->idle(); });
      queues_.restart(*queue);
    }
    return *queue;
  }
  if (Queue* const queue = queues_.open_if_likely()) return *queue;
  Queue* best = nullptr;
  for (const auto& queue : queues_.all()) {
    if (queues_.is_service(*queue) || queue.get() == default_->queue || queue->for_program || queue->failed())
      continue;
    if (best == nullptr || queue->users < best->users) best = queue.get();
  }
  // A client that shares the card may have no more than that.
  if (best == nullptr && !default_->queue->failed()) best = default_->queue;
  if (best == nullptr)
    fail(sdaaErrorOutOfMemory, "all queues of the card have failed; destroy or reset a stream");
  return *best;
}

std::shared_ptr<Stream> Streams::make(Lock& lock, unsigned flags) {
  auto stream = std::make_shared<Stream>();
  stream->flags = flags;
  stream->number = begun_++;
  stream->queue = &pick_queue(lock);
  ++stream->queue->users;
  return stream;
}

void Streams::drop(Stream& stream) {
  stream.alive = false;
  --stream.queue->users;
}

void Streams::restart(Lock& lock, Stream& stream) {
  Queue& queue = *stream.queue;
  waiting_.until(lock, [&] { return queue.idle(); });
  if (!queue.failed()) return;
  queues_.restart(queue);
  stream.last = {};
  stream.number = begun_++;
}

void Streams::feed_two_level(Lock& lock, Stream& stream) {
  Queue& queue = *stream.queue;
  waiting_.until(lock, [&] { return queue.idle(); });
  auto two_level = std::make_unique<TwoLevel>(queues_.connection());
  queues_.connection().ask(Operation::kQueueFeed, {queue.number, two_level->ring()});
  queue.two_level = std::move(two_level);
}

// --- Order

void Streams::keep_order(Lock& lock, Stream& stream) {
  if (!stream.ordered()) return;
  Queue& first = *default_->queue;
  queues_.look();
  if (stream.is_default) {
    refuse_captures(Captures::kOrdered, sdaaErrorStreamCaptureImplicit);
    for (const auto& other : queues_.all()) {
      if (other.get() == &first || is_at_least(other->awaited, other->last_ordered) ||
          other->reached(other->last_ordered) || other->failed())
        continue;
      order_behind(lock, first, *other);
      other->awaited = other->last_ordered;
    }
  } else if (stream.queue != &first && default_->last.queue != nullptr && !first.failed()) {
    const uint32_t last = default_->last.sequence;
    if (first.reached(last) || stream.queue->waits_for == last) return;
    order_behind(lock, *stream.queue, first);
    stream.queue->waits_for = last;
  }
}

void Streams::order_after(Lock& lock, Stream& stream, const Point& point) {
  if (point.reached() || point.queue == stream.queue || point.queue->failed()) return;
  order_behind(lock, *stream.queue, *point.queue);
}

void Streams::order_behind(Lock& lock, Queue& later, Queue& earlier) {
  const unsigned event = CardEvents::of_queue(earlier.number);
  command::Event record = {};
  record.event = event;
  const uint64_t count = events_.count(event);
  QueueWriter(queues_, waiting_, lock, earlier).send(Type::kEventRecord, record);
  command::Event wait = {};
  wait.event = event;
  wait.count = count;
  QueueWriter(queues_, waiting_, lock, later).send(Type::kEventWait, wait);
}

// --- Captures

void Streams::begin_capture(const std::shared_ptr<Stream>& stream) {
  captures_.push_back(std::make_shared<Capture>(stream));
  stream->capture = captures_.back();
}

void Streams::refuse_captures(Captures which, sdaaError_t code) {
  bool any = false;
  for (const auto& capture : captures_) {
    if (which == Captures::kOrdered && !capture->ordered()) continue;
    capture->invalidate();
    any = true;
  }
  require(!any, "not possible while streams are captured", code);
}

}  // namespace swai::sdaa
