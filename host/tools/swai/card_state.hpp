// SPDX-License-Identifier: Apache-2.0
// What a card tells about itself, all of it, through the link alone.
#pragma once

#include "host/tools/cli/json.hpp"
#include "host/transport/card.hpp"

namespace swai::cli {

// What cannot be had is an object with "error". Throws link::Error when the card is lost.
Json describe_state(link::Card& card, size_t number);

}  // namespace swai::cli
