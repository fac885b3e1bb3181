// SPDX-License-Identifier: Apache-2.0
// Cards behind a vfio-user socket, in another process or in this one.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "host/link/backend.hpp"
#include "host/link/channel.hpp"

namespace swai::link {

struct VfioUserOptions {
  // Ask for deterministic time before anything touches the card. kRefused if the server cannot do that.
  bool deterministic = true;
  Milliseconds connect_timeout{10'000};  // so long is tried to find a server on the socket
  Milliseconds timeout{60'000};          // of every call but run_until
  Milliseconds run_timeout{600'000};     // of run_until
};

// Throws Error: kNoConnection with the reason.
std::unique_ptr<Backend> open_vfio_user(const std::string& socket_path, const VfioUserOptions& options = {});

// The same protocol within one process and thread: `connection` is one end of a socket pair, and `turn` lets
// the server at the other end do what it can without waiting.
struct InProcess {
  Fd connection;
  std::function<void()> turn;
};
std::unique_ptr<Backend> open_in_process(InProcess server, const VfioUserOptions& options = {});

}  // namespace swai::link
