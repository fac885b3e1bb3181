// SPDX-License-Identifier: Apache-2.0
// Copies of memory that the card does not reach: piece by piece through buffers of the library's own, which
// threads of the host fill or empty while the card's DMA channels do the opposite.
#pragma once

#include <cstdint>
#include <memory>

#include "host/runtime/copy_shape.hpp"
#include "host/runtime/stream_writer.hpp"

namespace swai::sdaa {

using Buffer = std::shared_ptr<HostMemory::Buffer>;

// A buffer of the library's own, sooner or later.
Buffer take_buffer(StreamWriter& stream);

void to_card_through_buffers(StreamWriter& stream, uint64_t to, const uint8_t* from, const CopyShape& shape);
void to_host_through_buffers(StreamWriter& stream, uint8_t* to, uint64_t from, const CopyShape& shape);

}  // namespace swai::sdaa
