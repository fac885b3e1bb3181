// SPDX-License-Identifier: Apache-2.0
#include "sim/card/client_memory.hpp"

#include <algorithm>
#include <utility>

namespace swai::card {

void ClientMemory::read(uint64_t iova, std::span<uint8_t> into, Done done) {
  const uint32_t tag = next_tag_++;
  open_[tag] = {into, std::move(done)};
  tell_().host_read(tag, iova, static_cast<uint32_t>(into.size()));
}

void ClientMemory::write(uint64_t iova, std::span<const uint8_t> from, Done done) {
  const uint32_t tag = next_tag_++;
  open_[tag] = {{}, std::move(done)};
  tell_().host_write(tag, iova, from);
}

void ClientMemory::answer(uint32_t tag, bool good, std::span<const uint8_t> data) {
  const auto found = open_.find(tag);
  if (found == open_.end()) return;
  const Open open = std::move(found->second);
  open_.erase(found);
  const bool fits = data.size() >= open.into.size();
  if (good && fits) std::copy_n(data.begin(), open.into.size(), open.into.begin());
  open.done(good && fits);
}

}  // namespace swai::card
