// SPDX-License-Identifier: Apache-2.0
#include "host/transport/server/audience.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

namespace swai::socket {
namespace {

// Its groups beside the first one.
std::vector<gid_t> groups_of(int connection) {
  socklen_t bytes = 0;
  if (::getsockopt(connection, SOL_SOCKET, SO_PEERGROUPS, nullptr, &bytes) == 0 || errno != ERANGE) return {};
  std::vector<gid_t> groups(bytes / sizeof(gid_t));
  if (::getsockopt(connection, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &bytes) != 0) return {};
  groups.resize(bytes / sizeof(gid_t));
  return groups;
}

}  // namespace

std::optional<Peer> peer_of(int connection) {
  ucred peer = {};
  socklen_t bytes = sizeof peer;
  if (::getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) != 0) return std::nullopt;
  return Peer{peer.pid, peer.uid, peer.gid};
}

bool admits(Audience audience, int connection) {
  const auto peer = peer_of(connection);
  if (!peer) return false;
  if (peer->user == ::geteuid() || peer->user == 0) return true;
  if (audience == Audience::kOwner) return false;
  return peer->group == ::getegid() || std::ranges::count(groups_of(connection), ::getegid()) != 0;
}

}  // namespace swai::socket
