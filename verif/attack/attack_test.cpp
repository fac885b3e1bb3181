// Plays the hostile client of a shared card against a played one, while another client computes.
#include <doctest/doctest.h>

#include <atomic>
#include <random>
#include <thread>

#include "host/sdaa/bars.hpp"
#include "verif/attack/attacker.hpp"
#include "verif/common/doctest_main.hpp"
#include "verif/serve/rig.hpp"

namespace swai::attack {
namespace {

using namespace swai::sdaa;

constexpr uint8_t kPattern = 0x11;

// What must stay as it is: memory of a client, on the card and in its host, that nobody touches meanwhile.
class Bystander {
 public:
  explicit Bystander(const std::string& socket) : client_(socket) {
    client_.fill(kPattern);
    REQUIRE(client_.copy(client_.pointer, client_.iova, false) == protocol::Status::kOk);
  }
  Known known() const { return {client_.context(), client_.pointer, client_.iova, client_.queue}; }
  // Both memories, and that the card still serves it.
  void check() {
    CHECK(client_.holds(kPattern));
    client_.fill(0);
    CHECK(client_.copy(client_.pointer, client_.iova, true) == protocol::Status::kOk);
    CHECK(client_.holds(kPattern));
  }

 private:
  HostileClient client_;
};

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
      : bystander((rig.use_devices(1), rig.socket())),
        attacker(rig.socket(), rig.folder, bystander.known(), test_seed()) {}

  void check_leaks() {
    for (const std::string& leak : attacker.leaks()) FAIL_CHECK(leak);
  }

  serve::Rig rig{12, 4};
  Bystander bystander;
  Attacker attacker;
};

TEST_CASE("each kind of attack alone") {
  for (const Kind* kind : kinds()) {
    SUBCASE(kind->name.c_str()) {
      Scene scene;
      std::mt19937_64 random(test_seed());
      Worker worker;
      for (int i = 0; i < 3; ++i) {
        scene.attacker.play(*kind);
        scene.bystander.check();
        worker.round(random);
      }
      scene.check_leaks();
    }
  }
}

}  // namespace
}  // namespace swai::attack
