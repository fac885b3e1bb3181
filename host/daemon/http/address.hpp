// SPDX-License-Identifier: Apache-2.0
// Where the server listens.
#pragma once

#include <string>

#include "host/transport/channel.hpp"

namespace swai::http {

// A socket that listens. Throws common::InputError.
class ListeningSocket {
 public:
  // "PORT" (of this machine alone), "HOST:PORT", "[::1]:PORT". Port 0: any that is free.
  explicit ListeningSocket(const std::string& address);

  int get() const { return fd_.get(); }
  // As clients name it: "127.0.0.1:8080".
  const std::string& name() const { return name_; }
  // Nobody from outside of this machine gets here.
  bool is_loopback() const { return loopback_; }

 private:
  link::Fd fd_;
  std::string name_;
  bool loopback_ = false;
};

}  // namespace swai::http
