// Plays the hostile client of a shared card against a played one, while another client computes.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <random>
#include <thread>

#include "host/sdaa/bars.hpp"
#include "host/serve/control.hpp"
#include "host/serve/jobs.hpp"
#include "verif/attack/bystander.hpp"
#include "verif/common/doctest_main.hpp"
#include "verif/serve/rig.hpp"

namespace swai::attack {
namespace {

using namespace swai::sdaa;

// Who computes: y += a * x through the runtime library, and what the card says that it took.
class Worker {
 public:
  Worker() : module_(load_fake_module()), x_(allocate(kBytes)), y_(allocate(kBytes)) {}

  void round(std::mt19937_64& random) {
    std::vector<int32_t> x(kCount);
    std::vector<int32_t> y(kCount);
    for (int i = 0; i < kCount; ++i) {
      x[i] = static_cast<int32_t>(random() % 1000);
      y[i] = static_cast<int32_t>(random() % 1000);
    }
    REQUIRE_OK(sdaaMemcpy(x_, x.data(), kBytes, sdaaMemcpyHostToDevice));
    REQUIRE_OK(sdaaMemcpy(y_, y.data(), kBytes, sdaaMemcpyHostToDevice));
    int32_t count = kCount;
    int32_t a = static_cast<int32_t>(random() % 100);
    void* arguments[] = {&y_, &x_, &count, &a};
    REQUIRE_OK(sdaaLaunchKernel(kernel(module_, "axpy_values"), arguments, 0, nullptr));
    std::vector<int32_t> result(kCount);
    REQUIRE_OK(sdaaMemcpy(result.data(), y_, kBytes, sdaaMemcpyDeviceToHost));
    bool right = true;
    for (int i = 0; i < kCount; ++i) right = right && result[i] == y[i] + a * x[i];
    CHECK(right);
  }

 private:
  static constexpr int kCount = 1000;
  static constexpr size_t kBytes = kCount * sizeof(int32_t);

  sdaaModule_t module_;
  void* x_;
  void* y_;
};

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
      rig.folder / "control", [this](const serve::Json& request) -> serve::Json {
        if (request.at("command") == "submit") {
          return {{"job", jobs.submit(request.at("program").get<std::vector<std::string>>(),
                                      request.at("folder").get<std::string>())}};
        }
        if (request.at("command") == "list") return {{"jobs", jobs.list().size()}};
        return {{"job", jobs.find(serve::number_in(request, "job")).has_value()}};
      }};
  Bystander bystander;
  Attacker attacker;
};

// What the launches of the client with the most of them took on average, as the card counts it.
double cycles_of_a_launch(link::Card& card, const protocol::Info& info) {
  std::vector<protocol::ClientUsage> all(info.clients_count);
  card.read_block(kMemoryBar, kSram + info.clients_offset,
                  {reinterpret_cast<uint8_t*>(all.data()), all.size() * sizeof(protocol::ClientUsage)});
  const auto& most = *std::ranges::max_element(all, {}, &protocol::ClientUsage::launches);
  return most.launches == 0 ? 0 : static_cast<double>(most.busy) / static_cast<double>(most.launches);
}

// Of a worker that has the card to itself, or while the attacker makes so many steps.
double work_during(unsigned steps, unsigned& leaks) {
  Scene scene;
  std::mt19937_64 random(test_seed());
  Worker worker;
  const auto looks = link::Card::open(scene.rig.socket());
  const Firmware firmware = find_firmware(*looks, Limits{}, Restart::kNo);
  std::atomic<bool> over = false;
  std::thread hostile([&] {
    for (unsigned step = 0; step < steps; ++step)
      scene.attacker.play(*kinds()[scene.attacker.below(static_cast<unsigned>(kinds().size()))]);
    over = true;
  });
  for (unsigned round = 0; round < 20 || !over; ++round) {
    worker.round(random);
    const bool whole = scene.bystander.is_whole();
    CHECK(whole);
    leaks += whole ? 0 : 1;
  }
  hostile.join();
  scene.check_leaks();
  leaks += static_cast<unsigned>(scene.attacker.leaks().size());
  return cycles_of_a_launch(*looks, firmware.info);
}

void mix(unsigned steps) {
  unsigned leaks = 0;
  const double alone = work_during(0, leaks);
  const double attacked = work_during(steps, leaks);
  CHECK(alone > 0);
  CHECK(attacked == doctest::Approx(alone).epsilon(0.01));
  fmt::print("{{\"isolation.attacks\": {}, \"isolation.leaks\": {}}}\n", kinds().size(), leaks);
}

TEST_CASE("each kind of attack alone") {
  REQUIRE(kinds().size() > 50);
  for (const Kind* kind : kinds()) {
    SUBCASE(kind->name.c_str()) {
      Scene scene;
      std::mt19937_64 random(test_seed());
      Worker worker;
      unsigned whole = 0;
      for (int i = 0; i < 3; ++i) {
        whole += scene.attacker.play(*kind) ? 1 : 0;
        REQUIRE_OK(sdaaSetDevice(0));
        CHECK(scene.bystander.is_whole());
        worker.round(random);
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
