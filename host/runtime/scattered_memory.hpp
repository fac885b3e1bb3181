// SPDX-License-Identifier: Apache-2.0
// Host memory in pages that the card has to know one by one, as drivers without an IOMMU have it: the list of
// pages goes to the card, and copies name an offset. The baseline for pinned memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "host/runtime/stream_writer.hpp"

namespace swai::sdaa {

class ScatteredMemory {
 public:
  static constexpr uint64_t kPage = command::kListedPageBytes;

  // Page i of the memory is the `frames[i]`th of what the card can reach.
  ScatteredMemory(Device& device, std::vector<uint32_t> frames)
      : device_(device),
        frames_(std::move(frames)),
        list_at_(frames_.size() * kPage),
        bytes_((list_at_ + frames_.size() * sizeof(uint64_t) + kPage - 1) / kPage * kPage),
        iova_(device.connection().take_iova(bytes_)),
        memory_(device.connection().card().pin(iova_, bytes_)) {
    for (size_t i = 0; i < frames_.size(); ++i) {
      const uint64_t address = iova_ + frames_[i] * kPage;
      std::memcpy(memory_.data() + list_at_ + i * sizeof address, &address, sizeof address);
    }
  }
  ~ScatteredMemory() {
    memory_.release();
    device_.connection().give_back_iova(iova_, bytes_);
  }
  ScatteredMemory(const ScatteredMemory&) = delete;
  ScatteredMemory& operator=(const ScatteredMemory&) = delete;

  // Its bytes in their order, from a multiple of kPage on.
  void set(uint64_t at, std::span<const uint8_t> from) {
    for (uint64_t done = 0; done < from.size(); done += kPage)
      std::ranges::copy(from.subspan(done, std::min(kPage, from.size() - done)), page(at + done));
  }
  void get(uint64_t at, std::span<uint8_t> to) {
    for (uint64_t done = 0; done < to.size(); done += kPage)
      std::copy_n(page(at + done), std::min(kPage, to.size() - done), to.begin() + static_cast<long>(done));
  }

  // The card hears of the pages. Commands of the stream; nobody waits.
  Point list(StreamWriter stream) {
    command::PageList command = {};
    command.host = iova_ + list_at_;
    command.pages = frames_.size();
    return stream.submit(command::Type::kPageList, command);
  }
  // Long copies to the card are in parts side by side, as those of pinned memory are.
  Point to_card(StreamWriter stream, uint64_t device, uint64_t at, uint64_t bytes) {
    constexpr uint64_t kLong = 256 << 10;
    const uint64_t part = bytes < kLong ? bytes : bytes / 4;
    Point last;
    for (uint64_t done = 0; done < bytes; done += part) {
      const uint16_t beside = done == 0 ? uint16_t{0} : command::kConcurrent;
      last = copy(stream, device + done, at + done, std::min(part, bytes - done), false, beside);
    }
    return last;
  }
  Point to_host(StreamWriter stream, uint64_t device, uint64_t at, uint64_t bytes) {
    return copy(stream, device, at, bytes, true, 0);
  }

 private:
  uint8_t* page(uint64_t at) { return memory_.data() + frames_[at / kPage] * kPage; }
  Point copy(StreamWriter stream, uint64_t device, uint64_t at, uint64_t bytes, bool to_host,
             uint16_t flags) {
    command::Copy command = {};
    command.host = at;
    command.device = device;
    command.bytes = bytes;
    command.rows = 1;
    command.to_host = to_host ? 1 : 0;
    return stream.submit(command::Type::kCopy, command, {}, static_cast<uint16_t>(flags | command::kPaged));
  }

  Device& device_;
  std::vector<uint32_t> frames_;
  uint64_t list_at_;
  uint64_t bytes_;
  uint64_t iova_;
  link::PinnedMemory memory_;
};

}  // namespace swai::sdaa
