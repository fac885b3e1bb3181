// SPDX-License-Identifier: Apache-2.0
// A process that attacks: connections are counted by process, so a victim's are not the attacker's.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "verif/attack/attacker.hpp"

namespace swai::attack {

class AttackerProcess {
 public:
  // It waits for start(). `which` names boundaries and kinds of attacks: each named kind, and each at a named
  // boundary, runs `steps` times in turn, and an attack that is refused before its end counts as a finding.
  // Without names it runs `steps` attacks at random.
  struct Plan {
    unsigned long steps = 0;
    uint64_t seed = 0;
    std::vector<std::string> which;
  };
  // Before the calling process has threads. Throws std::invalid_argument: no such boundary or kind.
  AttackerProcess(const Means& means, const Known& known, const Plan& plan);
  ~AttackerProcess();
  AttackerProcess(const AttackerProcess&) = delete;
  AttackerProcess& operator=(const AttackerProcess&) = delete;

  void start();
  // Does not wait. Throws std::runtime_error: it ended otherwise than by its own will.
  bool is_over();
  // What it could reach, in words, when it is over.
  const std::vector<std::string>& leaks() const { return leaks_; }
  size_t steps() const { return steps_; }

 private:
  void collect();

  size_t steps_ = 0;
  pid_t pid_ = -1;
  int channel_ = -1;
  std::string said_;
  std::vector<std::string> leaks_;
};

}  // namespace swai::attack
