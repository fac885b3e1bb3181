// SPDX-License-Identifier: Apache-2.0
// Power goes in the middle of updates, rollbacks and erasures: at the beginning, in the middle and at the end
// of each operation of the chip, and at random bytes. Afterwards the boot ROM's own code has to find a valid
// image each time, as often as the card is switched on, whether the new image passes its self-test or never
// does; and the same command again has to reach what the first one was to.
//
//   power-cut [--seed N] [--positions N]    prints {"flash.powercut_survival": 1.0, ...}
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "verif/host/tools/flash/rig.hpp"

namespace swai::flash {
namespace {

using image::Slot;

constexpr uint64_t kOlder = image::make_version(0, 9, 0);
constexpr uint64_t kOld = image::make_version(1, 0, 0);
constexpr uint64_t kNew = image::make_version(1, 1, 0);

enum class Deed { kWrite, kRollback, kErase };

struct Scenario {
  const char* name;
  Bytes a;
  Bytes b;
  Deed deed;
  Bytes image;  // kWrite
  Slot target;
};

std::vector<Scenario> scenarios(uint64_t seed) {
  const auto make = [&](uint64_t version, size_t bytes) { return test_image(version, bytes, seed); };
  const Bytes old = with_state(make(kOld, 9000), true);
  const Bytes older = with_state(make(kOlder, 13000), true);
  const Bytes fresh = make(kNew, 10'000);
  const Bytes broken = with_state(make(kNew, 5000), false, image::kMaxAttempts);
  const Bytes same_version = test_image(kOld, 9000, seed + 1);
  const Bytes large = make(kNew, 70'000);
  Bytes torn = older;
  std::fill(torn.begin() + 3000, torn.end(), uint8_t{0xFF});
  return {
      {"into an empty slot", old, {}, Deed::kWrite, fresh, Slot::kB},
      {"over an older version", old, older, Deed::kWrite, fresh, Slot::kB},
      {"into slot A", older, old, Deed::kWrite, fresh, Slot::kA},
      {"over a version that failed", old, broken, Deed::kWrite, fresh, Slot::kB},
      {"over half an image", old, torn, Deed::kWrite, fresh, Slot::kB},
      {"the same version", old, older, Deed::kWrite, same_version, Slot::kB},
      {"an older version", old, with_state(fresh, false, 1), Deed::kWrite, older, Slot::kB},
      {"a large image, with large erase blocks", old, with_state(make(kOlder, 150'000), true), Deed::kWrite,
       large, Slot::kB},
      {"back to the older version", older, with_state(fresh, true), Deed::kRollback, {}, Slot::kA},
      {"an erasure", old, older, Deed::kErase, {}, Slot::kB},
  };
}

Plan plan_of(const Scenario& scenario, SpiNor& chip) {
  const size_t bytes = scenario.deed == Deed::kErase ? image::kSlotBytes : scenario.image.size();
  const Contents contents = read_contents(chip, SlotMap{}, bytes_to_know(chip.geometry(), bytes));
  switch (scenario.deed) {
    case Deed::kWrite:
      return plan_write(contents, SlotMap{}, chip.geometry(), scenario.image, {.downgrade = true});
    case Deed::kRollback:
      // Once it is done there is nothing to do again.
      return contents.boots == scenario.target ? Plan{} : plan_rollback(contents, SlotMap{});
    case Deed::kErase:
      return plan_erase(contents, SlotMap{}, chip.geometry(), scenario.target, std::nullopt);
  }
  return {};
}

void prepare(const Scenario& scenario, Rig& rig) {
  rig.put(Slot::kA, scenario.a);
  rig.put(Slot::kB, scenario.b);
}

bool same_payload(const Bytes& x, const Bytes& y) {
  return x.size() == y.size() &&
         std::equal(x.begin() + sizeof(image::Header), x.end(), y.begin() + sizeof(image::Header));
}

// What is booted must be one of the three images, whole.
bool is_known(const Scenario& scenario, const Bytes& loaded) {
  return same_payload(loaded, scenario.a) || same_payload(loaded, scenario.b) ||
         same_payload(loaded, scenario.image);
}

// Switched on again and again; the image that is on trial fails each time, or passes.
bool boots(const Scenario& scenario, Rig& rig, bool confirms) {
  for (unsigned boot = 0; boot < image::kMaxAttempts + 2; ++boot) {
    if (!rig.boot(confirms) || !is_known(scenario, rig.loaded())) return false;
  }
  return true;
}

// The command again, now with power, has its effect.
bool completes(const Scenario& scenario, Rig& rig) {
  SpiNor& chip = rig.chip();
  const Plan plan = plan_of(scenario, chip);
  if (execute(plan, chip, {}).end != Outcome::End::kDone) return false;
  if (scenario.deed == Deed::kErase) {
    const auto cells = rig.slot(scenario.target);
    return std::ranges::all_of(cells, [](uint8_t cell) { return cell == 0xFF; }) &&
           rig.boot(true) == other(scenario.target);
  }
  const auto booted = rig.boot(true);
  return booted && (scenario.deed == Deed::kRollback ? booted == scenario.target
                                                     : same_payload(rig.loaded(), scenario.image));
}

struct Tally {
  uint64_t cuts = 0;
  uint64_t survived = 0;

  void count(bool good, const Scenario& scenario, const PowerCut& cut) {
    ++cuts;
    if (good) {
      ++survived;
    } else {
      fmt::print(stderr, "lost: {}, power cut in operation {} at {:.3f}\n", scenario.name, cut.operation,
                 cut.progress);
    }
  }
};

bool survives(const Scenario& scenario, Rig& rig, const PowerCut& cut, bool confirms) {
  prepare(scenario, rig);
  SpiNor& chip = rig.chip(cut);
  const Plan plan = plan_of(scenario, chip);
  const Outcome outcome = execute(plan, chip, {});
  if (outcome.end == Outcome::End::kDone && cut.progress < 1) throw std::logic_error("power did not go");
  if (!boots(scenario, rig, confirms)) return false;
  return completes(scenario, rig);
}

// The bytes that each operation of the whole deed changes.
std::vector<uint32_t> operations_of(const Scenario& scenario, Rig& rig) {
  prepare(scenario, rig);
  SpiNor& chip = rig.chip();
  const Plan plan = plan_of(scenario, chip);
  if (execute(plan, chip, {}).end != Outcome::End::kDone) throw std::logic_error("the deed fails with power");
  return rig.bus().operations();
}

PowerCut at_byte(const std::vector<uint32_t>& operations, uint64_t byte) {
  PowerCut cut;
  while (byte >= operations[cut.operation]) byte -= operations[cut.operation++];
  cut.progress = (static_cast<double>(byte) + 0.5) / operations[cut.operation];
  return cut;
}

int run(uint64_t seed, unsigned positions) {
  std::mt19937_64 random(seed);
  Tally boundaries;
  Tally bytes;
  const auto all = scenarios(seed);
  std::vector<std::vector<uint32_t>> operations;
  for (const Scenario& scenario : all) {
    Rig rig(random());
    operations.push_back(operations_of(scenario, rig));
    for (uint64_t operation = 0; operation < operations.back().size(); ++operation) {
      for (const double progress : {0.0, 0.5, 1.0}) {
        const PowerCut cut = {operation, progress};
        boundaries.count(survives(scenario, rig, cut, random() % 2 == 0), scenario, cut);
      }
    }
  }
  for (unsigned i = 0; i < positions; ++i) {
    const size_t chosen = random() % all.size();
    const auto& of_chosen = operations[chosen];
    uint64_t total = 0;
    for (const uint32_t one : of_chosen) total += one;
    const PowerCut cut = at_byte(of_chosen, random() % total);
    Rig rig(random());
    bytes.count(survives(all[chosen], rig, cut, random() % 2 == 0), all[chosen], cut);
  }
  const uint64_t cuts = boundaries.cuts + bytes.cuts;
  const uint64_t survived = boundaries.survived + bytes.survived;
  fmt::print(
      "{{\"flash.powercut_survival\": {}, \"flash.powercut_boundaries\": {}, \"flash.powercut_positions\": "
      "{}}}\n",
      static_cast<double>(survived) / static_cast<double>(cuts), boundaries.cuts, bytes.cuts);
  return survived == cuts ? 0 : 1;
}

}  // namespace
}  // namespace swai::flash

int main(int argc, char** argv) {
  CLI::App app("Cuts the power in the middle of updates and looks whether the card still boots.");
  uint64_t seed = 1;
  unsigned positions = 2000;
  app.add_option("--seed", seed, "what is chosen by chance");
  app.add_option("--positions", positions, "random bytes, beside the boundaries of all operations");
  CLI11_PARSE(app, argc, argv);
  fmt::print(stderr, "seed {}\n", seed);
  return swai::flash::run(seed, positions);
}
