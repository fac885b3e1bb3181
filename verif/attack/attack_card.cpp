// The hostile client alone, against cards that a daemon serves: attack-card SOCKET FOLDER MODULE STEPS SEED.
// MODULE has the kernels of verif/sdaa/kernels.cpp. Prints what it could reach, a line each, and ends with
// exit code 1 if there was something; one of its own connections looks after memory that must stay as it is.
#include <fmt/format.h>

#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>

#include "verif/attack/bystander.hpp"

int main(int count, char** words) {
  using namespace swai::attack;
  if (count != 6) {
    fmt::print(stderr, "attack-card SOCKET FOLDER MODULE STEPS SEED\n");
    return 2;
  }
  try {
    // The runtime library's only device.
    ::setenv("SWAI_CARD", words[1], 1);
    std::ifstream file(words[3], std::ios::binary);
    const std::vector<uint8_t> module((std::istreambuf_iterator<char>(file)), {});
    Bystander bystander(words[1]);
    Attacker attacker({words[1], words[2], module}, bystander.known(), std::strtoull(words[5], nullptr, 10));
    const unsigned long steps = std::strtoul(words[4], nullptr, 10);
    for (unsigned long step = 0; step < steps; ++step) {
      attacker.play(*kinds()[attacker.below(static_cast<unsigned>(kinds().size()))]);
      if (step % 16 == 0) attacker.expect(bystander.is_whole(), "another client's memory is not what it was");
    }
    for (const std::string& leak : attacker.leaks()) fmt::print("{}\n", leak);
    fmt::print("{} steps of {} kinds\n", steps, kinds().size());
    return attacker.leaks().empty() ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "attack-card: {}\n", error.what());
    return 1;
  }
}
