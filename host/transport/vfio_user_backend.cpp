// SPDX-License-Identifier: Apache-2.0
#include "host/transport/vfio_user_backend.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "host/transport/unix_socket.hpp"
#include "host/transport/vfio_user_client.hpp"

namespace swai::link {
namespace {

using std::chrono::steady_clock;

constexpr Milliseconds kRetryEvery{20};

// A server that is just starting has no file yet, or does not listen on it yet.
bool may_come(int error) { return error == ENOENT || error == ECONNREFUSED || error == EAGAIN; }

const char* advice(int error) {
  switch (error) {
    case ENOENT:
      return "there is no such socket; start the card (swai-card) first, or correct the path";
    case ECONNREFUSED:
      return "nobody listens there; start the card (swai-card) again";
    case EACCES:
      return "you may not use that socket; run as the user who started the card";
    case ENOTSOCK:
    case EPROTOTYPE:
      return "that is not the socket of a card";
    default:
      return "";
  }
}

}  // namespace

std::unique_ptr<Backend> open_vfio_user(const std::string& socket_path, const VfioUserOptions& options) {
  if (!unix_address(socket_path)) {
    throw Error(ErrorKind::kBadArgument,
                fmt::format("'{}' cannot name a socket: possible are 1 to {} characters", socket_path,
                            kMaxSocketPath));
  }
  const auto deadline = steady_clock::now() + options.connect_timeout;
  for (;;) {
    if (Fd fd = connect_unix(socket_path)) {
      try {
        return std::make_unique<VfioUserClient>(std::move(fd), std::function<void()>(), socket_path, options);
      } catch (const Error& error) {
        if (error.kind() == ErrorKind::kRefused && error.code() == EBUSY) {
          throw Error(
              ErrorKind::kNoConnection,
              fmt::format("the card at {} has a client already; one at a time can use it", socket_path),
              EBUSY);
        }
        if (error.kind() == ErrorKind::kRefused && error.code() == EUSERS) {
          throw Error(
              ErrorKind::kNoConnection,
              fmt::format("this program, or its user, has as many connections to the card at {} as one may "
                          "have; end another one",
                          socket_path),
              EUSERS);
        }
        throw;
      }
    }
    const int error = errno;
    if (!may_come(error) || steady_clock::now() >= deadline) {
      throw Error(ErrorKind::kNoConnection,
                  fmt::format("the card at {} cannot be reached: {}; {}", socket_path, std::strerror(error),
                              advice(error)),
                  error);
    }
    std::this_thread::sleep_for(kRetryEvery);
  }
}

std::unique_ptr<Backend> open_in_process(InProcess server, const VfioUserOptions& options) {
  return std::make_unique<VfioUserClient>(std::move(server.connection), std::move(server.turn),
                                          "this process", options);
}

}  // namespace swai::link
