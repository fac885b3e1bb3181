// SPDX-License-Identifier: Apache-2.0
// The daemon's own socket: a line of JSON each way, then the connection ends.
//
//   {"version": 1, "command": "submit", "program": ["axpy"], "folder": "."}  ->  {"version": 1, "job": 3}
//
// An answer with "error" says in words what is wrong. Some requests are answered in lines, which come as they
// are made. Who may ask runs programs as the daemon's user, so that it is this user's alone, however the
// cards are shared.
#pragma once

#include <poll.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "host/daemon/cards/lines.hpp"
#include "host/transport/channel.hpp"
#include "host/transport/control_call.hpp"

namespace swai::serve {

using link::ask;
using link::Json;
using link::kControlVersion;
using link::Unreachable;

// Of a request.
inline constexpr size_t kMostRequestBytes = 256 << 10;
inline constexpr unsigned kMostNames = 256;

// A request that is right, but comes too early; it may come again.
class Busy : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Control {
 public:
  struct Limits {
    size_t connections = 64;                // the oldest goes when there are more
    std::chrono::milliseconds time{5'000};  // from the first byte of a request to the last one of its answer
    // Requests that are answered in lines, until the last line is there: of all, and of one process.
    size_t answers = 16;
    size_t answers_of_process = 8;
  };
  // All are called by one thread of this object's. What they throw becomes "error".
  struct Calls {
    std::function<Json(const Json&)> answer;
    // By their commands: who is answered in lines, by any thread and for as long as that takes. Who does not
    // read them keeps nobody waiting, and has them until there are too many connections.
    std::map<std::string, std::function<void(const Json&, const std::shared_ptr<Lines>&)>> long_answers = {};
  };

  // Throws socket::SocketError.
  Control(std::string path, Calls calls, const Limits& limits);
  Control(std::string path, Calls calls) : Control(std::move(path), std::move(calls), Limits()) {}
  ~Control();
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Connection {
    link::Fd fd;
    pid_t process;
    Time end;
    std::string text = {};  // what has come; then what is still to go
    bool answers = false;
    size_t sent = 0;
    std::unique_ptr<Lines::Reader> lines = {};  // that are still made, or still to go

    short waits_for() const;
  };

  void serve();
  int timeout() const;
  void accept();
  // All return false when the connection is done with.
  bool go_on(Connection& connection, short events);
  bool read(Connection& connection);
  bool send(Connection& connection) const;
  void answer(Connection& connection);
  static bool is_being_answered(const Connection& one);
  void begin_lines(Connection& connection, const Json& request, const std::string& command);

  const std::string path_;
  const Calls calls_;
  const Limits limits_;
  uint64_t inode_ = 0;
  link::Fd listener_;
  const std::shared_ptr<Lines::Bell> bell_;
  std::atomic<bool> ends_ = false;
  std::list<Connection> connections_;
  std::optional<Time> closed_until_;  // no descriptor is left
  std::thread thread_;
};

// A number from a request. Throws std::runtime_error when there is none, or another one.
unsigned number_in(const Json& request, const char* name);

}  // namespace swai::serve
