// SPDX-License-Identifier: Apache-2.0
// Who may talk to a socket: the user whose process made it, and root; for some also the members of that
// process's group. The file's mode says so, and who connects is asked for its credentials, because modes can
// be changed.
#pragma once

#include <sys/types.h>

#include <optional>

namespace swai::socket {

enum class Audience { kOwner, kGroup };

// Of the socket's file.
constexpr unsigned mode_of(Audience audience) { return audience == Audience::kOwner ? 0600 : 0660; }

struct Peer {
  pid_t process = 0;
  uid_t user = 0;
  gid_t group = 0;

  bool operator==(const Peer&) const = default;
};
// Who was at the other end when it connected.
std::optional<Peer> peer_of(int connection);

bool admits(Audience audience, int connection);

}  // namespace swai::socket
