// SPDX-License-Identifier: Apache-2.0
#include "verif/attack/kind.hpp"

#include <algorithm>

namespace swai::attack {
namespace {

// Kinds are objects of many files, which are made in any order.
std::vector<const Kind*>& all() {
  static std::vector<const Kind*> kinds;
  return kinds;
}

}  // namespace

const char* text(Boundary boundary) {
  switch (boundary) {
    case Boundary::kSocket:
      return "socket";
    case Boundary::kDaemon:
      return "daemon";
    case Boundary::kControl:
      return "control socket";
    case Boundary::kApi:
      return "interface";
    case Boundary::kKernel:
      return "kernel language";
    case Boundary::kFile:
      return "files";
  }
  return "?";
}

Kind::Kind(Boundary where, std::string what, std::function<void(Attacker&)> how)
    : boundary(where), name(std::move(what)), play(std::move(how)) {
  all().insert(std::ranges::upper_bound(all(), name, {}, &Kind::name), this);
}

const std::vector<const Kind*>& kinds() { return all(); }

}  // namespace swai::attack
