// SPDX-License-Identifier: Apache-2.0
// What must stay as it is: memory of a client, on the card and in its host, that nobody has a right to.
#pragma once

#include "verif/attack/attacker.hpp"

namespace swai::attack {

class Bystander {
 public:
  explicit Bystander(const std::string& socket) : client_(socket) {
    client_.fill(kPattern);
    client_.copy(client_.pointer, client_.iova, false);
  }
  Known known() const { return {client_.context(), client_.pointer, client_.iova, client_.queue}; }
  // Both memories are as they were, and the card still serves it.
  bool is_whole() {
    const bool in_host = client_.holds(kPattern);
    client_.fill(0);
    const bool copied = client_.copy(client_.pointer, client_.iova, true) == protocol::Status::kOk;
    return in_host && copied && client_.holds(kPattern);
  }

 private:
  static constexpr uint8_t kPattern = 0x11;
  HostileClient client_;
};

}  // namespace swai::attack
