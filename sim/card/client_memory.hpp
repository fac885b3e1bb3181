// SPDX-License-Identifier: Apache-2.0
// The client's memory, where it is reached by messages.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>

#include "host/transport/server/device.hpp"
#include "sim/board/rootport/iommu.hpp"

namespace swai::card {

class ClientMemory final : public rootport::RemoteMemory {
 public:
  // `tell` gives the host, and ends the present run.
  explicit ClientMemory(std::function<socket::Host&()> tell) : tell_(std::move(tell)) {}
  void read(uint64_t iova, std::span<uint8_t> into, Done done) override;
  void write(uint64_t iova, std::span<const uint8_t> from, Done done) override;
  void answer(uint32_t tag, bool good, std::span<const uint8_t> data);
  void forget() { open_.clear(); }

 private:
  struct Open {
    std::span<uint8_t> into;  // empty: a write
    Done done;
  };
  std::function<socket::Host&()> tell_;
  std::map<uint32_t, Open> open_;
  uint32_t next_tag_ = 0;
};

}  // namespace swai::card
