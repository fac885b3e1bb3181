// SPDX-License-Identifier: Apache-2.0
// Copies on the card that take the DMA engine over the link: down to a buffer of the host and up again, or by
// reading the card's own BAR0, which a root complex with routes between cards sends back. Several channels
// carry a part of the copy each: one alone has too little under way.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "card_regs.hpp"
#include "firmware/runtime/costs.hpp"
#include "firmware/runtime/transfers.hpp"

namespace swai::runtime {

// One row, by physical addresses.
struct CardCopy {
  uint64_t to = 0;
  uint64_t from = 0;
  uint64_t bytes = 0;
};

template <Machine M>
class Routes {
 public:
  static constexpr unsigned kLanes = 4;
  static_assert(Transfers<M>::kChannels * Transfers<M>::kBounceBytes <= protocol::kRouteBytes);
  static constexpr uint32_t kEngines = set_of(Engine::kHost) | set_of(Engine::kRootComplex);

  Routes(M& machine, Transfers<M>& transfers) : machine_(machine), transfers_(transfers) {}

  void init() { buffer_ = bar_ = 0; }
  // The host that is attached now has this buffer, and has put BAR0 where it will stay; 0: it has none.
  void use(uint64_t buffer) {
    namespace bar0 = regs::pcie::bar0;
    buffer_ = buffer;
    bar_ = machine_.read(bar0::kAddr) & bar0::kAddress.mask();
  }
  uint32_t engines() const { return buffer_ != 0 ? kEngines : 0; }

  // The channels that have it from now on, a bit for each, at most so many; 0: all are taken.
  [[gnu::noinline]] uint32_t start(Engine engine, const CardCopy& copy, uint8_t context, unsigned most) {
    const auto wanted = static_cast<unsigned>(std::clamp<uint64_t>(copy.bytes / kWorthALane, 1, kLanes));
    const unsigned lanes = std::min({wanted, most, transfers_.free()});
    if (lanes == 0) return 0;
    const uint64_t part = ((copy.bytes + lanes - 1) / lanes + kLine - 1) & ~(kLine - 1);
    uint32_t channels = 0;
    for (unsigned lane = 0; lane < lanes && lane * part < copy.bytes; ++lane) {
      const uint64_t at = lane * part;
      Transfer transfer;
      transfer.context = context;
      transfer.card = copy.to + at;
      transfer.bytes = std::min(part, copy.bytes - at);
      if (engine == Engine::kHost) {
        transfer.host = buffer_;
        transfer.from = copy.from + at;
      } else {
        transfer.host = bar_ + (copy.from + at - regs::kHbmRegion.base);
      }
      channels |= uint32_t{1} << transfers_.start(transfer);
    }
    return channels;
  }

 private:
  // So much a channel has under way.
  static constexpr uint64_t kWorthALane = 8 << 10;
  static constexpr uint64_t kLine = 64;

  M& machine_;
  Transfers<M>& transfers_;
  uint64_t buffer_ = 0;  // bus addresses
  uint64_t bar_ = 0;
};

}  // namespace swai::runtime
