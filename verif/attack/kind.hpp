// SPDX-License-Identifier: Apache-2.0
// What the attack suite consists of: kinds of attacks, each at one boundary. A new one is one object of this
// type in the file of its boundary; the tests play all that are linked.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace swai::attack {

enum class Boundary { kSocket, kDaemon, kControl, kApi, kKernel, kFile };
const char* text(Boundary boundary);

class Attacker;

struct Kind {
  // `play` is one hostile step. What it finds to be in reach it reports to Attacker::expect().
  Kind(Boundary boundary, std::string name, std::function<void(Attacker&)> play);
  Kind(const Kind&) = delete;
  Kind& operator=(const Kind&) = delete;

  Boundary boundary;
  std::string name;
  std::function<void(Attacker&)> play;
};

// In the order of their names.
const std::vector<const Kind*>& kinds();

}  // namespace swai::attack
