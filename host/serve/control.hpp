// The daemon's own socket: a line of JSON each way, then the connection ends.
//
//   {"version": 1, "command": "submit", "program": ["axpy"], "folder": "."}  ->  {"version": 1, "job": 3}
//
// An answer with "error" says in words what is wrong. Who may ask runs programs as the daemon's user, so that
// it is this user's alone, however the cards are shared.
#pragma once

#include <poll.h>

#include <chrono>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "host/link/channel.hpp"
#include "host/link/control_call.hpp"

namespace swai::serve {

using link::ask;
using link::Json;
using link::kControlVersion;
using link::Unreachable;

// Of a request.
inline constexpr size_t kMostRequestBytes = 256 << 10;

class Control {
 public:
  struct Limits {
    size_t connections = 64;                // the oldest goes when there are more
    std::chrono::milliseconds time{5'000};  // from the first byte of a request to the last one of its answer
  };

  // Answers with what the function gives; what it throws becomes "error". The function is called by one
  // thread of this object's. Throws socket::SocketError.
  Control(std::string path, std::function<Json(const Json&)> answer, const Limits& limits);
  Control(std::string path, std::function<Json(const Json&)> answer)
      : Control(std::move(path), std::move(answer), Limits()) {}
  ~Control();
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Connection {
    link::Fd fd;
    Time end;
    std::string text;  // what has come; then what is still to go
    bool answers = false;
    size_t sent = 0;
  };

  void serve();
  int timeout() const;
  void accept();
  // False: the connection is done with.
  bool go_on(Connection& connection);
  bool read(Connection& connection);
  std::string answer_to(const std::string& line) const;

  const std::string path_;
  const std::function<Json(const Json&)> answer_;
  const Limits limits_;
  uint64_t inode_ = 0;
  link::Fd listener_;
  link::Fd wake_;
  std::list<Connection> connections_;
  std::optional<Time> closed_until_;  // no descriptor is left
  std::thread thread_;
};

// A number from a request. Throws std::runtime_error when there is none, or another one.
unsigned number_in(const Json& request, const char* name);

}  // namespace swai::serve
