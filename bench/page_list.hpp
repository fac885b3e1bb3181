// SPDX-License-Identifier: Apache-2.0
// Host memory whose pages the card has to know one by one (sdaa::ScatteredMemory): the baseline beside pinned
// memory, of which the IOMMU makes one piece. Lists name 64 MiB at most: of more, part after part is listed
// and copied.
#pragma once

#include <functional>

#include "host/runtime/scattered_memory.hpp"

namespace swai::cli::bench {

class PageList {
 public:
  explicit PageList(uint64_t bytes);

  // In ns, with device memory of this size: until the card knows all pages and has one of them.
  double first_page_ns(const void* device);
  // The card knows the pages, if one list has room for them.
  double copy_ns(const void* device, bool to_host);

 private:
  using Begin = std::function<sdaa::Point(sdaa::StreamWriter)>;
  double time(const Begin& begin);
  uint64_t parts() const { return (bytes_ + kMost - 1) / kMost; }

  static constexpr uint64_t kPage = sdaa::ScatteredMemory::kPage;
  static constexpr uint64_t kMost = command::kMaxListedPages * kPage;
  uint64_t bytes_;
  std::shared_ptr<sdaa::Device> device_;
  sdaa::ScatteredMemory memory_;  // each part in turn
};

}  // namespace swai::cli::bench
