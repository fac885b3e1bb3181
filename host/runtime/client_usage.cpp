// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/client_usage.hpp"

#include <algorithm>
#include <array>

#include "host/runtime/bars.hpp"

namespace swai::sdaa {
namespace {

using Usages = std::array<protocol::ClientUsage, protocol::kContexts>;

// What the card told last of its clients; nobody: it tells nothing of them.
Usages usages(Connection& connection) {
  Usages all = {};
  if (connection.info().clients_count == all.size())
    connection.card().read_block(kMemoryBar, kSram + connection.info().clients_offset,
                                 {reinterpret_cast<uint8_t*>(all.data()), sizeof all});
  return all;
}

}  // namespace

uint64_t other_client(Connection& connection) {
  // A card of one's own keeps its time to itself: it is asked nothing when it pleases our clock.
  if (!connection.is_shared()) return 0;
  uint64_t other = 0;
  for (const protocol::ClientUsage& one : usages(connection)) {
    if (one.attached != protocol::Attached::kYes || one.running == 0) continue;
    if (one.context == connection.client()) return 0;
    other = one.context;
  }
  return other;
}

std::optional<protocol::ClientUsage> own_usage(Connection& connection) {
  const Usages all = usages(connection);
  const auto own = std::ranges::find_if(all, [&](const protocol::ClientUsage& one) {
    return one.attached == protocol::Attached::kYes && one.context == connection.client();
  });
  if (own == all.end()) return std::nullopt;
  return *own;
}

}  // namespace swai::sdaa
