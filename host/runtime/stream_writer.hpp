// SPDX-License-Identifier: Apache-2.0
// The door to a stream: what one call gives to it, while it has the device's lock.
#pragma once

#include <cstdint>
#include <span>

#include "abi/command.hpp"
#include "host/runtime/device.hpp"

namespace swai::sdaa {

class StreamWriter {
 public:
  StreamWriter(Device& device, Device::Lock& lock, Stream& stream)
      : device_(device), lock_(lock), stream_(stream) {}

  Device& device() const { return device_; }
  Stream& stream() const { return stream_; }

  // Throws what the stream failed with.
  void check() const;
  // For what cannot be captured: ends the capture if the stream has one.
  void refuse_capture() const;

  // At the end of the stream, in its order with the default stream. Throws what the stream failed with, if it
  // did. The tail follows the command itself.
  template <typename Command>
  Point submit(command::Type type, Command command, std::span<const uint8_t> tail = {}, uint16_t flags = 0) {
    check();
    command.header = {0, type, 0, flags};
    const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(&command), sizeof command);
    if (stream_.capture != nullptr) {
      stream_.capture->add(stream_, bytes, tail);
      return {};
    }
    device_.streams().keep_order(lock_, stream_);
    stream_.last = device_.queue_writer(lock_, *stream_.queue).send(type, command, tail, flags);
    if (stream_.ordered()) stream_.queue->last_ordered = stream_.last.sequence;
    note(bytes, type);
    return stream_.last;
  }
  // A command that does nothing: it is complete when all before it is.
  Point mark();
  // What follows begins when that is complete.
  void order_after(const Point& point) { device_.streams().order_after(lock_, stream_, point); }
  // `count`: of the card's event, when the record is complete.
  Point record_event(unsigned number, uint64_t& count);
  void wait_event(unsigned number, uint64_t count);
  // `always`: also when the stream failed before, with the error then.
  void host_call(HostCalls::Function function, bool always);

  // Until what the stream was given last is complete. Throws what it failed with.
  void wait();
  // Throws what it, or one before it, failed with.
  void wait(const Point& point) { device_.waiting().until_complete(lock_, point); }
  template <typename Done>
  void wait_until(Done done, uint64_t cycle = Waiting::kNever) {
    device_.waiting().until(lock_, done, cycle);
  }
  // The same as wait(), and what kernels have printed comes out.
  void wait_and_print();

 private:
  // Who listens hears of it.
  void note(std::span<const uint8_t> command, command::Type type) const;

  Device& device_;
  Device::Lock& lock_;
  Stream& stream_;
};

}  // namespace swai::sdaa
