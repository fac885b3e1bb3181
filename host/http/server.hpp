// The connections: reads requests, within limits, and sends answers, each as fast as its client takes it.
// One thread does it all, and it waits for nobody.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "host/http/address.hpp"
#include "host/http/exchange.hpp"

namespace swai::http {

class Server {
 public:
  struct Limits {
    unsigned connections = 64;  // more wait until one ends
    // From the beginning of a connection, or its last answer, until a request is there, and from the end of
    // an answer until the client has it.
    std::chrono::milliseconds time{60'000};
  };
  struct Calls {
    // Is given a request without its body; says how many bytes that may have. Throws Problem.
    std::function<size_t(const Request&)> admit;
    // Is given the whole, and answers, now or later. Throws Problem.
    std::function<void(const std::shared_ptr<Exchange>&)> answer;
  };

  // The calls come from the server's thread, and have to return soon. Throws std::runtime_error.
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
