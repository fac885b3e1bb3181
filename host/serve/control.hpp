// The daemon's own socket: a line of JSON each way, then the connection ends.
//
//   {"version": 1, "command": "submit", "program": ["axpy"], "folder": "."}  ->  {"version": 1, "job":
//   3}
//
// An answer with "error" says in words what is wrong.
#pragma once

#include <atomic>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>

#include "host/link/channel.hpp"

namespace swai::serve {

using Json = nlohmann::ordered_json;

inline constexpr int kControlVersion = 1;

class Control {
 public:
  // Answers with what the function gives; what it throws becomes "error". The function is called by one
  // thread of this object's. Throws socket::SocketError.
  Control(std::string path, unsigned permissions, std::function<Json(const Json&)> answer);
  ~Control();
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

 private:
  void serve();
  void serve_one(const link::Fd& connection);

  const std::string path_;
  const std::function<Json(const Json&)> answer_;
  uint64_t inode_ = 0;
  link::Fd listener_;
  link::Fd wake_;
  std::thread thread_;
};

// There is no daemon, or it does not answer.
struct Unreachable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The client's side. Throws Unreachable; std::runtime_error with what the daemon says is wrong.
Json ask(const std::string& path, Json request);

}  // namespace swai::serve
