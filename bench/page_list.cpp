// SPDX-License-Identifier: Apache-2.0
#include "bench/page_list.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include "host/runtime/runtime.hpp"

namespace swai::cli::bench {
namespace {

// In any order, as those of a host that has run for a while.
std::vector<uint32_t> frames_for(uint64_t bytes) {
  std::vector<uint32_t> frames((bytes + command::kListedPageBytes - 1) / command::kListedPageBytes);
  std::iota(frames.begin(), frames.end(), 0);
  std::mt19937 random(1);
  std::ranges::shuffle(frames, random);
  return frames;
}
// It has been opened by then.
std::shared_ptr<sdaa::Device> opened() {
  auto device = sdaa::Runtime::get().current();
  const sdaa::Device::Lock lock = device->enter();
  return device;
}

}  // namespace

PageList::PageList(uint64_t bytes)
    : bytes_(bytes), device_(opened()), memory_(*device_, frames_for(std::min(bytes, kMost))) {}

double PageList::time(const Begin& begin) {
  auto use = sdaa::Runtime::get().use_stream(nullptr);
  link::Card& card = use.device->connection().card();
  const uint64_t before = card.cycle();
  use.writer().wait(begin(use.writer()));
  return static_cast<double>(card.cycle() - before);
}

double PageList::first_page_ns(const void* device) {
  return time([&](sdaa::StreamWriter stream) {
    for (uint64_t part = 0; part < parts(); ++part) memory_.list(stream);
    return memory_.to_card(stream, reinterpret_cast<uintptr_t>(device), 0, std::min(bytes_, kPage));
  });
}

double PageList::copy_ns(const void* device, bool to_host) {
  const auto list = [&](sdaa::StreamWriter stream) { return memory_.list(stream); };
  if (parts() == 1) time(list);
  return time([&](sdaa::StreamWriter stream) {
    sdaa::Point last;
    for (uint64_t done = 0; done < bytes_; done += kMost) {
      if (parts() != 1) list(stream);
      const uint64_t there = reinterpret_cast<uintptr_t>(device) + done;
      const uint64_t part = std::min(kMost, bytes_ - done);
      last = to_host ? memory_.to_host(stream, there, 0, part) : memory_.to_card(stream, there, 0, part);
    }
    return last;
  });
}

}  // namespace swai::cli::bench
