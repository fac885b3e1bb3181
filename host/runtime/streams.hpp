// SPDX-License-Identifier: Apache-2.0
// The streams of a device: which queue each has, their order with the default stream, and their captures.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "host/runtime/capture.hpp"
#include "host/runtime/card_events.hpp"
#include "host/runtime/queue_writer.hpp"

namespace swai::sdaa {

class Streams {
 public:
  using Lock = Waiting::Lock;

  Streams(Queues& queues, Waiting& waiting, CardEvents& events)
      : queues_(queues), waiting_(waiting), events_(events) {}

  // With the client's life: there is a default stream.
  void begin();
  void end();

  const std::shared_ptr<Stream>& default_stream() const { return default_; }
  std::shared_ptr<Stream> make(Lock& lock, unsigned flags);
  static void drop(Stream& stream);
  // One that has failed begins anew, when nothing is under way.
  void restart(Lock& lock, Stream& stream);
  // From now on the stream's queue, and so all streams that share it, is fed the GPU's way.
  void feed_two_level(Lock& lock, Stream& stream);

  // What the stream is given next begins behind all that it has to wait for: commands of the default stream
  // behind all that the other streams were given before, and these behind the default stream's.
  void keep_order(Lock& lock, Stream& stream);
  // What the stream is given next begins when that is complete.
  void order_after(Lock& lock, Stream& stream, const Point& point);

  void begin_capture(const std::shared_ptr<Stream>& stream);
  void forget_capture(const std::shared_ptr<Capture>& capture) { std::erase(captures_, capture); }
  // For what cannot be captured, and waits for streams that the default stream is in order with, or for all.
  enum class Captures { kOrdered, kAll };
  void refuse_captures(Captures which, sdaaError_t code);

 private:
  void order_behind(Lock& lock, Queue& later, Queue& earlier);
  Queue& pick_queue(Lock& lock);

  Queues& queues_;
  Waiting& waiting_;
  CardEvents& events_;
  std::shared_ptr<Stream> default_;
  uint64_t begun_ = 0;
  std::vector<std::shared_ptr<Capture>> captures_;
};

}  // namespace swai::sdaa
