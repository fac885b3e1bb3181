#include "verif/attack/attacker.hpp"

namespace swai::attack {

Attacker::Attacker(std::string socket, std::string folder, const Known& known, uint64_t seed)
    : socket_(std::move(socket)), folder_(std::move(folder)), known_(known), random_(seed) {}

void Attacker::play(const Kind& kind) {
  playing_ = std::string(text(kind.boundary)) + ": " + kind.name;
  try {
    kind.play(*this);
  } catch (const link::Error&) {
    leave();
  } catch (const sdaa::Failure&) {
    leave();
  }
}

HostileClient& Attacker::client() {
  if (!client_) client_ = std::make_unique<HostileClient>(socket_);
  return *client_;
}

void Attacker::expect(bool held, const std::string& what) {
  if (!held) leaks_.push_back(playing_ + ": " + what);
}

}  // namespace swai::attack
