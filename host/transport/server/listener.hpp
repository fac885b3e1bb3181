// SPDX-License-Identifier: Apache-2.0
// Socket files.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "host/transport/channel.hpp"
#include "host/transport/server/audience.hpp"

namespace swai::socket {

// A socket that cannot be listened on. what() is one line with cause and cure.
struct SocketError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A listening socket at `path`; replaces a file that no server listens on any more. Throws SocketError.
// `inode` is that of the file.
link::Fd listen_on(const std::string& path, Audience audience, uint64_t& inode);

// Removes the file if it is still the one that was made.
void remove_socket(const std::string& path, uint64_t inode);

}  // namespace swai::socket
