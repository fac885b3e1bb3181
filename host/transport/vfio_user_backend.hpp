// SPDX-License-Identifier: Apache-2.0
// Cards behind a vfio-user socket, in another process or in this one.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "host/transport/backend.hpp"
#include "host/transport/channel.hpp"
#include "host/transport/vfio_user_options.hpp"

namespace swai::link {

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
