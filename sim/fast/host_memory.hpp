// SPDX-License-Identifier: Apache-2.0
// The host's memory as the card reaches it: what a client has mapped, and other cards' memory behind their
// BAR0.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "sim/board/rootport/iommu.hpp"

namespace swai::fast {

class HostMemory {
 public:
  // An access to an address that belongs to a card: whether the card took it. Nothing: the address is no
  // card's.
  using Route = std::function<std::optional<bool>(bool write, uint64_t address, std::span<uint8_t> bytes)>;

  HostMemory(unsigned card, std::function<uint64_t()> now) : iommu_(card), now_(std::move(now)) {}

  rootport::Iommu& iommu() { return iommu_; }
  void set_route(Route route) { route_ = std::move(route); }

  enum class State : uint8_t { kIdle, kWaiting, kDone, kFault };
  // One access; the bytes stay where they are until it has ended.
  class Access {
   public:
    bool open() const { return open_; }

   private:
    friend class HostMemory;
    rootport::Iommu::Transfer transfer_;
    bool open_ = false;
  };
  State begin(Access& access, bool write, uint64_t address, std::span<uint8_t> bytes);
  // Of one that waits for the client's answer.
  State go_on(Access& access);
  void cancel(Access& access);

 private:
  rootport::Iommu iommu_;
  std::function<uint64_t()> now_;
  Route route_;
};

}  // namespace swai::fast
