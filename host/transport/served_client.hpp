// SPDX-License-Identifier: Apache-2.0
// Whose launches this program waits for on a card that a daemon shares.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace swai::link {

struct ServedClient {
  pid_t process = 0;
  std::string program;
};
// Who has the context `other` on the card where this program has the context `own`. Nothing: the daemon tells
// its clients to its own user alone, or there is more than one card where that might be.
std::optional<ServedClient> served_client(uint64_t own, uint64_t other);

}  // namespace swai::link
