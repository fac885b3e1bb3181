// SPDX-License-Identifier: Apache-2.0
// A client of a shared card that keeps to nothing: requests as it likes, slots as it likes, any address.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "abi/command.hpp"
#include "host/runtime/connection.hpp"

namespace swai::attack {

class HostileClient {
 public:
  static constexpr uint64_t kBytes = 4096;

  // Attached, with a queue, memory on the card, and memory of the host that the card reaches.
  explicit HostileClient(const std::string& socket);

  uint64_t context() const { return connection.client(); }

  // A request with these words, the context's included. nullopt: no reply.
  std::optional<protocol::Status> request(protocol::Operation operation, std::vector<uint64_t> words);
  std::optional<sdaa::RequestWords::Reply> exchange(protocol::Operation operation,
                                                    std::vector<uint64_t> words);
  // One that begins with a context.
  protocol::Status request_as(uint64_t of, protocol::Operation operation, std::vector<uint64_t> arguments);
  // What becomes of a copy of kBytes between the card's memory and a bus address.
  protocol::Status copy(uint64_t device, uint64_t host, bool to_host);
  // What becomes of any bytes as a command.
  protocol::Status command(const std::array<uint8_t, protocol::kSlotBytes>& slot);

  void fill(uint8_t value);
  bool holds(uint8_t value) const;
  bool refuses_read(unsigned bar, uint64_t offset, size_t bytes = 8);
  bool refuses_write(unsigned bar, uint64_t offset, size_t bytes = 8, uint8_t value = 0);

  sdaa::Connection connection;
  unsigned queue = 0;
  uint32_t next = 0;
  uint64_t pointer = 0;
  uint64_t iova = 0;
  std::optional<link::PinnedMemory> pinned;
};

}  // namespace swai::attack
