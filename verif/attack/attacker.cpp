// SPDX-License-Identifier: Apache-2.0
#include "verif/attack/attacker.hpp"

namespace swai::attack {

Attacker::Attacker(Means means, const Known& known, uint64_t seed)
    : means_(std::move(means)), known_(known), random_(seed) {}

// What fails, fails for the one who attacks: it comes again in its next step.
bool Attacker::play(const Kind& kind) {
  playing_ = std::string(text(kind.boundary)) + ": " + kind.name;
  try {
    kind.play(*this);
    return true;
  } catch (const link::Error& error) {
    thrown_out_ = error.what();
  } catch (const sdaa::Failure& failure) {
    thrown_out_ = failure.what();
  }
  leave_all();
  return false;
}

void Attacker::leave_all() {
  leave();
  leave_api();
}

ApiClient& Attacker::api() {
  if (!api_) api_ = std::make_unique<ApiClient>(means_.device, means_.module);
  api_->use();
  return *api_;
}

bool Attacker::finds_room() {
  try {
    client();
    api();
    return true;
  } catch (const link::Error&) {
  } catch (const sdaa::Failure&) {
  }
  return false;
}

HostileClient& Attacker::client() {
  if (!client_) client_ = std::make_unique<HostileClient>(means_.socket);
  return *client_;
}

void Attacker::expect(bool held, const std::string& what) {
  if (!held) leaks_.push_back(playing_ + ": " + what);
}

}  // namespace swai::attack
