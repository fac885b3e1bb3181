// SPDX-License-Identifier: Apache-2.0
// Who attacks: what it knows of its victim, connections that it uses up, and the list of what it could reach.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "verif/attack/api_client.hpp"
#include "verif/attack/hostile_client.hpp"
#include "verif/attack/kind.hpp"

namespace swai::attack {

// All that there is to know about another client.
struct Known {
  uint64_t context = 0;
  uint64_t pointer = 0;  // memory on the card
  uint64_t iova = 0;     // memory of its host
  unsigned queue = 0;
};

// What it attacks with.
struct Means {
  std::string socket;           // of the shared card
  std::string folder;           // where it may write
  std::vector<uint8_t> module;  // with kernels as verif/host/runtime/kernels.cpp has them
  int device = 0;               // of the runtime library, that card
};

class Attacker {
 public:
  Attacker(Means means, const Known& known, uint64_t seed);

  // Plays one step. False: it was thrown out before the end of it, and comes again.
  bool play(const Kind& kind);
  // Why, the last time.
  const std::string& thrown_out() const { return thrown_out_; }
  // What must not have been possible, in words; empty: nothing.
  const std::vector<std::string>& leaks() const { return leaks_; }

  // --- For kinds
  const std::string& socket() const { return means_.socket; }
  const std::string& folder() const { return means_.folder; }
  const std::vector<uint8_t>& module() const { return means_.module; }
  const Known& known() const { return known_; }
  uint64_t number() { return random_(); }
  unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }
  // An attached client: the same as long as it lives.
  HostileClient& client();
  void leave() { client_.reset(); }
  // A program on the runtime library, likewise.
  ApiClient& api();
  void leave_api() { api_.reset(); }
  // Both of them find a place, a queue and memory, as they would behind an honest one.
  bool finds_room();
  void expect(bool held, const std::string& what);

 private:
  void leave_all();

  Means means_;
  Known known_;
  std::mt19937_64 random_;
  std::unique_ptr<HostileClient> client_;
  std::unique_ptr<ApiClient> api_;
  std::string playing_;
  std::string thrown_out_;
  std::vector<std::string> leaks_;
};

}  // namespace swai::attack
