// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/two_level.hpp"

#include <algorithm>
#include <cstring>

#include "abi/command.hpp"

namespace swai::sdaa {

TwoLevel::TwoLevel(Connection& connection)
    : connection_(connection),
      iova_(connection.take_iova(kBytes)),
      memory_(connection.card().pin(iova_, kBytes)) {}

TwoLevel::~TwoLevel() {
  memory_.reset();
  connection_.give_back_iova(iova_, kBytes);
}

void TwoLevel::put(uint32_t sequence, std::span<const uint8_t> bytes) {
  const uint64_t buffer = kBuffers + sequence % protocol::kSlots * uint64_t{protocol::kSlotBytes};
  std::ranges::copy(bytes, memory_->data() + buffer);
  // Padding takes more slots than it has bytes.
  command::Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  const two_level::Entry entry = {iova_ + buffer, header.slots, 0};
  std::memcpy(memory_->data() + put_ % two_level::kEntries * sizeof entry, &entry, sizeof entry);
  connection_.set_word(two_level::kPutWord, ++put_);
  connection_.ring(two_level::kDoorbell);
}

}  // namespace swai::sdaa
