// SPDX-License-Identifier: Apache-2.0
// What a card tells about its clients: who they are, and whose launches run.
#pragma once

#include <cstdint>
#include <optional>

#include "abi/protocol.hpp"
#include "host/runtime/connection.hpp"

namespace swai::sdaa {

// On a shared card: the client whose launch runs while none of this one's does; 0: there is none.
uint64_t other_client(Connection& connection);
// What the card told last of this client; none: it tells nothing of it.
std::optional<protocol::ClientUsage> own_usage(Connection& connection);

}  // namespace swai::sdaa
