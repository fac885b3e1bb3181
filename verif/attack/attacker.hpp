// Who attacks: what it knows of its victim, connections that it uses up, and the list of what it could reach.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <vector>

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

class Attacker {
 public:
  Attacker(std::string socket, std::string folder, const Known& known, uint64_t seed);

  // Plays one step. Who is thrown out comes again.
  void play(const Kind& kind);
  // What must not have been possible, in words; empty: nothing.
  const std::vector<std::string>& leaks() const { return leaks_; }

  // --- For kinds
  const std::string& socket() const { return socket_; }
  const std::string& folder() const { return folder_; }  // where it may write
  const Known& known() const { return known_; }
  uint64_t number() { return random_(); }
  unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }
  // An attached client: the same as long as it lives.
  HostileClient& client();
  void leave() { client_.reset(); }
  void expect(bool held, const std::string& what);

 private:
  std::string socket_;
  std::string folder_;
  Known known_;
  std::mt19937_64 random_;
  std::unique_ptr<HostileClient> client_;
  std::string playing_;
  std::vector<std::string> leaks_;
};

}  // namespace swai::attack
