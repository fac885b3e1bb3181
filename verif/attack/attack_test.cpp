// SPDX-License-Identifier: Apache-2.0
// Plays the hostile client of a shared card against a played one, while another client computes.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <atomic>
#include <filesystem>
#include <random>
#include <thread>

#include "host/daemon/cards/control.hpp"
#include "host/daemon/cards/jobs.hpp"
#include "verif/attack/bystander.hpp"
#include "verif/attack/worker.hpp"
#include "verif/host/daemon/cards/rig.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::attack {
namespace {

using namespace swai::sdaa;

struct Scene {
  Scene()
      : bystander((rig.use_devices(2), rig.socket())),
        attacker({rig.socket(), rig.folder / "hostile", fake_module(), kItsDevice}, bystander.known(),
                 test_seed()) {
    std::filesystem::create_directory(rig.folder / "hostile");
  }

  // The worker has the other one.
  static constexpr int kItsDevice = 1;

  void check_leaks() {
    for (const std::string& leak : attacker.leaks()) FAIL_CHECK(leak);
  }

  // The bystander, the worker, who looks, the attacker's device, and a few connections of it.
  serve::Rig rig{12, 7};
  serve::Jobs jobs{rig.folder / "jobs", 2, {"PATH=/usr/bin:/bin"}};
  serve::Control control{
      rig.folder / "control", {.answer = [this](const serve::Json& request) -> serve::Json {
        if (request.at("command") == "submit") {
          return {{"job", jobs.submit(request.at("program").get<std::vector<std::string>>(),
                                      request.at("folder").get<std::string>())}};
        }
        if (request.at("command") == "list") return {{"jobs", jobs.list().size()}};
        const auto job = jobs.find(serve::number_in(request, "job"));
        if (!job) throw std::runtime_error("there is no such job");
        return {{"state", serve::text(job->state)}};
      }}};
  Bystander bystander;
  Attacker attacker;
};

// What a launch takes of a worker that has the card to itself, or while the attacker makes so many steps.
double work_during(unsigned steps, unsigned& leaks) {
  Scene scene;
  std::mt19937_64 random(test_seed());
  Worker worker(0, fake_module());
  const auto looks = link::Card::open(scene.rig.socket());
  const Firmware firmware = find_firmware(*looks, Limits{}, Restart::kNo);
  std::atomic<bool> over = false;
  std::thread hostile([&] {
    for (unsigned step = 0; step < steps; ++step)
      scene.attacker.play(*kinds()[scene.attacker.below(static_cast<unsigned>(kinds().size()))]);
    over = true;
  });
  for (unsigned round = 0; round < 20 || !over; ++round) {
    CHECK(worker.round(random));
    const bool whole = scene.bystander.is_whole();
    CHECK(whole);
    leaks += whole ? 0 : 1;
  }
  hostile.join();
  scene.check_leaks();
  leaks += static_cast<unsigned>(scene.attacker.leaks().size());
  const std::vector<Launches> all = launches(*looks, firmware.info);
  return all[busiest(all)].cycles_of_one();
}

void mix(unsigned steps) {
  unsigned leaks = 0;
  const double alone = work_during(0, leaks);
  const double attacked = work_during(steps, leaks);
  CHECK(alone > 0);
  CHECK(attacked == doctest::Approx(alone).epsilon(0.01));
  fmt::print("{{\"isolation.attacks\": {}, \"isolation.played_leaks\": {}}}\n", kinds().size(), leaks);
}

TEST_CASE("each kind of attack alone") {
  REQUIRE(kinds().size() > 50);
  for (const Kind* kind : kinds()) {
    SUBCASE(kind->name.c_str()) {
      Scene scene;
      std::mt19937_64 random(test_seed());
      Worker worker(0, fake_module());
      unsigned whole = 0;
      for (int i = 0; i < 3; ++i) {
        whole += scene.attacker.play(*kind) ? 1 : 0;
        REQUIRE_OK(sdaaSetDevice(0));
        CHECK(scene.bystander.is_whole());
        CHECK(worker.round(random));
      }
      scene.check_leaks();
      // One that is always thrown out at its beginning would find nothing.
      CHECK(whole > 0);
    }
  }
}

TEST_CASE("some hundred random steps while another client computes") { mix(300); }

TEST_CASE("ten thousand random steps while another client computes") { mix(10'000); }

}  // namespace
}  // namespace swai::attack
