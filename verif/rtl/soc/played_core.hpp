// SPDX-License-Identifier: Apache-2.0
// The core of the SoC, played by C++ in place of stub/mpe.sv's pins: requests go out when the test says so
// and at random moments, answers are kept by id.
#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "verif/rtl/lib/bench.hpp"
#include "wires.hpp"

namespace swai::soc {

inline constexpr unsigned kLineBytes = 64;
using Line = std::array<uint8_t, kLineBytes>;

inline constexpr unsigned kOpRead = wires::mbus::op::kRead;
inline constexpr unsigned kOpWrite = wires::mbus::op::kWrite;
inline constexpr unsigned kOpAdd = wires::mbus::op::kAdd;

struct Request {
  unsigned op = kOpRead;
  unsigned id = 0;
  uint64_t address = 0;
  unsigned size = 3;  // log2
  uint64_t strobes = 0;
  Line data{};
};

struct Response {
  bool err = false;
  Line data{};
};

// Four bytes of every line of the ROM are its number, the rest a pattern that no other line has.
Line rom_line(uint64_t index);
// The file that the model takes the ROM's contents from.
void write_rom_file();

// What the core's pins see and drive; one model lives in a process, and DPI has no better handle.
class Core {
 public:
  static inline Core* instance = nullptr;

  explicit Core(verif::Random& random) : random_(random) { instance = this; }

  // Before the coming edge.
  bool in_reset = false;
  unsigned wakes = 0;
  uint64_t boot_address = 0;
  uint64_t nmi_address = 0;
  uint64_t time = 0;
  // After it.
  bool sleep = false;
  bool write_error = false;

  void post(const Request& request) { queue_.push_back(request); }
  bool quiet() const { return queue_.empty() && outstanding_ == 0; }
  // Responses by id, in the order in which they came.
  std::deque<Response>& answers(unsigned id) { return answers_[id]; }

  // An edge of the clock: the request that is then at the pins, if any.
  const Request* step(bool rst_n, bool taken, bool rsp_valid, unsigned rsp_id, const Response& response);

 private:
  verif::Random& random_;
  std::deque<Request> queue_;
  std::array<std::deque<Response>, 3> answers_;
  unsigned outstanding_ = 0;
  bool driven_ = false;
};

}  // namespace swai::soc
