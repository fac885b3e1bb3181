// SPDX-License-Identifier: Apache-2.0
// Reads what a card tells about itself (abi/journal.hpp and fault.hpp). Needs nothing of the
// firmware but that it has run once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "abi/fault.hpp"
#include "abi/journal.hpp"
#include "abi/protocol.hpp"
#include "host/transport/card.hpp"

namespace swai::sdaa {

// What the firmware says that the card is; one that has ended said it before. Throws Failure or link::Error.
protocol::Info read_info(link::Card& card);

enum class JournalKind { kLog, kFaults };

struct JournalPart {
  std::vector<journal::Record> records;
  uint64_t first = 0;  // number of the first of them
  uint64_t lost = 0;   // records before it that are not there any more
  std::array<uint32_t, journal::kIds> counts = {};
};
// At most `room` records, from number `position` on. Throws Failure or link::Error.
JournalPart read_journal(link::Card& card, JournalKind kind, uint64_t position, unsigned room);

// What the firmware left when it ended; nothing: it never did.
std::optional<fault::Record> read_panic(link::Card& card);

std::string describe(const journal::Description& description, const journal::Arguments& arguments);
std::string describe(const fault::Record& record);

}  // namespace swai::sdaa
