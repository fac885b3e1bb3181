// SPDX-License-Identifier: Apache-2.0
// What clients of a shared card have of it: each its own memory, kernels and streams, also when others die.
#include <doctest/doctest.h>
#include <unistd.h>

#include <random>

#include "host/runtime/bars.hpp"
#include "verif/host/daemon/cards/rig.hpp"
#include "verif/host/runtime/kernels.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::serve {
namespace {

using namespace swai::sdaa;

constexpr int kCount = 1000;

size_t free_memory() {
  size_t free = 0;
  size_t total = 0;
  REQUIRE_OK(sdaaMemGetInfo(&free, &total));
  return free;
}

// y += a * x on the current device, with everything that takes. Returns whether it came out right.
void check_axpy(std::mt19937_64& random) {
  std::vector<int32_t> x(kCount);
  std::vector<int32_t> y(kCount);
  for (int i = 0; i < kCount; ++i) {
    x[i] = static_cast<int32_t>(random() % 1000);
    y[i] = static_cast<int32_t>(random() % 1000);
  }
  void* device_x = allocate(kCount * sizeof(int32_t));
  void* device_y = allocate(kCount * sizeof(int32_t));
  REQUIRE_OK(sdaaMemcpy(device_x, x.data(), kCount * sizeof(int32_t), sdaaMemcpyHostToDevice));
  REQUIRE_OK(sdaaMemcpy(device_y, y.data(), kCount * sizeof(int32_t), sdaaMemcpyHostToDevice));
  const sdaaModule_t module = load_fake_module();
  int32_t count = kCount;
  int32_t a = static_cast<int32_t>(random() % 100);
  void* arguments[] = {&device_y, &device_x, &count, &a};
  REQUIRE_OK(sdaaLaunchKernel(kernel(module, "axpy_values"), arguments, 0, nullptr));
  std::vector<int32_t> result(kCount);
  REQUIRE_OK(sdaaMemcpy(result.data(), device_y, kCount * sizeof(int32_t), sdaaMemcpyDeviceToHost));
  bool right = true;
  for (int i = 0; i < kCount; ++i) right = right && result[i] == y[i] + a * x[i];
  CHECK(right);
  CHECK_OK(sdaaFree(device_x));
  CHECK_OK(sdaaFree(device_y));
  CHECK_OK(sdaaModuleUnload(module));
}

TEST_CASE("clients use a card at once, and what one has costs the others nothing but room") {
  Rig rig;
  rig.use_devices(3);
  std::mt19937_64 random(test_seed());
  for (int round = 0; round < 3; ++round) {
    for (int device = 0; device < 3; ++device) {
      REQUIRE_OK(sdaaSetDevice(device));
      check_axpy(random);
    }
  }
  std::vector<std::thread> threads;
  for (int device = 0; device < 3; ++device) {
    threads.emplace_back([device, number = random()] {
      std::mt19937_64 own(number);
      REQUIRE_OK(sdaaSetDevice(device));
      for (int round = 0; round < 5; ++round) check_axpy(own);
    });
  }
  for (auto& thread : threads) thread.join();

  // Who they are is known.
  const auto clients = rig.server->clients();
  REQUIRE(clients.size() == 3);
  for (const Client& one : clients) {
    CHECK(one.peer.process == ::getpid());
    CHECK(one.context != 0);
  }

  REQUIRE_OK(sdaaSetDevice(0));
  const size_t before = free_memory();
  REQUIRE_OK(sdaaSetDevice(1));
  allocate(8 << 20);
  REQUIRE_OK(sdaaSetDevice(0));
  CHECK(free_memory() == before - (8 << 20));
  REQUIRE_OK(sdaaSetDevice(1));
  REQUIRE_OK(sdaaDeviceReset());
  REQUIRE_OK(sdaaSetDevice(0));
  CHECK(free_memory() == before);
}

TEST_CASE("more streams than a client has queues for share them") {
  Rig rig;
  rig.use_devices(2);
  for (int device = 0; device < 2; ++device) {
    REQUIRE_OK(sdaaSetDevice(device));
    const sdaaModule_t module = load_fake_module();
    std::vector<sdaaStream_t> streams(8);
    for (auto& stream : streams) REQUIRE_OK(sdaaStreamCreate(&stream));
    for (auto& stream : streams) REQUIRE_OK(sdaaLaunchKernel(kernel(module, "nothing"), nullptr, 0, stream));
    CHECK_OK(sdaaDeviceSynchronize());
  }
}

TEST_CASE("a kernel of one client that never ends is stopped when the client leaves, and the others go on") {
  Rig rig;
  rig.use_devices(2);
  REQUIRE_OK(sdaaSetDevice(1));
  const sdaaModule_t module = load_fake_module();
  for (int i = 0; i < 4; ++i) REQUIRE_OK(sdaaLaunchKernel(kernel(module, "hang"), nullptr, 0, nullptr));
  REQUIRE_OK(sdaaDeviceReset());
  REQUIRE_OK(sdaaSetDevice(0));
  std::mt19937_64 random(test_seed());
  check_axpy(random);
}

TEST_CASE("clients that die at random moments leave nothing behind") {
  Rig rig;
  rig.use_devices(1);
  const size_t before = free_memory();
  std::mt19937_64 random(test_seed());
  const auto below = [&random](unsigned end) { return static_cast<unsigned>(random() % end); };
  for (int death = 0; death < 1000; ++death) {
    link::Card* card = nullptr;
    Device device(
        0,
        [&] {
          auto opened = link::Card::open(rig.socket());
          card = opened.get();
          return opened;
        },
        Limits{}, false);
    // Closing the connection in the midst of anything is what a death looks like from the other side.
    const unsigned steps = below(6);
    try {
      auto lock = device.enter();
      Connection::Values values;
      for (unsigned step = 0; step < steps; ++step) {
        switch (below(4)) {
          case 0:
            (void)device.connection().request(protocol::Operation::kAllocate,
                                              {1 + random() % (4 << 20), 0xff00}, values);
            break;
          case 1: {
            const std::array<uint64_t, 3> arguments = {device.connection().client(), 4096, 0xff00};
            card->post_block(kControlBar, shared_word(protocol::word::kArguments),
                             {reinterpret_cast<const uint8_t*>(arguments.data()), sizeof arguments});
            card->post<uint64_t>(kControlBar, shared_word(protocol::word::kRequest),
                                 protocol::request(protocol::Operation::kAllocate, 77));
            device.connection().ring(protocol::kRequestDoorbell);
            break;
          }
          case 2:
            device.queues().service();
            break;
          default: {
            const auto got = device.connection().ask(protocol::Operation::kAllocate, {256 << 10, 0xff00});
            command::Fill fill = {};
            fill.to = got[0];
            fill.bytes = 256 << 10;
            fill.rows = 1;
            device.service_writer(lock).send(command::Type::kFill, fill);
          }
        }
      }
      card->close();
    } catch (const link::Error&) {
    } catch (const Failure&) {
    }
  }
  // The server hears of the last one when it looks.
  for (int i = 0; i < 6000 && free_memory() != before; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(free_memory() == before);
  check_axpy(random);
}

}  // namespace
}  // namespace swai::serve
