// SPDX-License-Identifier: Apache-2.0
// How many launches the firmware has seen the core groups end for this program, whoever asked for them: the
// host over the link, or a program on the management processor.
#pragma once

#include <cstdint>

namespace swai::cli::bench {

// Since the program began to use the card, once it has come to rest. Throws cli::Error, link::Error.
uint64_t card_launches();

}  // namespace swai::cli::bench
