// SPDX-License-Identifier: Apache-2.0
// A client that sends a request, until it disconnects.
#pragma once

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <array>
#include <memory>

#include "host/daemon/http/exchange.hpp"
#include "host/transport/channel.hpp"

namespace swai::http_test {

class Asks : public http::Exchange::Connection {
 public:
  Asks() : exchange(std::make_shared<http::Exchange>(http::Request())) {
    std::array<int, 2> ends;
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
    server_ = link::Fd(ends[0]);
    client_ = link::Fd(ends[1]);
    exchange->connect(server_.get(), *this);
  }
  ~Asks() override { exchange->disconnect(); }
  Asks(const Asks&) = delete;
  Asks& operator=(const Asks&) = delete;
  void sleep() override {}
  void wake() override {}
  void go() { client_.reset(); }

  // The pointer for the component that answers.
  std::shared_ptr<http::Exchange> to_answer() const { return http::to_answer(exchange); }

  const std::shared_ptr<http::Exchange> exchange;

 private:
  link::Fd server_, client_;
};

}  // namespace swai::http_test
