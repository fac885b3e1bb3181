// SPDX-License-Identifier: Apache-2.0
// The host pages that a client has named (command::PageList), kept in memory of the runtime's own: the
// baseline for pinned memory, which needs no list. Whatever a list says, the IOMMU decides what its client's
// copies reach.
#pragma once

#include "abi/command.hpp"
#include "abi/protocol.hpp"
#include "firmware/runtime/transfers.hpp"

namespace swai::runtime {

template <Machine M>
class PageList {
 public:
  static constexpr uint64_t kBytes = command::kMaxListedPages * sizeof(uint64_t);

  explicit PageList(M& machine) : machine_(machine) {}

  void init(uint64_t at) {
    at_ = at;
    pages_ = 0;
  }
  // Completes the transfer that fetches a list, which counts from now on.
  [[gnu::noinline]] protocol::Status take(const command::PageList& command, uint8_t context,
                                          Transfer& transfer) {
    const uint64_t bytes = command.pages * sizeof(uint64_t);
    if (command.pages == 0 || command.pages > command::kMaxListedPages || command.host + bytes < bytes)
      return protocol::Status::kBadRange;
    context_ = context;
    pages_ = command.pages;
    transfer.host = command.host;
    transfer.card = at_;
    transfer.bytes = bytes;
    return protocol::Status::kOk;
  }
  // Lets a transfer go by the list, from this offset on.
  [[gnu::noinline]] protocol::Status use(uint64_t offset, uint64_t bytes, uint8_t context,
                                         Transfer& transfer) {
    constexpr uint64_t kPage = command::kListedPageBytes;
    const uint64_t all = context == context_ ? pages_ * kPage : 0;
    if (transfer.rows != 1 || offset >= all || bytes > all - offset) return protocol::Status::kBadRange;
    const uint64_t first = offset / kPage;
    const uint64_t last = (offset + bytes - 1) / kPage;
    // The DMA engine has written it.
    machine_.look(at_ + first * sizeof(uint64_t), (last - first + 1) * sizeof(uint64_t));
    transfer.pages = at_;
    return protocol::Status::kOk;
  }

 private:
  M& machine_;
  uint64_t at_ = 0;
  uint64_t pages_ = 0;
  uint8_t context_ = 0;
};

}  // namespace swai::runtime
