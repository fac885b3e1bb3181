// SPDX-License-Identifier: Apache-2.0
// What a card of the fast tier holds, in a file: memory as far as it was written, cores, devices, queues. Not
// in it: the cells of the flash chip, which have their file, and the host.
//
// A line of JSON says what the card was made from; the state follows, as Card::visit() describes it, and a
// checksum of both. A card takes a snapshot only if it was made from the same, and as a whole or not at all.
#pragma once

#include <cstdint>
#include <string>

#include "sim/fast/card.hpp"

namespace swai::fast {

// Whether a host was at work on the card. A host is in no snapshot, so the card that takes it finds that its
// link went down.
enum class Client : uint8_t { kNone, kAttached };

// Between runs. The file is there as a whole or not at all. Throws std::runtime_error, which names it.
void save_snapshot(const std::string& path, Card& card, Client client);

// Whatever the card has done before. Throws std::runtime_error, which names the file and all that differs;
// nothing has happened to the card then.
void restore_snapshot(const std::string& path, Card& card);

}  // namespace swai::fast
