// SPDX-License-Identifier: Apache-2.0
// The hostile client against cards that a daemon serves, while another client computes on the same card:
// attack-card SOCKET FOLDER MODULE STEPS SEED [BOUNDARY|KIND ...]. MODULE has the kernels of
// verif/host/runtime/kernels.cpp. Runs the named kinds of attacks, and those at a named boundary, STEPS times
// each; without names STEPS attacks at random. The other client's launches have several lengths. Prints what
// the attacker reached, a line each, then a JSON object of figures; exit code 1 if it reached something, or
// if a result or the cycles of the other client changed.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>

#include "host/runtime/firmware.hpp"
#include "verif/attack/attacker_process.hpp"
#include "verif/attack/bystander.hpp"
#include "verif/attack/worker.hpp"

namespace swai::attack {
namespace {

// Rounds of each length without an attacker.
constexpr unsigned kRoundsAlone = 4;
// Lengths of the other client's launches, in numbers.
constexpr std::array<uint32_t, 3> kLengths = {1 << 10, 12 << 10, 64 << 10};
// A launch after another client's finds its code gone from the caches, which costs about 340 cycles per
// launch. Beyond that attacks may cost a share of the launch.
constexpr double kMaxSlower = 0.01;
constexpr double kCodeReload = 400;

// The other client, whose launches alternate between the lengths, and their cycles.
class Victim {
 public:
  Victim(const std::string& socket, std::span<const uint8_t> module, Bystander& bystander, uint64_t seed)
      : bystander_(bystander),
        looks_(link::Card::open(socket)),
        info_(sdaa::find_firmware(*looks_, sdaa::Limits{}, sdaa::Restart::kNo).info),
        worker_(0, module, kLengths.back()),
        random_(seed) {
    // The first launch finds cold caches.
    compute(kLengths.back());
    place_ = busiest(launches(*looks_, info_));
    last_ = reported(1);
  }

  // A launch of each length.
  void round(std::array<Launches, kLengths.size()>& took) {
    for (size_t i = 0; i < kLengths.size(); ++i) {
      compute(kLengths[i]);
      const Launches now = reported(last_.count + 1);
      took[i].count += 1;
      took[i].cycles += now.cycles - last_.cycles;
      last_ = now;
    }
  }
  unsigned wrong() const { return wrong_; }
  unsigned spoilt() const { return spoilt_; }

 private:
  void compute(uint32_t count) {
    wrong_ += worker_.round(random_, count) ? 0 : 1;
    look();
  }
  void look() { spoilt_ += bystander_.is_whole() ? 0 : 1; }
  // The card's report after `count` launches of this client, which comes some time after the last one's end.
  Launches reported(uint64_t count) {
    constexpr unsigned kMaxLooks = 1000;
    for (unsigned looks = 0; looks < kMaxLooks; ++looks) {
      const Launches its = launches(*looks_, info_)[place_];
      if (its.count == count) return its;
      look();
    }
    throw std::runtime_error(fmt::format("the card does not report {} launches", count));
  }

  Bystander& bystander_;
  std::unique_ptr<link::Card> looks_;
  protocol::Info info_;
  Worker worker_;
  std::mt19937_64 random_;
  size_t place_ = 0;
  Launches last_;
  unsigned wrong_ = 0;
  unsigned spoilt_ = 0;
};

int play(const std::string& socket, const std::string& folder, const std::vector<uint8_t>& module,
         const AttackerProcess::Plan& plan) {
  Bystander bystander(socket);
  // A device of its own in the runtime library.
  AttackerProcess attacker({socket, folder, module, 1}, bystander.known(), plan);
  Victim victim(socket, module, bystander, plan.seed);
  std::array<Launches, kLengths.size()> alone = {};
  for (unsigned i = 0; i < kRoundsAlone; ++i) victim.round(alone);

  attacker.start();
  std::array<Launches, kLengths.size()> attacked = {};
  // The last round follows the last attack, so it shows the effects of that attack.
  for (bool over = false; !over;) {
    over = attacker.is_over();
    victim.round(attacked);
  }

  for (const std::string& leak : attacker.leaks()) fmt::print("{}\n", leak);
  bool in_time = true;
  nlohmann::json lengths;
  for (size_t i = 0; i < kLengths.size(); ++i) {
    const double before = alone[i].cycles_of_one(), then = attacked[i].cycles_of_one();
    in_time = in_time && std::abs(then - before) <= kMaxSlower * before + kCodeReload;
    lengths.push_back({{"numbers", kLengths[i]}, {"cycles_alone", before}, {"cycles_attacked", then}});
  }
  const nlohmann::json figures = {
      {"steps", attacker.steps()}, {"kinds", kinds().size()},     {"leaks", attacker.leaks().size()},
      {"spoilt", victim.spoilt()}, {"rounds", attacked[0].count}, {"wrong", victim.wrong()},
      {"launches", lengths}};
  fmt::print("{}\n", figures.dump());
  const bool held = attacker.leaks().empty() && victim.wrong() == 0 && victim.spoilt() == 0;
  return held && in_time ? 0 : 1;
}

}  // namespace
}  // namespace swai::attack

int main(int count, char** words) {
  if (count < 6) {
    fmt::print(stderr, "attack-card SOCKET FOLDER MODULE STEPS SEED [BOUNDARY|KIND ...]\n");
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
                               .which = {words + 6, words + count}});
  } catch (const std::exception& error) {
    fmt::print(stderr, "attack-card: {}\n", error.what());
    return 1;
  }
}
