// SPDX-License-Identifier: Apache-2.0
// A testbench around a verilated model: agents drive its inputs before each clock edge and look at its
// outputs when these have settled.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sim/common/random.hpp"
#include "sim/common/verilated_main.hpp"

namespace swai::verif {

// What a check throws; test_main prints it and ends with exit code 1.
struct CheckFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void check(bool good, const std::string& message) {
  if (!good) throw CheckFailed(message);
}

class Agent {
 public:
  Agent() = default;
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;
  virtual ~Agent() = default;

  virtual void drive() = 0;   // set inputs
  virtual void sample() = 0;  // look at all signals as the coming clock edge will find them
};

template <typename Model>
class Bench {
 public:
  explicit Bench(uint64_t seed) : random_(seed), run_(seed, kMaxCycles) {}

  Model& top() { return run_.top(); }
  Random& random() { return random_; }
  uint64_t cycle() const { return run_.cycle(); }

  // Agents act in the order in which they were added. They must live as long as the bench is clocked.
  void add(Agent& agent) { agents_.push_back(&agent); }

  void reset() {
    top().rst_ni = 0;
    settle();
    for (int i = 0; i < 3; ++i) run_.tick();
    top().rst_ni = 1;
  }

  void settle() { run_.settle(); }
  void tick() { run_.tick(); }

  void step() {
    for (auto* agent : agents_) agent->drive();
    settle();
    for (auto* agent : agents_) agent->sample();
    tick();
  }

  void steps(uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) step();
  }

  // Steps until `done`; fails when that takes longer than `limit` cycles.
  void until(const std::function<bool()>& done, uint64_t limit, const std::string& what) {
    for (uint64_t i = 0; !done(); ++i) {
      check(i < limit, what + ": nothing after " + std::to_string(limit) + " cycles");
      step();
    }
  }

 private:
  static constexpr uint64_t kMaxCycles = 100'000'000;

  Random random_;
  VerilatedRun<Model> run_;
  std::vector<Agent*> agents_;
};

}  // namespace swai::verif
