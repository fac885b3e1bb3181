// SPDX-License-Identifier: Apache-2.0
// Puts commands into a queue: where all of them leave the library.
#pragma once

#include <cstdint>
#include <span>

#include "abi/command.hpp"
#include "host/runtime/waiting.hpp"

namespace swai::sdaa {

// For one call, while it has the device's lock.
class QueueWriter {
 public:
  QueueWriter(Queues& queues, Waiting& waiting, Waiting::Lock& lock, Queue& queue)
      : queues_(queues), waiting_(waiting), lock_(lock), queue_(queue) {}

  // Waits for a free slot. The tail follows the command itself.
  template <typename Command>
  Point send(command::Type type, Command command, std::span<const uint8_t> tail = {}, uint16_t flags = 0) {
    command.header = {0, type, 0, flags};
    return send_bytes({reinterpret_cast<const uint8_t*>(&command), sizeof command}, tail);
  }
  // The same, and complete on return. Throws what it failed with.
  template <typename Command>
  void run(command::Type type, const Command& command) {
    waiting_.until_complete(lock_, send(type, command));
  }

 private:
  Point send_bytes(std::span<const uint8_t> command, std::span<const uint8_t> tail);
  void put(std::span<const uint8_t> slots);

  Queues& queues_;
  Waiting& waiting_;
  Waiting::Lock& lock_;
  Queue& queue_;
};

}  // namespace swai::sdaa
