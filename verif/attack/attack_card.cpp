// The hostile client against cards that a daemon serves, while another client computes on the same card:
// attack-card SOCKET FOLDER MODULE STEPS SEED [BOUNDARY|KIND]. MODULE has the kernels of
// verif/sdaa/kernels.cpp. With a boundary each kind of attack there is played so many times, or the one that
// is named. Prints what it could reach, a line each, then a JSON object of figures; exit code 1 if there was
// something, or a result of the other client's was wrong.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "host/sdaa/firmware.hpp"
#include "verif/attack/attacker_process.hpp"
#include "verif/attack/bystander.hpp"
#include "verif/attack/worker.hpp"

namespace swai::attack {
namespace {

constexpr unsigned kRoundsAlone = 8;
// A launch that follows another client's finds its code gone from the caches, some 340 cycles; long ones show
// what attacks cost beside that.
constexpr uint32_t kCount = 64 << 10;
constexpr double kMostSlower = 0.01;

// Of the client there, when it has made so many: the card tells of a launch some time behind its end. `look`:
// meanwhile.
template <typename Look>
Launches told(link::Card& card, const protocol::Info& info, size_t place, uint64_t count, const Look& look) {
  constexpr unsigned kMostLooks = 1000;
  for (unsigned looks = 0; looks < kMostLooks; ++looks) {
    const Launches its = launches(card, info)[place];
    if (its.count == count) return its;
    look();
  }
  throw std::runtime_error(fmt::format("the card does not tell of {} launches", count));
}

int play(const std::string& socket, const std::string& folder, const std::vector<uint8_t>& module,
         const AttackerProcess::Plan& plan) {
  Bystander bystander(socket);
  // A device of its own in the runtime library.
  AttackerProcess attacker({socket, folder, module, 1}, bystander.known(), plan);
  const auto looks = link::Card::open(socket);
  const protocol::Info info = sdaa::find_firmware(*looks, sdaa::Limits{}, sdaa::Restart::kNo).info;
  Worker worker(0, module, kCount);
  std::mt19937_64 random(plan.seed);
  unsigned wrong = 0;
  unsigned spoilt = 0;
  const auto look = [&] { spoilt += bystander.is_whole() ? 0 : 1; };
  // The first launch finds cold caches.
  wrong += worker.round(random) ? 0 : 1;
  look();
  const size_t place = busiest(launches(*looks, info));
  const Launches before = told(*looks, info, place, 1, look);
  for (unsigned i = 0; i < kRoundsAlone; ++i) wrong += worker.round(random) ? 0 : 1;
  const Launches alone = told(*looks, info, place, 1 + kRoundsAlone, look);

  attacker.start();
  unsigned rounds = 0;
  // The last round comes when all is over: what the last steps have done shows then.
  for (bool over = false; !over; ++rounds) {
    over = attacker.is_over();
    wrong += worker.round(random) ? 0 : 1;
    look();
  }
  const Launches attacked = told(*looks, info, place, alone.count + rounds, look);

  for (const std::string& leak : attacker.leaks()) fmt::print("{}\n", leak);
  fmt::print(
      "{{\"steps\": {}, \"kinds\": {}, \"leaks\": {}, \"spoilt\": {}, \"rounds\": {}, \"wrong\": {}, "
      "\"cycles_alone\": {:.1f}, \"cycles_attacked\": {:.1f}}}\n",
      attacker.steps(), kinds().size(), attacker.leaks().size(), spoilt, rounds, wrong,
      (alone - before).cycles_of_one(), (attacked - alone).cycles_of_one());
  const double slower = (attacked - alone).cycles_of_one() / (alone - before).cycles_of_one() - 1;
  const bool held = attacker.leaks().empty() && wrong == 0 && spoilt == 0;
  return held && rounds != 0 && std::abs(slower) <= kMostSlower ? 0 : 1;
}

}  // namespace
}  // namespace swai::attack

int main(int count, char** words) {
  if (count != 6 && count != 7) {
    fmt::print(stderr, "attack-card SOCKET FOLDER MODULE STEPS SEED [BOUNDARY|KIND]\n");
    return 2;
  }
  try {
    const std::string socket = words[1];
    // Two devices of the runtime library: the worker's, and the attacker's.
    ::setenv("SWAI_CARD", (socket + "," + socket).c_str(), 1);
    std::ifstream file(words[3], std::ios::binary);
    const std::vector<uint8_t> module((std::istreambuf_iterator<char>(file)), {});
    return swai::attack::play(socket, words[2], module,
                              {.steps = std::strtoul(words[4], nullptr, 10),
                               .seed = std::strtoull(words[5], nullptr, 10),
                               .which = count == 7 ? words[6] : ""});
  } catch (const std::exception& error) {
    fmt::print(stderr, "attack-card: {}\n", error.what());
    return 1;
  }
}
