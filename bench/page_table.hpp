// SPDX-License-Identifier: Apache-2.0
// An allocation in the manner of GPUs, whose page table the host fills over the link (formula 2 of the
// sources): the baseline beside sdaaMalloc, which needs one segment entry.
#pragma once

#include <cstdint>

#include "host/runtime/device.hpp"

namespace swai::cli::bench {

// In cycles. The writes are real: posted, `burst` bytes a packet, through BAR0 into memory of the card; a
// read of the last entry waits for all of them. Throws sdaa::Failure, link::Error.
uint64_t fill_page_table(sdaa::Device& device, uint64_t bytes, uint64_t page_bytes, unsigned burst);

}  // namespace swai::cli::bench
