// SPDX-License-Identifier: Apache-2.0
// How a client behaves towards a vfio-user server.
#pragma once

#include "host/transport/backend.hpp"

namespace swai::link {

struct VfioUserOptions {
  // Ask for deterministic time before anything touches the card. kRefused if the server cannot do that.
  bool deterministic = true;
  Milliseconds connect_timeout{10'000};  // for a server to appear on the socket
  Milliseconds timeout{60'000};          // for every call except run_until
  Milliseconds run_timeout{600'000};     // for run_until
};

}  // namespace swai::link
