// SPDX-License-Identifier: Apache-2.0
// The connections: reads requests, within limits, and sends answers, each as fast as its client takes it.
// One thread serves all connections and never waits for one of them.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "host/daemon/http/address.hpp"
#include "host/daemon/http/exchange.hpp"

namespace swai::http {

class Server {
 public:
  struct Limits {
    // Maximum number of connections. Beyond it, the oldest one without a whole request is closed, else the
    // oldest one that does not read its answer. While all others are being answered, a few more are accepted.
    unsigned connections = 64;
    // Time for the head of a request, from the beginning of the connection or the first byte after an answer.
    std::chrono::milliseconds head{10'000};
    // Time for the body, for the rest of a complete answer, and between an answer and the next request.
    std::chrono::milliseconds time{60'000};
    // Memory for the bodies of all requests that arrive or wait. Beyond it the oldest incomplete one is
    // refused, else the one that needs more.
    size_t body_bytes = 128 << 20;
  };
  struct Calls {
    // Receives a request without its body; returns the maximum size of the body. Throws Problem.
    std::function<size_t(const Request&)> admit;
    // Receives the whole request and answers it, now or later; the exchange is abandoned once all pointers to
    // it are dropped. Throws Problem.
    std::function<void(const std::shared_ptr<Exchange>&)> answer;
  };

  // The calls come from the server's thread and must return soon. Throws std::runtime_error.
  Server(const ListeningSocket& socket, Calls calls, const Limits& limits);
  // Exchanges that are not over are abandoned.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

 private:
  class Work;
  const std::unique_ptr<Work> work_;
};

}  // namespace swai::http
